// SPDX-License-Identifier: Apache-2.0
//
// `sits run`: everything that can be wrong is found before a device is measured; then the plan runs in workers, every
// finished case goes to the journal, and the report is written whole at the end.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "harness/cli/assemble.h"
#include "harness/cli/command.h"
#include "harness/cli/files.h"
#include "harness/cli/measuring.h"
#include "harness/cli/reports.h"
#include "harness/cli/run_options.h"
#include "harness/measure/exit_code.h"
#include "harness/report/anonymize.h"
#include "harness/report/renderer.h"
#include "harness/worker/journal.h"
#include "harness/worker/machine_lock.h"

namespace sits::cli {
namespace {

std::vector<microbench::Suite> load_suites(const RunOptions &options) {
  std::vector<microbench::Suite> suites;
  for (const std::string &name : options.suites) suites.push_back(load_suite(name));
  if (!options.cases.empty()) suites.push_back(suite_of_cases(options.cases));
  return suites;
}

std::string output_of(const RunOptions &options) {
  if (options.output.empty()) return unused_report_name();
  if (!options.resume) check_output(options.output, options.force);
  return options.output;
}

void print_plan(const worker::RunPlan &plan) {
  for (const auto &item : plan.items)
    std::cout << "run " << item.run_index + 1 << "  " << plan.devices[item.device].id << "  "
              << plan.cases[item.test_case].id << '\n';
  std::cout << plan_summary(plan) << '\n';
}

/// Writes the report where it belongs; 0, or the exit code when that failed: then the journal remains.
int deliver(report::Report &report, const std::string &output, worker::Journal &journal) {
  try {
    deliver_report(report, output);
  } catch (const std::exception &error) {
    std::cerr << "sits: the report could not be written: " << error.what()
              << "\nsits: nothing measured is lost; the journal is " << journal.path()
              << "; free space or fix the folder, then the same command with --resume -o " << output << '\n';
    return kExitFailed;
  }
  if (report.run.interrupted)
    std::cerr << "sits: interrupted; the same command with --resume -o " << output << " continues\n";
  else
    journal.remove();
  return 0;
}

/// Before any device is touched: a run that is refused must not disturb the one that holds the machine.
std::unique_ptr<worker::MachineLock> lock_machine(const RunOptions &options) {
  if (options.no_lock || options.dry_run) return nullptr;
  try {
    return std::make_unique<worker::MachineLock>();
  } catch (const worker::MachineBusy &busy) {
    throw UsageError(busy.what());
  }
}

int run(RunOptions options) {
  complete(options);
  const auto suites = load_suites(options);
  chosen_cases(suites, options.plan.filter);  // an empty selection is an error before any device is asked
  const auto baselines = load_baselines(options.baselines);
  check_baseline_kind(options.baseline_kind);
  const std::string output = output_of(options);

  const auto lock = lock_machine(options);

  auto plan = make_plan(suites, choose_devices(find_backends(options.which), options.which), options.plan);
  plan.reproduce_prefix = reproduce_prefix(options);
  if (options.dry_run) {
    print_plan(plan);
    return 0;
  }
  auto measured = measure_plan(plan, options, suites, output);
  auto report = std::move(measured.report);
  normalize_report(report, baselines, options.baseline_kind);
  report.run.exit_code = exit_code_of(report.results, report.run.interrupted);
  if (options.anonymize) report::anonymize(report, report::random_salt());

  const int written = deliver(report, output, measured.journal);
  auto &people = output == "-" ? std::cerr : std::cout;
  people << report::render_table(report, output == "-" ? report::RenderOptions{} : terminal_options());
  if (written != 0) return report.run.interrupted ? report.run.exit_code : written;
  if (output != "-") people << "report: " << output << '\n';
  return report.run.exit_code;
}

}  // namespace

void attach_run(CLI::App &app, Action &action) {
  CLI::App *command = app.add_subcommand("run", "Measure, verify, normalize; write a report");
  command->footer(
      "Standard output carries the final table, or with '-o -' the JSON document alone; everything else goes to\n"
      "standard error. Example: sits run --suite quick --filter 'gemm/.*bf16' --device cpu:0 -o cpu.json");
  auto options = std::make_shared<RunOptions>();
  add_run_options(*command, *options);
  command->callback([&action, options] { action = [options] { return run(*options); }; });
}

}  // namespace sits::cli
