// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "harness/cli/command.h"
#include "harness/report/schema_check.h"
#include "microbench/suite.h"

namespace sits::cli {
namespace {

int print_schema(const std::string &name) {
  const auto &schemas = report::embedded_schemas();
  if (name.empty()) {
    for (const auto &[known, text] : schemas) std::cout << known << '\n';
    return 0;
  }
  const auto found = schemas.find(name);
  if (found == schemas.end()) {
    std::vector<std::string> names;
    for (const auto &[known, text] : schemas) names.push_back(known);
    const std::string near = microbench::nearest(name, names);
    throw UsageError("no schema '" + name + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?") +
                     " 'sits schema' lists them.");
  }
  std::cout << found->second;
  return 0;
}

}  // namespace

void attach_schema(CLI::App &app, Action &action) {
  CLI::App *command = app.add_subcommand("schema", "Print a JSON Schema, or the names of all");
  auto name = std::make_shared<std::string>();
  command->add_option("name", *name, "report, suite, baseline or devices");
  command->callback([&action, name] { action = [name] { return print_schema(*name); }; });
}

}  // namespace sits::cli
