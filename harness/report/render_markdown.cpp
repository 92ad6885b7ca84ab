// SPDX-License-Identifier: Apache-2.0
#include "harness/report/renderer.h"
#include "harness/report/view.h"

namespace sits::report {
namespace {

/// Text that Markdown and HTML leave as it is. Entities, since a backslash does not protect everything inside a table.
std::string escape(const std::string &text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '|': out += "&#124;"; break;
      case '`': out += "&#96;"; break;
      case '@': out += "&#64;"; break;  // mentions nobody in a comment
      case '\\':
      case '*':
      case '_':
      case '[':
      case ']':
      case '~':
      case '#':
      case '!':
        out += '\\';
        out += c;
        break;
      default: out += c;
    }
  }
  return out;
}

void append_table(std::string &out, const Table &table) {
  if (table.rows.empty()) return;
  out += "\n|";
  for (const Column &column : table.columns) out += " " + escape(column.title) + " |";
  out += "\n|";
  for (const Column &column : table.columns) out += column.right ? " ---: |" : " --- |";
  out += "\n";
  for (const Row &row : table.rows) {
    out += "|";
    for (const std::string &cell : row.cells) out += " " + escape(cell) + " |";
    out += "\n";
  }
}

void append_list(std::string &out, const std::vector<std::string> &lines) {
  if (!lines.empty()) out += "\n";
  for (const std::string &line : lines) out += "- " + escape(line) + "\n";
}

}  // namespace

std::string render_markdown(const Report &report, const RenderOptions & /*options*/) {
  const View view = view_of(report);
  std::string out = "## " + escape(view.title) + "\n";
  append_list(out, view.machine);
  append_table(out, view.results);
  append_list(out, view.legend);
  out += "\n**" + escape(view.counts) + "**\n";
  append_table(out, view.scores);
  append_table(out, view.left_out);
  append_list(out, view.notes);
  return out;
}

}  // namespace sits::report
