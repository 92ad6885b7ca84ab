// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/assemble.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "harness/cli/build_info.h"
#include "harness/cli/command.h"
#include "harness/cli/device_info.h"
#include "harness/normalize/baseline.h"
#include "harness/worker/host_facts.h"

namespace sits::cli {
namespace {

std::string utc(const char *format) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format(fmt::runtime(format), fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

std::string plural(std::size_t count, const std::string &noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string span_text(double seconds) {
  return seconds < 90 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.0f} min", seconds / 60);
}

std::uint32_t runs_in(const worker::RunPlan &plan) {
  std::uint32_t runs = 0;
  for (const auto &item : plan.items) runs = std::max(runs, item.run_index + 1);
  return runs;
}

/// The command as typed, paths shortened to their last part: a report names no folder of the user.
std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) {
    const auto equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const std::string head = equals == std::string::npos ? "" : word.substr(0, equals + 1);
    const std::string tail = equals == std::string::npos ? word : word.substr(equals + 1);
    const bool is_path = tail.starts_with('/') || tail.starts_with("./") || tail.starts_with("../");
    words.push_back(head + (is_path ? std::filesystem::path(tail).filename().string() : tail));
  }
  return words;
}

}  // namespace

microbench::Suite suite_of_cases(const std::vector<std::string> &ids) {
  microbench::Suite suite;
  suite.name = "command line";
  for (const std::string &id : ids) {
    try {
      const auto test_case = microbench::parse_id(id);
      microbench::validate(test_case);
      suite.cases.push_back({test_case, microbench::canonical_id(test_case), suite.effort, false});
    } catch (const microbench::CaseError &error) {
      throw UsageError("--case '" + id + "': " + error.what());
    }
  }
  return suite;
}

std::string unused_report_name() {
  const std::string stem = "report-" + utc("{:%Y%m%dT%H%M%SZ}");
  std::string name = stem + ".json";
  for (int i = 2; std::filesystem::exists(name); ++i) name = fmt::format("{}-{}.json", stem, i);
  if (::access(".", W_OK | X_OK) != 0)
    throw UsageError("the current folder cannot be written to; name the report with -o FILE or -o -");
  return name;
}

std::string plan_summary(const worker::RunPlan &plan) {
  std::string text = fmt::format("{} on {}, {}", plural(plan.cases.size(), "case"),
                                 plural(plan.devices.size(), "device"), plural(runs_in(plan), "run"));
  double budget_s = 0;
  for (const auto &item : plan.items) budget_s += plan.cases[item.test_case].policy.budget_ns / 1e9;
  const auto predicted = predicted_seconds(plan);
  text += predicted ? fmt::format(": about {}, within budgets of {}", span_text(*predicted), span_text(budget_s))
                    : fmt::format(": within budgets of {}", span_text(budget_s));
  return text;
}

void check_baseline_kind(const std::string &kind) {
  if (!kind.empty() && !normalize::parse_kind(kind))
    throw UsageError("--baseline-kind '" + kind + "' is unknown; kinds: measured, published, modelled");
}

std::string reproduce_prefix(const RunOptions &options) {
  std::string text = "sits run";
  for (const std::string &word : decisive_arguments(options))
    text += " " + (word.starts_with('/') ? std::filesystem::path(word).filename().string() : word);
  return text;
}

std::string utc_now() { return utc("{:%Y-%m-%dT%H:%M:%SZ}"); }

std::string new_run_id() {
  std::ifstream file("/proc/sys/kernel/random/uuid");
  std::string id;
  std::getline(file, id);
  if (id.size() != 36) throw std::runtime_error("cannot make a run id: /proc/sys/kernel/random/uuid is not readable");
  return id;
}

report::Report empty_report(const worker::RunPlan &plan, const RunOptions &options,
                            const std::vector<microbench::Suite> &suites) {
  report::Report report;
  report.run.command = command_line();
  for (const auto &suite : suites) report.run.suites.push_back({suite.name, suite.version, suite.sha256});
  report.run.tool = {kVersion, kGit};
  report.run.seed = plan.seed;
  report.run.order = options.plan.shuffle ? "shuffled" : "suite";
  report.run.runs = runs_in(plan);
  report.host = host_info(worker::host_facts());
  return report;
}

void add_devices(report::Report &report, const worker::RunPlan &plan, const std::map<std::string, plugin::Device> &seen,
                 const std::vector<worker::FinishedCase> &finished) {
  for (const auto &planned : plan.devices) {
    const auto found = seen.find(planned.id);
    auto info = device_info(planned.info, found == seen.end() ? planned.device : found->second);
    for (const auto &row : finished) {
      if (row.row.device != planned.id) continue;
      for (const auto &[kind, rate] : row.measured_peaks) {
        double &best = info.measured_peaks[kind];
        best = std::max(best, rate);
      }
    }
    if (info.backend == "cpu") report.host.effective_llc_bytes = info.llc_bytes;
    report.devices.push_back(std::move(info));
  }
}

}  // namespace sits::cli
