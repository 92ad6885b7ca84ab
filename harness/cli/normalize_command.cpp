// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "harness/cli/command.h"
#include "harness/cli/files.h"
#include "harness/cli/reports.h"

namespace sits::cli {
namespace {

struct NormalizeOptions {
  std::string file, kind, output = "-";
  std::vector<std::string> baselines;
  bool force = false;
};

int normalize_file(const NormalizeOptions &options) {
  check_output(options.output, options.force);
  auto report = load_report(options.file);
  normalize_report(report, load_baselines(options.baselines), options.kind);
  deliver_report(report, options.output);
  if (options.output != "-") std::cerr << "report: " << options.output << '\n';
  return 0;
}

}  // namespace

void attach_normalize(CLI::App &app, Action &action) {
  CLI::App *command = app.add_subcommand("normalize", "Recompute the ratios of a report against other baselines");
  auto options = std::make_shared<NormalizeOptions>();
  command->add_option("file", options->file, "report.json, - for standard input")->required();
  command->add_option("--baseline", options->baselines, "Baseline by name, or a file (repeatable; default: both H100)")
      ->type_name("B|FILE");
  command->add_option("--baseline-kind", options->kind, "Only values of this kind: measured, published, modelled")
      ->type_name("KIND");
  command->add_option("-o,--output", options->output, "Output file, - for standard output")->type_name("FILE|-");
  command->add_flag("--force", options->force, "Replace an existing output file");
  command->callback([&action, options] { action = [options] { return normalize_file(*options); }; });
}

}  // namespace sits::cli
