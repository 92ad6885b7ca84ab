// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/cli/command.h"
#include "harness/cli/device_info.h"
#include "harness/cli/devices_of.h"
#include "harness/cli/files.h"
#include "harness/cli/reports.h"
#include "harness/normalize/lookup.h"
#include "harness/report/quantity.h"
#include "harness/report/text.h"
#include "sits/dtype.h"

namespace sits::cli {
namespace {

struct ExplainOptions {
  std::string id;
  DeviceOptions which;
  std::vector<std::string> baselines;
};

/// A case by its id, or by a regular expression that matches exactly one case of our suites.
microbench::Case find_case(const std::string &text) {
  std::string problem;
  try {
    return microbench::parse_id(text);
  } catch (const microbench::CaseError &error) {
    problem = error.what();
  }
  std::vector<std::string> ids;
  for (const std::string &suite : suite_names())
    for (const auto &entry : load_suite(suite).cases) ids.push_back(entry.id);
  const std::string near = microbench::nearest(text, ids);
  throw UsageError("'" + report::one_line(text) + "' is not a case: " + problem +
                   (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

void print_work(const microbench::Case &test_case, const microbench::WorkModel &work) {
  std::cout << "Work of one iteration\n";
  if (work.flops > 0) fmt::print("  operations      {:.6g}\n", work.flops);
  fmt::print("  bytes read      {:.6g}\n  bytes written   {:.6g}\n", work.bytes_read, work.bytes_written);
  if (!work.bytes_convention.empty())
    fmt::print("  bytes counted   {:.6g} ({})\n", work.bytes_counted, work.bytes_convention);
  if (work.bus_factor > 0) fmt::print("  bus factor      {:.4g}\n", work.bus_factor);
  fmt::print("  footprint       {}\n", report::bytes_text(work.footprint_bytes));
  if (work.flops > 0 && work.bytes_total() > 0)
    fmt::print("  intensity       {:.4g} operations per byte\n", work.flops / work.bytes_total());
  std::cout << "Parameters\n";
  const nlohmann::json parameters = microbench::parameters(test_case);
  for (const auto &[key, value] : parameters.items()) std::cout << "  " << key << ": " << value.dump() << '\n';
}

void print_roofs(const microbench::Case &test_case, const microbench::WorkModel &work,
                 const report::DeviceInfo &device) {
  std::cout << "Roofs of " << device.id << " (" << report::one_line(device.name) << ")\n";
  const std::string type = dtype_name(microbench::roof_type(test_case));
  bool any = false;
  for (const auto &peak : device.peaks) {
    if (peak.type != type || work.flops <= 0) continue;
    fmt::print("  compute         {} ({} {}, {}): at least {}\n", report::rate_text(peak.ops_per_s, "FLOP/s"), type,
               peak.unit, peak.source, report::time_text(work.flops / peak.ops_per_s * 1e9));
    any = true;
  }
  if (device.bandwidth_bytes_per_s) {
    fmt::print("  memory          {}: at least {}\n", report::rate_text(*device.bandwidth_bytes_per_s, "B/s"),
               report::time_text(work.bytes_total() / *device.bandwidth_bytes_per_s * 1e9));
    any = true;
  }
  if (!any) std::cout << "  not known before a run: the device states neither; 'sits run' measures them\n";
}

void print_baseline(const normalize::Baseline &baseline, const microbench::Case &test_case) {
  const auto found = normalize::find(baseline, test_case);
  std::cout << "Baseline " << baseline.id << '\n';
  if (!found.reference) {
    std::cout << "  none: " << found.reason << '\n';
    return;
  }
  const auto &reference = *found.reference;
  fmt::print("  value           {} ± {} ({}, {} latency)\n", report::time_text(reference.value_ns),
             report::percent_text(reference.uncertainty), normalize::kind_name(reference.kind),
             normalize::convention_name(reference.convention));
  std::cout << "  source          " << reference.source << '\n';
  if (!reference.note.empty()) std::cout << "  note            " << reference.note << '\n';
}

int explain(const ExplainOptions &options) {
  const auto test_case = find_case(options.id);
  const std::string id = microbench::canonical_id(test_case);
  const auto baselines = load_baselines(options.baselines);
  const auto devices = choose_devices(find_backends(options.which), options.which);
  std::cout << id << '\n';
  const auto work = microbench::work_model(test_case);
  print_work(test_case, work);
  for (const auto &device : devices) print_roofs(test_case, work, device_info(device.info, device.device));
  for (const auto &baseline : baselines) print_baseline(baseline, test_case);
  for (const auto &device : devices)
    std::cout << "Reproduce\n  sits run --device " << device.id << " --case " << id << '\n';
  return 0;
}

}  // namespace

void attach_explain(CLI::App &app, Action &action) {
  CLI::App *command =
      app.add_subcommand("explain", "Work, roofs, baseline values and the command that reproduces a case");
  auto options = std::make_shared<ExplainOptions>();
  command->add_option("case", options->id, "Canonical id, as 'sits list --suite quick' prints them")->required();
  add_device_options(*command, options->which);
  command->add_option("--baseline", options->baselines, "Baseline by name, or a file (repeatable)")
      ->type_name("B|FILE");
  command->callback([&action, options] { action = [options] { return explain(*options); }; });
}

}  // namespace sits::cli
