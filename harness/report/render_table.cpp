// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "harness/report/renderer.h"
#include "harness/report/text.h"
#include "harness/report/view.h"

namespace sits::report {
namespace {

constexpr std::string_view kSeparator = "  ";
constexpr std::size_t kMinLastColumn = 12;

class Terminal {
 public:
  explicit Terminal(const RenderOptions &options) : options_(options) {}

  void line(const std::string &text) { out += text + "\n"; }
  void bold(const std::string &text) { line(paint("\x1b[1m", text)); }

  void table(const Table &table, bool toned) {
    const std::vector<std::size_t> widths = fit(table);
    std::vector<std::string> titles;
    for (const Column &column : table.columns) titles.push_back(column.title);
    row(table, widths, titles, "\x1b[1m", true);
    for (const Row &r : table.rows) row(table, widths, r.cells, toned ? code_of(r.tone) : "", false);
  }

  std::string out;

 private:
  static const char *code_of(Tone tone) {
    switch (tone) {
      case Tone::good: return "\x1b[32m";
      case Tone::warn: return "\x1b[33m";
      case Tone::bad: return "\x1b[31m";
      default: return "";
    }
  }

  std::string paint(std::string_view code, const std::string &text) const {
    return options_.colour && !code.empty() ? std::string(code) + text + "\x1b[0m" : text;
  }

  /// Widest cell of each column; the last one, free text, gives way to the terminal's width.
  std::vector<std::size_t> fit(const Table &table) const {
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      std::size_t width = display_width(table.columns[i].title);
      for (const Row &r : table.rows) width = std::max(width, display_width(r.cells[i]));
      widths.push_back(width);
    }
    if (options_.width == 0 || widths.empty()) return widths;
    const std::size_t before =
        std::accumulate(widths.begin(), widths.end() - 1, std::size_t{0}) + kSeparator.size() * (widths.size() - 1);
    const std::size_t left = options_.width > before ? options_.width - before : 0;
    widths.back() = std::min(widths.back(), std::max(left, kMinLastColumn));
    return widths;
  }

  /// `code` colours the whole line of titles, but only the status of a result.
  void row(const Table &table, const std::vector<std::size_t> &widths, const std::vector<std::string> &cells,
           std::string_view code, bool whole) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) text += kSeparator;
      const bool last = i + 1 == cells.size();
      const std::string cell = last ? shorten(cells[i], widths[i]) : cells[i];
      const std::string padded = last && !table.columns[i].right ? cell : pad(cell, widths[i], table.columns[i].right);
      text += !whole && i == 1 ? paint(code, padded) : padded;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    line(whole ? paint(code, text) : text);
  }

  const RenderOptions &options_;
};

}  // namespace

std::string render_table(const Report &report, const RenderOptions &options) {
  const View view = view_of(report);
  Terminal terminal(options);
  terminal.bold(view.title);
  for (const std::string &line : view.machine) terminal.line(line);
  if (!view.results.rows.empty()) {
    terminal.line("");
    terminal.table(view.results, true);
  }
  for (const std::string &line : view.legend) terminal.line(line);
  terminal.line("");
  terminal.bold(view.counts);
  if (!view.scores.rows.empty()) {
    terminal.line("");
    terminal.table(view.scores, false);
  }
  if (!view.left_out.rows.empty()) {
    terminal.line("");
    terminal.table(view.left_out, false);
  }
  for (const std::string &line : view.notes) terminal.line(line);
  return std::move(terminal.out);
}

}  // namespace sits::report
