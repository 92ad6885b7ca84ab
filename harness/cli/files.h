// SPDX-License-Identifier: Apache-2.0
//
// Files that subcommands read and write by name.
#pragma once

#include <string>
#include <vector>

#include "microbench/suite.h"

namespace sits::cli {

/// Folders of an installed or built tree, next to the executable.
struct Installation {
  std::string executable;  // real path
  std::string suites;      // share/sits/suites
  std::string baselines;   // share/sits/baselines
};
const Installation &installation();

/// The whole file; throws UsageError naming the path and the system's reason. "-" reads standard input.
std::string read_file(const std::string &path);

/// Writes the whole text through a temporary file and rename, or to standard output for "-".
/// Throws std::runtime_error naming the path and the reason.
void write_output(const std::string &path, const std::string &text);

/// Throws UsageError when `path` cannot become an output: its folder is missing or not writable, it exists and `force`
/// is not set, or it is a folder. "-" is fine.
void check_output(const std::string &path, bool force);

/// Names of the suites that come with the program, sorted.
std::vector<std::string> suite_names();

/// A suite by name ("quick") or by file. Throws UsageError with the nearest name.
microbench::Suite load_suite(const std::string &name_or_file);

/// Names of the baselines that come with the program, sorted.
std::vector<std::string> baseline_names();

/// Text of a baseline by name or file. Throws InputError (exit 6).
std::string baseline_text(const std::string &name_or_file);

}  // namespace sits::cli
