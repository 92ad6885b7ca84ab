// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/cli/command.h"
#include "harness/cli/files.h"
#include "harness/cli/plan.h"

namespace sits::cli {
namespace {

struct ListOptions {
  std::vector<std::string> suites;
  std::string filter;
  bool json = false;
};

int list_everything() {
  std::cout << "Suites\n";
  for (const std::string &name : suite_names()) {
    const auto suite = load_suite(name);
    std::cout << "  " << name << "  " << suite.cases.size() << " cases  " << suite.description << '\n';
  }
  std::cout << "Baselines\n";
  for (const std::string &name : baseline_names()) std::cout << "  " << name << '\n';
  std::cout << "'sits list --suite NAME' prints the cases of a suite.\n";
  return 0;
}

int list_cases(const ListOptions &options) {
  std::vector<microbench::Suite> suites;
  for (const std::string &name : options.suites) suites.push_back(load_suite(name));
  const auto cases = chosen_cases(suites, options.filter);
  if (!options.json) {
    for (const auto &entry : cases) std::cout << entry.id << '\n';
    return 0;
  }
  auto document = nlohmann::ordered_json::array();
  for (const auto &entry : cases)
    document.push_back(
        {{"id", entry.id}, {"required", entry.required}, {"parameters", microbench::parameters(entry.test_case)}});
  std::cout << document.dump(2) << '\n';
  return 0;
}

}  // namespace

void attach_list(CLI::App &app, Action &action) {
  CLI::App *command = app.add_subcommand("list", "List suites and baselines, or the cases of a suite");
  auto options = std::make_shared<ListOptions>();
  command->add_option("--suite", options->suites, "Suite by name, or a file (repeatable)")->type_name("S|FILE");
  command->add_option("--filter", options->filter, "Only case ids that match this regular expression")
      ->type_name("REGEX");
  command->add_flag("--json", options->json, "As JSON, with every parameter");
  command->callback([&action, options] {
    action = [options] {
      if (options->suites.empty() && options->filter.empty() && !options->json) return list_everything();
      if (options->suites.empty()) options->suites = suite_names();
      return list_cases(*options);
    };
  });
}

}  // namespace sits::cli
