// SPDX-License-Identifier: Apache-2.0
//
// The exit codes of the program (docs/method.md §9): fixed, never a count.
#pragma once

#include <span>

#include "harness/measure/result.h"

namespace sits {

inline constexpr int kExitOk = 0;
inline constexpr int kExitGateFailed = 1;    // slower
inline constexpr int kExitUsage = 2;         // before any device is touched
inline constexpr int kExitWrong = 3;         // incorrect or implausible
inline constexpr int kExitFailed = 4;        // failed, oom, device_lost, crashed, timeout; or the report is not written
inline constexpr int kExitNothingRan = 5;    // everything unavailable, unsupported or skipped
inline constexpr int kExitIncomparable = 6;  // baseline or report missing, invalid or incomparable
inline constexpr int kExitInterrupted = 130;

/// Of a run, from the statuses of its rows: 130 when the run or a row was interrupted, else the lowest of 3, 4 and 5
/// that applies, else 0. 5 applies when nothing is ok and nothing went wrong either; so to no rows at all.
int exit_code_of(std::span<const Status> statuses, bool interrupted);
int exit_code_of(std::span<const CaseResult> rows, bool interrupted);

}  // namespace sits
