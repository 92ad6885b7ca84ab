// SPDX-License-Identifier: Apache-2.0
//
// Reports the tests are about, and the files they are compared with.
#pragma once

#include <filesystem>
#include <string>

#include "harness/report/model.h"

namespace sits::report::testing {

/// A simulated device, every kind of row once. results_schema/examples/report.json is made from it.
Report example_report();

/// As a machine of its own would have measured it.
Report example_report_of(const std::string &run_id, const std::string &hostname);

/// Every text of the example replaced by `text`.
Report with_every_text(const std::string &text);

/// Whether golden files are to be written instead of compared: SITS_REGENERATE_GOLDEN in the environment.
bool regenerating();

/// Compares with a golden file, or writes it.
void expect_golden(const std::filesystem::path &file, const std::string &text);

/// An empty folder, removed at the end.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;
  const std::filesystem::path &path() const { return path_; }
  std::size_t entries() const;

 private:
  std::filesystem::path path_;
};

}  // namespace sits::report::testing
