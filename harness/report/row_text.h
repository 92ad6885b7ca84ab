// SPDX-License-Identifier: Apache-2.0
//
// One result as people read it.
#pragma once

#include <string>
#include <vector>

#include "harness/report/model.h"
#include "harness/report/view.h"

namespace sits::report {

Tone tone_of(const CaseResult &row);

/// Latency with its statistic unless that is the median, ± the CI's wider half, rate, share of the roof; "-" where
/// there is none. Shown for ok and incorrect.
std::vector<std::string> measured_cells(const CaseResult &row);

/// The ratio to one baseline, "~" before a modelled one, "=" before one measured by this program; "-" when there is
/// none.
std::string ratio_cell(const CaseResult &row, const std::string &baseline);

/// Why there is no number, or the flags beside it.
std::string notes_cell(const CaseResult &row);

}  // namespace sits::report
