// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/reports.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "harness/cli/assemble.h"
#include "harness/cli/command.h"
#include "harness/cli/files.h"
#include "harness/normalize/normalize.h"
#include "harness/normalize/score.h"
#include "harness/report/atomic_file.h"
#include "harness/report/report_files.h"
#include "harness/report/report_json.h"

namespace sits::cli {

report::Report load_report(const std::string &path) {
  try {
    if (path == "-") return report::read_report(read_file("-"));
    auto loaded = report::load_report(path);
    if (!loaded.samples_problem.empty()) std::cerr << "sits: " << loaded.samples_problem << '\n';
    return std::move(loaded.report);
  } catch (const report::FileError &error) {
    throw InputError(error.what());
  } catch (const report::JsonError &error) {
    throw InputError(error.what());
  }
}

void deliver_report(report::Report &report, const std::string &output) {
  if (output == "-")
    write_output("-", report::write_report(report));
  else
    report::save_report(report, output);
}

report::RenderOptions terminal_options() {
  report::RenderOptions options;
  if (::isatty(STDOUT_FILENO) != 1) return options;
  const char *no_colour = std::getenv("NO_COLOR");
  options.colour = no_colour == nullptr || *no_colour == '\0';
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) options.width = size.ws_col;
  return options;
}

std::vector<normalize::Baseline> load_baselines(const std::vector<std::string> &names) {
  std::vector<std::string> wanted = names;
  if (wanted.empty())
    for (const auto name : normalize::default_baselines()) wanted.emplace_back(name);
  std::vector<normalize::Baseline> baselines;
  for (const std::string &name : wanted) {
    try {
      auto baseline = normalize::parse_baseline(baseline_text(name), name);
      if (std::ranges::any_of(baselines, [&](const auto &other) { return other.id == baseline.id; }))
        throw InputError("baseline '" + baseline.id + "' is given twice");
      baselines.push_back(std::move(baseline));
    } catch (const normalize::BaselineError &error) {
      throw InputError(error.what());
    }
  }
  return baselines;
}

void normalize_report(report::Report &report, const std::vector<normalize::Baseline> &baselines,
                      const std::string &kind) {
  normalize::Options options;
  options.method_version = report::kMethodVersion;
  check_baseline_kind(kind);
  options.kind = normalize::parse_kind(kind);
  report.baselines.clear();
  for (const auto &baseline : baselines) report.baselines.push_back({baseline.id, baseline.version, baseline.sha256});
  for (auto &row : report.results) row.normalized = normalize::normalize(row, baselines, options);
  report.summary = summarize(report);
}

report::Summary summarize(const report::Report &report) {
  report::Summary summary;
  for (const auto &row : report.results) ++summary.counts[std::string(status_name(row.status))];
  auto scores = normalize::score(report.results);
  summary.scores = std::move(scores.scores);
  summary.left_out = std::move(scores.left_out);
  return summary;
}

}  // namespace sits::cli
