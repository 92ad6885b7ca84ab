// SPDX-License-Identifier: Apache-2.0
//
// sits-gbench: every case of a suite as a Google Benchmark, registered at run time, run by the same workers, with the
// library's own flags, filter, repetitions and reporters. One repetition is one fresh worker process; the manual time
// of its one iteration is the headline latency, and the percentiles are counters.
#include <benchmark/benchmark.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "harness/cli/command.h"
#include "harness/cli/files.h"
#include "harness/cli/measuring.h"
#include "harness/cli/reports.h"
#include "harness/normalize/normalize.h"

namespace {

using sits::CaseResult;

struct Options {
  std::vector<std::string> suites;
  sits::cli::DeviceOptions which;
  sits::cli::PlanOptions plan;
};

void add_counters(benchmark::State &state, const CaseResult &row) {
  const auto &latency = row.timing->headline_statistics();
  state.counters["n"] = static_cast<double>(latency.n);
  state.counters["min_ns"] = latency.min;
  const auto optional_counter = [&](const char *name, const std::optional<double> &value) {
    if (value) state.counters[name] = *value;
  };
  optional_counter("p90_ns", latency.p90);
  optional_counter("p95_ns", latency.p95);
  optional_counter("p99_ns", latency.p99);
  if (row.rates) {
    optional_counter("flops_per_s", row.rates->flops_per_s);
    optional_counter("bytes_per_s", row.rates->bytes_per_s);
  }
  for (const auto &normalized : row.normalized)
    optional_counter(("x_" + normalized.baseline).c_str(), normalized.ratio);
}

void run_case(benchmark::State &state, const sits::worker::RunPlan &plan,
              const std::vector<sits::normalize::Baseline> &baselines) {
  for (auto _ : state) {
    auto outcome = sits::cli::execute(plan, {}, false);
    CaseResult row = std::move(outcome.finished.at(0).row);
    if (row.status != sits::Status::ok) {
      const std::string why =
          std::string(sits::status_name(row.status)) + (row.reason ? ": " + row.reason->message : "");
      state.SkipWithError(why.c_str());
      return;
    }
    row.normalized = sits::normalize::normalize(row, baselines);
    state.SetIterationTime(row.timing->headline_statistics().median * 1e-9);
    state.SetLabel(row.provider);
    add_counters(state, row);
  }
}

/// The plan of one case on one device, out of the plan of all.
sits::worker::RunPlan only(const sits::worker::RunPlan &all, const sits::worker::PlanItem &item) {
  sits::worker::RunPlan plan = all;
  plan.items = {item};
  return plan;
}

int run(int argc, char **argv) {
  Options options;
  CLI::App app{"SITS Bench as Google Benchmark: options that begin with --benchmark_ are the library's."};
  app.name("sits-gbench");
  app.allow_extras();
  app.add_option("--suite", options.suites, "Suite by name, or a file (repeatable; default: quick)");
  app.add_option("--provider", options.plan.provider, "Pin the provider");
  app.add_option("--seed", options.plan.seed, "Seed of the inputs");
  sits::cli::add_device_options(app, options.which);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  std::vector<std::string> words{argv[0]};
  for (const std::string &word : app.remaining()) words.push_back(word);
  std::vector<char *> rest;
  for (std::string &word : words) rest.push_back(word.data());
  int count = static_cast<int>(rest.size());
  benchmark::Initialize(&count, rest.data());
  if (benchmark::ReportUnrecognizedArguments(count, rest.data())) return 2;

  if (options.suites.empty()) options.suites = {"quick"};
  std::vector<sits::microbench::Suite> suites;
  for (const std::string &name : options.suites) suites.push_back(sits::cli::load_suite(name));
  options.plan.runs = 1;
  const auto baselines = sits::cli::load_baselines({});
  const auto plan = sits::cli::make_plan(
      suites, sits::cli::choose_devices(sits::cli::find_backends(options.which), options.which), options.plan);
  for (const auto &item : plan.items)
    benchmark::RegisterBenchmark((plan.cases[item.test_case].id + "/" + plan.devices[item.device].id).c_str(),
                                 [&, item](benchmark::State &state) { run_case(state, only(plan, item), baselines); })
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMicrosecond);
  benchmark::AddCustomContext("sits_suite", options.suites.front());
  return benchmark::RunSpecifiedBenchmarks() == 0 ? 2 : 0;
}

}  // namespace

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const sits::cli::NothingAvailable &error) {
    std::cerr << "sits-gbench: " << error.what() << '\n';
    return 5;
  } catch (const sits::cli::InputError &error) {
    std::cerr << "sits-gbench: " << error.what() << '\n';
    return 6;
  } catch (const std::exception &error) {
    std::cerr << "sits-gbench: " << error.what() << '\n';
    return 2;
  }
}
