// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "harness/cli/command.h"
#include "harness/cli/files.h"
#include "harness/report/schema_check.h"
#include "harness/report/text.h"
#include "microbench/suite.h"

namespace sits::cli {
namespace {

/// What a schema cannot say, said by the reader that will use the file.
std::vector<std::string> semantic_errors(const std::string &schema, const std::string &text, const std::string &file) {
  if (schema != "suite") return {};
  try {
    microbench::parse_suite(text, file);
    return {};
  } catch (const microbench::SuiteError &error) {
    return {error.what()};
  }
}

int validate_files(const std::vector<std::string> &files) {
  bool all_valid = true;
  for (const std::string &file : files) {
    const std::string text = read_file(file);
    auto check = report::check_document(text);
    if (check.errors.empty()) check.errors = semantic_errors(check.schema, text, file);
    for (const std::string &error : check.errors) std::cerr << file << ": " << report::one_line(error) << '\n';
    if (check.errors.empty()) std::cout << file << ": valid " << check.schema << '\n';
    all_valid = all_valid && check.errors.empty();
  }
  return all_valid ? 0 : 6;
}

}  // namespace

void attach_validate(CLI::App &app, Action &action) {
  CLI::App *command =
      app.add_subcommand("validate", "Check reports, suites, baselines and device data by their schema");
  auto files = std::make_shared<std::vector<std::string>>();
  command->add_option("file", *files, "JSON files, - for standard input")->required();
  command->callback([&action, files] { action = [files] { return validate_files(*files); }; });
}

}  // namespace sits::cli
