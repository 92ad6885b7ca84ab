// SPDX-License-Identifier: Apache-2.0
//
// Reports and baselines as commands use them.
#pragma once

#include <string>
#include <vector>

#include "harness/normalize/baseline.h"
#include "harness/report/model.h"
#include "harness/report/renderer.h"

namespace sits::cli {

/// A report by path ("-": standard input, without samples). Throws InputError (exit 6) with the path and the reason; a
/// side file that is missing or altered is said on standard error and the report stands without it.
report::Report load_report(const std::string &path);

/// Writes the report to standard output ("-", the document alone) or with its samples to a file.
void deliver_report(report::Report &report, const std::string &output);

/// Colour and width for standard output: neither unless it is a terminal; no colour with NO_COLOR.
report::RenderOptions terminal_options();

/// Baselines by name or file, `names` empty: the program's own. Throws InputError.
std::vector<normalize::Baseline> load_baselines(const std::vector<std::string> &names);

/// Sets every row's normalized[] and the report's baselines and summary anew. `kind`: only values of this kind, "" any.
void normalize_report(report::Report &report, const std::vector<normalize::Baseline> &baselines,
                      const std::string &kind);

/// Counts, means, overall scores and what was left out, from the rows as they stand.
report::Summary summarize(const report::Report &report);

}  // namespace sits::cli
