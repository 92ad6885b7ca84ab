// SPDX-License-Identifier: Apache-2.0
//
// Right before fast: when which outputs are checked, and what comes of it (docs/method.md §4). The oracle itself is
// microbench's; here it is a callback.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <vector>

#include "harness/measure/result.h"
#include "microbench/oracle.h"

namespace sits::verify {

enum class When {
  before_timing,  // after the first, poisoned iterations
  after_timing,   // after the timed batches, on one more like them, poisoned just before
};

/// Which copies' outputs to check: the current one (the reference kept from an earlier check serves again), and, when
/// the run has gone round, the one before it, so that a backend that computes one copy only is caught.
/// copies: how many there are (0 counts as 1); iterations: how many have run since the outputs were poisoned.
std::vector<std::uint32_t> copies_to_check(std::uint32_t current_copy, std::uint32_t copies, std::uint64_t iterations);

/// Checks one copy; may throw anything.
using CheckCopy = std::function<microbench::Verification(std::uint32_t copy)>;

struct Outcome {
  Status status = Status::ok;                // ok, incorrect, or failed
  std::optional<Reason> reason;              // "wrong_output", "not_verified"
  std::optional<VerificationRecord> record;  // of everything that was checked; absent when nothing was
  std::exception_ptr cause;                  // of not_verified: what the oracle or the read threw
};

/// Checks the copies one after the other; stops at the first that is wrong. What `check` throws ends here, as `failed`
/// with the reason "not_verified": a case that could not be verified has no number, and the run goes on.
Outcome check_outputs(When when, const std::vector<std::uint32_t> &copies, const CheckCopy &check);

/// The verdict of both checks: the first one that is not ok, and one record for all comparisons made.
Outcome combine(const Outcome &before, const Outcome &after);

VerificationRecord record_of(const microbench::Verification &verification);

}  // namespace sits::verify
