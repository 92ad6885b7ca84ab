// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/suggest.h"

#include <CLI/CLI.hpp>

#include "harness/report/text.h"
#include "microbench/suite.h"

namespace sits::cli {
namespace {

std::vector<std::string> command_names(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::App *sub : app.get_subcommands([](const CLI::App *) { return true; }))
    if (!sub->get_group().empty()) names.push_back(sub->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

const CLI::App *chosen(const CLI::App &app, const std::string &name) {
  for (const CLI::App *sub : app.get_subcommands([](const CLI::App *) { return true; }))
    if (sub->get_name() == name) return sub;
  return nullptr;
}

std::string did_you_mean(const std::string &word, const std::vector<std::string> &known) {
  const std::string near = microbench::nearest(word, known);
  return near.empty() ? "" : "; did you mean '" + near + "'?";
}

std::string listed(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::string explain_parse_error(const CLI::App &app, const CLI::ParseError &error, int argc, const char *const *argv) {
  const auto commands = command_names(app);
  if (argc < 2) return "a command is needed: " + listed(commands) + ". Try 'sits --help'.";
  const std::string first = argv[1];
  const CLI::App *command = chosen(app, first);
  if (command == nullptr) {
    if (first.starts_with("-"))
      return "unknown option '" + report::one_line(first) + "' before a command; commands: " + listed(commands) +
             ". Try 'sits --help'.";
    return "unknown command '" + report::one_line(first) + "'" + did_you_mean(first, commands) +
           " Commands: " + listed(commands) + ".";
  }
  const std::string help = " Try 'sits " + first + " --help'.";
  const auto options = option_names(*command);
  for (int i = 2; i < argc; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string_view(argv[i]).find('='));
    if (!word.starts_with("--") || word == "--") continue;
    if (std::ranges::find(options, word) == options.end())
      return "unknown option '" + report::one_line(word) + "' of 'sits " + first + "'" + did_you_mean(word, options) +
             help;
  }
  return report::one_line(error.what()) + "." + help;
}

}  // namespace sits::cli
