// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "harness/report/renderer.h"
#include "harness/report/report_json.h"
#include "harness/report/text.h"
#include "sample_report.h"

namespace sits::report {
namespace {

using testing::example_report;
using testing::expect_golden;
using testing::with_every_text;

const std::string kGolden = SITS_GOLDEN_DIR;

std::vector<std::string> lines_of(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The lines of the first table: from the one that starts with `title` to the next that does not hold a row.
std::vector<std::string> result_lines(const std::string &text, std::size_t rows) {
  const std::vector<std::string> lines = lines_of(text);
  const auto head =
      std::find_if(lines.begin(), lines.end(), [](const auto &line) { return line.starts_with("case "); });
  if (head == lines.end() || lines.end() - head < static_cast<std::ptrdiff_t>(rows) + 1) return {};
  return {head, head + static_cast<std::ptrdiff_t>(rows) + 1};
}

/// Reads RFC 4180; throws on a stray quote.
std::vector<std::vector<std::string>> read_csv(const std::string &text) {
  std::vector<std::vector<std::string>> rows{{""}};
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string &cell = rows.back().back();
    if (quoted && text[i] == '"' && text.compare(i, 2, "\"\"") == 0) {
      cell += text[i++];
    } else if (text[i] == '"') {
      if (!quoted && !cell.empty()) throw std::runtime_error("stray quote");
      quoted = !quoted;
    } else if (quoted || (text[i] != ',' && text[i] != '\r')) {
      cell += text[i];
    } else if (text[i] == ',') {
      rows.back().emplace_back();
    } else {
      if (text.compare(i, 2, "\r\n") != 0) throw std::runtime_error("stray carriage return");
      ++i;
      rows.push_back({""});
    }
  }
  rows.pop_back();
  return rows;
}

std::size_t column(const std::vector<std::string> &header, const std::string &name) {
  return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
}

TEST(Render, finds_every_format_by_name) {
  ASSERT_GE(renderers().size(), 4U);
  for (const Renderer &renderer : renderers()) EXPECT_EQ(find_renderer(renderer.name), &renderer);
  EXPECT_EQ(find_renderer("tables"), nullptr);
}

TEST(Render, matches_the_golden_files) {
  expect_golden(kGolden + "/report_table.txt", render_table(example_report(), {}));
  expect_golden(kGolden + "/report_table_colour_80.txt", render_table(example_report(), {true, 80}));
  expect_golden(kGolden + "/report.md", render_markdown(example_report(), {}));
  expect_golden(kGolden + "/report.csv", render_csv(example_report(), {}));
}

TEST(Render, gives_json_as_the_document_itself) {
  EXPECT_EQ(render_json(example_report(), {}), write_report(example_report()));
}

TEST(Render, gives_something_for_an_empty_report) {
  for (const Renderer &renderer : renderers()) EXPECT_FALSE(renderer.render(Report{}, {}).empty()) << renderer.name;
  EXPECT_NE(render_table(Report{}, {}).find("no results"), std::string::npos);
}

TEST(RenderTable, aligns_columns_whatever_the_script) {
  Report report = example_report();
  report.results[0].id = "gemm/漢字/é";
  report.results[1].timing->device_ns.median = 2.979e15;
  const auto lines = result_lines(render_table(report, {}), report.results.size());
  ASSERT_EQ(lines.size(), 7U);
  // "status" starts at the same column in every line, with a gap before it.
  const std::size_t at = display_width(lines[0].substr(0, lines[0].find("status")));
  const std::vector<std::string> words = {"ok", "ok", "ok", "unsupported", "incorrect", "oom"};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t found = lines[i + 1].find("  " + words[i] + "  ");
    ASSERT_NE(found, std::string::npos) << lines[i + 1];
    const std::size_t start = lines[i + 1].find_first_not_of(' ', found);
    EXPECT_EQ(display_width(lines[i + 1].substr(0, start)), at) << lines[i + 1];
  }
}

TEST(RenderTable, never_lets_columns_run_together) {
  Report report = example_report();
  report.results[0].timing->device_ns.median = 1.8e-4;
  report.results[1].timing->device_ns.median = 2.979e18;
  const std::string text = render_table(report, {});
  EXPECT_NE(text.find("  0.000 ns  "), std::string::npos) << text;
  EXPECT_NE(text.find("  2979000000 s  "), std::string::npos) << text;
}

TEST(RenderTable, shows_the_reason_of_a_row_without_numbers) {
  const std::string text = render_table(example_report(), {});
  EXPECT_NE(text.find("128 GiB needed, 80 GiB available"), std::string::npos);
  EXPECT_NE(text.find("the device has no f8 matrix unit"), std::string::npos);
}

TEST(RenderTable, shows_no_number_of_a_row_that_is_neither_ok_nor_incorrect) {
  Report report = example_report();
  report.results[0].status = Status::implausible;
  const auto lines = result_lines(render_table(report, {}), 6);
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_EQ(lines[1].find("ms"), std::string::npos) << lines[1];
  EXPECT_EQ(lines[1].find("33.2"), std::string::npos) << lines[1];
}

TEST(RenderTable, stays_within_the_terminal_by_cutting_notes) {
  Report report = example_report();
  report.results[5].reason->message = std::string(500, 'r');
  const auto lines = result_lines(render_table(report, {false, 200}), 6);
  ASSERT_EQ(lines.size(), 7U);
  for (const std::string &line : lines) EXPECT_LE(display_width(line), 200U);
  EXPECT_TRUE(lines[6].ends_with("…"));
}

TEST(RenderTable, uses_colour_only_when_asked) {
  EXPECT_EQ(render_table(example_report(), {}).find('\x1b'), std::string::npos);
  EXPECT_NE(render_table(example_report(), {true, 0}).find("\x1b[31m"), std::string::npos);
}

TEST(RenderTable, lets_no_name_control_the_terminal) {
  const std::string text = render_table(with_every_text("\x1b]0;owned\x07\n\xFF|`"), {});
  for (const char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  EXPECT_EQ(clean_utf8(text), text);
}

TEST(RenderTable, says_which_device_and_run_only_when_they_differ) {
  Report report = example_report();
  EXPECT_EQ(render_table(report, {}).find("device  run"), std::string::npos);
  report.results[1].device = "sim:1";
  report.results[1].run_index = 1;
  EXPECT_NE(render_table(report, {}).find("device  run"), std::string::npos);
}

TEST(RenderTable, tells_that_one_run_says_nothing_about_the_next) {
  Report report = example_report();
  EXPECT_NE(render_table(report, {}).find("One run"), std::string::npos);
  report.run.runs = 3;
  EXPECT_EQ(render_table(report, {}).find("One run"), std::string::npos);
}

TEST(RenderMarkdown, lets_no_name_break_a_table_or_bring_markup) {
  const std::string text = render_markdown(with_every_text("a|b`c\n<img src=x> @all [x](y) **b**"), {});
  const auto lines = lines_of(text);
  std::size_t rows = 0;
  std::ptrdiff_t bars = 0;
  for (const std::string &line : lines) {
    if (!line.starts_with("|")) {
      bars = 0;
      continue;
    }
    const auto count = std::count(line.begin(), line.end(), '|');
    if (bars == 0) bars = count;
    EXPECT_EQ(count, bars) << line;
    ++rows;
  }
  EXPECT_GT(rows, 8U);
  for (const char *mark : {"<img", "`", "@all", "[x](y)", " **b**"})
    EXPECT_EQ(text.find(mark), std::string::npos) << mark;
}

TEST(RenderCsv, gives_every_text_back) {
  const std::string hostile = "a,b \"c\"\r\nd|`é";
  const auto rows = read_csv(render_csv(with_every_text(hostile), {}));
  ASSERT_EQ(rows.size(), 7U);
  for (const auto &row : rows) EXPECT_EQ(row.size(), rows[0].size());
  EXPECT_EQ(rows[1][column(rows[0], "case")], hostile);
  EXPECT_EQ(rows[1][column(rows[0], "provider")], hostile);
  EXPECT_EQ(rows[6][column(rows[0], "reason")], hostile);
}

TEST(RenderCsv, gives_numbers_exactly_and_nothing_for_the_unknown) {
  const auto rows = read_csv(render_csv(example_report(), {}));
  EXPECT_EQ(rows[1][column(rows[0], "device_median_ns")], "1234567.5");
  EXPECT_EQ(rows[1][column(rows[0], "ratio:h100-sxm5-80gb")], "33.25");
  EXPECT_EQ(rows[1][column(rows[0], "ratio:h100-pcie-80gb")], "");
  EXPECT_EQ(rows[6][column(rows[0], "device_median_ns")], "");
}

TEST(RenderCsv, shows_no_number_of_a_row_that_is_neither_ok_nor_incorrect) {
  Report report = example_report();
  report.results[0].status = Status::implausible;
  const auto rows = read_csv(render_csv(report, {}));
  for (const char *name : {"device_median_ns", "n", "flops_per_s", "compute_utilization", "ratio:h100-sxm5-80gb"}) {
    EXPECT_EQ(rows[1][column(rows[0], name)], "") << name;
  }
}

}  // namespace
}  // namespace sits::report
