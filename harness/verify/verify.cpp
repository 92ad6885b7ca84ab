// SPDX-License-Identifier: Apache-2.0
#include "harness/verify/verify.h"

#include <cmath>
#include <limits>
#include <string>

namespace sits::verify {
namespace {

std::string where(When when, std::uint32_t copy) {
  return std::string(when == When::before_timing ? "before timing" : "after the last timed batch") + ", copy " +
         std::to_string(copy);
}

/// How much of its tolerance an error uses up; an error where none is allowed counts as infinite.
double strain(const VerificationRecord &r) {
  if (r.max_rel_error == 0) return 0;
  return r.tolerance > 0 ? r.max_rel_error / r.tolerance : std::numeric_limits<double>::infinity();
}

VerificationRecord merged(const VerificationRecord &a, const VerificationRecord &b) {
  VerificationRecord all = strain(b) > strain(a) ? b : a;
  all.method = a.method;
  all.checked = a.checked + b.checked;
  all.mismatches = a.mismatches + b.mismatches;
  all.first_mismatch = a.first_mismatch.empty() ? b.first_mismatch : a.first_mismatch;
  return all;
}

std::optional<VerificationRecord> merged(const std::optional<VerificationRecord> &a,
                                         const std::optional<VerificationRecord> &b) {
  if (!a || !b) return a ? a : b;
  return merged(*a, *b);
}

Outcome not_verified(const std::string &message, std::optional<VerificationRecord> so_far, std::exception_ptr cause) {
  return {Status::failed, Reason{"not_verified", message}, std::move(so_far), std::move(cause)};
}

}  // namespace

VerificationRecord record_of(const microbench::Verification &verification) {
  return {.method = verification.method,
          .checked = verification.checked,
          .mismatches = verification.mismatches,
          // The largest error beside a NaN is no smaller than any other.
          .max_rel_error = std::isnan(verification.max_rel_error) ? std::numeric_limits<double>::infinity()
                                                                  : verification.max_rel_error,
          .tolerance = verification.tolerance,
          .first_mismatch = verification.first_mismatch};
}

std::vector<std::uint32_t> copies_to_check(std::uint32_t current_copy, std::uint32_t copies, std::uint64_t iterations) {
  std::vector<std::uint32_t> chosen = {current_copy};
  if (copies >= 2 && iterations >= 2) chosen.push_back((current_copy + copies - 1) % copies);
  return chosen;
}

Outcome check_outputs(When when, const std::vector<std::uint32_t> &copies, const CheckCopy &check) {
  Outcome outcome;
  for (const std::uint32_t copy : copies) {
    microbench::Verification verification;
    try {
      verification = check(copy);
    } catch (const std::exception &e) {
      return not_verified(where(when, copy) + ": " + e.what(), outcome.record, std::current_exception());
    } catch (...) {
      return not_verified(where(when, copy) + ": unknown error", outcome.record, std::current_exception());
    }
    outcome.record = merged(outcome.record, record_of(verification));
    if (verification.mismatches > 0) {
      outcome.status = Status::incorrect;
      outcome.reason = Reason{"wrong_output", where(when, copy) + ": " + std::to_string(verification.mismatches) +
                                                  " of " + std::to_string(verification.checked) +
                                                  " checks failed, first " + verification.first_mismatch};
      return outcome;
    }
    if (!verification.ok()) return not_verified(where(when, copy) + ": nothing was checked", outcome.record, nullptr);
  }
  if (copies.empty()) return not_verified("no copy to check", std::nullopt, nullptr);
  return outcome;
}

Outcome combine(const Outcome &before, const Outcome &after) {
  Outcome outcome = before.status != Status::ok ? before : after;
  outcome.record = merged(before.record, after.record);
  return outcome;
}

}  // namespace sits::verify
