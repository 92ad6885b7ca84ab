// SPDX-License-Identifier: Apache-2.0
//
// A report on disk: report.json and, beside it, its raw samples.
#pragma once

#include <filesystem>
#include <string>

#include "harness/report/model.h"

namespace sits::report {

/// "x/run.json" -> "x/run.samples"
std::filesystem::path samples_path(const std::filesystem::path &report_path);

/// Writes the samples file (when any row has samples), sets `report.samples`, then writes the report; each atomically.
/// The samples come first, so that a report never names a file that is not there. Throws FileError, JsonError.
void save_report(Report &report, const std::filesystem::path &path);

struct LoadedReport {
  Report report;                // raw samples attached when there are any
  std::string samples_problem;  // why the samples that the report names are not there, "" when they are
};

/// Throws FileError, and JsonError with the path in front of its message. Samples that are missing, altered or
/// unreadable are no failure: the report stands without them.
LoadedReport load_report(const std::filesystem::path &path);

}  // namespace sits::report
