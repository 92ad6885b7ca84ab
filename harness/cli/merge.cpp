// SPDX-License-Identifier: Apache-2.0
#include "harness/report/merge.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "harness/cli/command.h"
#include "harness/cli/files.h"
#include "harness/cli/reports.h"

namespace sits::cli {
namespace {

struct MergeOptions {
  std::vector<std::string> files;
  std::string output = "-";
  bool force = false;
};

int merge_files(const MergeOptions &options) {
  check_output(options.output, options.force);
  std::vector<report::Report> reports;
  for (const std::string &file : options.files) reports.push_back(load_report(file));
  report::Report merged;
  try {
    merged = report::merge(reports, summarize);
  } catch (const report::MergeError &error) {
    throw InputError(error.what());
  }
  deliver_report(merged, options.output);
  if (options.output != "-") std::cerr << "report: " << options.output << '\n';
  return 0;
}

}  // namespace

void attach_merge(CLI::App &app, Action &action) {
  CLI::App *command = app.add_subcommand("merge", "Join the reports of several machines into one");
  auto options = std::make_shared<MergeOptions>();
  command->add_option("file", options->files, "Two or more report.json")->required()->expected(2, 10000);
  command->add_option("-o,--output", options->output, "Output file, - for standard output")->type_name("FILE|-");
  command->add_flag("--force", options->force, "Replace an existing output file");
  command->callback([&action, options] { action = [options] { return merge_files(*options); }; });
}

}  // namespace sits::cli
