// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/run_options.h"

#include <CLI/CLI.hpp>

#include "harness/cli/command.h"
#include "microbench/suite.h"

namespace sits::cli {

void add_run_options(CLI::App &app, RunOptions &options) {
  app.add_option("--suite", options.suites, "Suite by name, or a file (repeatable; default: quick)")
      ->type_name("S|FILE");
  app.add_option("--case", options.cases, "One case by its canonical id (repeatable; instead of a suite)")
      ->type_name("ID");
  app.add_option("--filter", options.plan.filter, "Only case ids that match this regular expression")
      ->type_name("REGEX");
  add_device_options(app, options.which);
  app.add_flag("--concurrent", options.concurrent, "Load all chosen devices at once");
  app.add_option("--runs", options.plan.runs, "Fresh processes per case (default: as the suite says)")
      ->check(CLI::Range(1u, 1000u))
      ->type_name("R");
  app.add_option("--baseline", options.baselines, "Baseline by name, or a file (repeatable; default: both H100)")
      ->type_name("B|FILE");
  app.add_option("--baseline-kind", options.baseline_kind, "Only values of this kind: measured, published, modelled")
      ->type_name("KIND");
  app.add_option("--provider", options.plan.provider, "Pin the provider, e.g. onednn, openblas, sits")->type_name("P");
  app.add_option("--budget", options.budget, "Time budget of each case, e.g. 60s or 500ms")->type_name("TIME");
  app.add_option("--seed", options.plan.seed, "Seed of the inputs and of --shuffle")
      ->type_name("N")
      ->capture_default_str();
  app.add_flag("--shuffle", options.plan.shuffle, "Random order of cases, by the seed");
  app.add_option("-o,--output", options.output, "Report file, - for standard output (default: report-<time>.json)")
      ->type_name("FILE|-");
  app.add_flag("--force", options.force, "Replace an existing output file and its journal");
  app.add_flag("--resume", options.resume, "Continue the killed or interrupted run whose output -o names");
  app.add_flag("--dry-run", options.dry_run, "Print what would run and how long it may take");
  app.add_flag("--anonymize", options.anonymize, "Hash host name, uuids and PCI addresses in the report");
  app.add_flag("--no-lock", options.no_lock, "Run beside other runs on this machine, which may disturb each other");
  app.add_flag("--quiet", options.quiet, "No progress on standard error");
}

void complete(RunOptions &options) {
  if (!options.cases.empty() && !options.suites.empty()) throw UsageError("--case and --suite contradict each other");
  if (options.suites.empty() && options.cases.empty()) options.suites = {"quick"};
  if (options.resume && options.force) throw UsageError("--resume and --force contradict each other");
  if (options.resume && options.output.empty())
    throw UsageError("--resume needs -o FILE: the output of the run to continue");
  if (options.concurrent && options.plan.shuffle)
    throw UsageError("--concurrent and --shuffle contradict each other: devices run the same case at once");
  if (options.plan.provider && options.plan.provider->empty()) throw UsageError("--provider is empty; name one");
  if (options.budget.empty()) return;
  try {
    options.plan.budget_ns = microbench::parse_duration(options.budget);
  } catch (const microbench::CaseError &error) {
    throw UsageError(std::string("--budget: ") + error.what());
  }
  if (*options.plan.budget_ns <= 0) throw UsageError("--budget '" + options.budget + "' must be above 0");
}

std::vector<std::string> decisive_arguments(const RunOptions &options) {
  std::vector<std::string> arguments;
  const auto add = [&](const std::string &name, const std::string &value) {
    arguments.push_back(name);
    arguments.push_back(value);
  };
  for (const auto &plugin : options.which.plugins) add("--plugin", plugin);
  if (options.which.threads) add("--threads", std::to_string(*options.which.threads));
  if (!options.which.cpus.empty()) add("--cpus", options.which.cpus);
  if (!options.which.numa.empty()) add("--numa", options.which.numa);
  if (options.plan.provider) add("--provider", *options.plan.provider);
  return arguments;
}

}  // namespace sits::cli
