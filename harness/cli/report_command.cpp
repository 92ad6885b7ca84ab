// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>

#include "harness/cli/command.h"
#include "harness/cli/files.h"
#include "harness/cli/reports.h"
#include "harness/report/renderer.h"
#include "microbench/suite.h"

namespace sits::cli {
namespace {

struct ReportOptions {
  std::string file, format = "table", output = "-";
  bool force = false;
};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const auto &renderer : report::renderers()) names.emplace_back(renderer.name);
  return names;
}

std::string format_help() {
  std::string text;
  for (const auto &renderer : report::renderers())
    text += (text.empty() ? "" : ", ") + std::string(renderer.name) + " (" + std::string(renderer.description) + ")";
  return text;
}

const report::Renderer &renderer_named(const std::string &name) {
  if (const auto *renderer = report::find_renderer(name)) return *renderer;
  const std::string near = microbench::nearest(name, format_names());
  throw UsageError("unknown format '" + name + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?") +
                   " Formats: " + format_help() + ".");
}

int print_report(const ReportOptions &options) {
  const auto &renderer = renderer_named(options.format);
  check_output(options.output, options.force);
  const report::Report loaded = load_report(options.file);
  write_output(options.output,
               renderer.render(loaded, options.output == "-" ? terminal_options() : report::RenderOptions{}));
  return 0;
}

}  // namespace

void attach_report(CLI::App &app, Action &action) {
  CLI::App *command = app.add_subcommand("report", "Print a report in another form");
  auto options = std::make_shared<ReportOptions>();
  command->add_option("file", options->file, "report.json, - for standard input")->required();
  command->add_option("--format", options->format, format_help())->type_name("F")->capture_default_str();
  command->add_option("-o,--output", options->output, "Output file, - for standard output")->type_name("FILE|-");
  command->add_flag("--force", options->force, "Replace an existing output file");
  command->callback([&action, options] { action = [options] { return print_report(*options); }; });
}

}  // namespace sits::cli
