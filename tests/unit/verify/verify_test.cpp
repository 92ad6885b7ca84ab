// SPDX-License-Identifier: Apache-2.0
#include "harness/verify/verify.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace sits::verify {
namespace {

using microbench::Verification;
using Copies = std::vector<std::uint32_t>;

Verification right() {
  Verification v;
  v.method = "sampled";
  v.checked = 100;
  v.max_rel_error = 1e-4;
  v.tolerance = 1e-3;
  return v;
}

Verification wrong() {
  Verification v = right();
  v.mismatches = 2;
  v.max_rel_error = 1;
  v.first_mismatch = "C[17,3]: got 0, expected 1.25";
  return v;
}

TEST(CopiesToCheck, are_the_current_one_and_the_one_before) {
  EXPECT_EQ(copies_to_check(0, 1, 1), Copies{0});
  EXPECT_EQ(copies_to_check(0, 0, 50), Copies{0});
  EXPECT_EQ(copies_to_check(2, 4, 1), Copies{2});  // the others are still poisoned
  EXPECT_EQ(copies_to_check(2, 4, 2), (Copies{2, 1}));
  EXPECT_EQ(copies_to_check(0, 4, 100), (Copies{0, 3}));
}

TEST(Check, of_right_outputs_is_ok_and_counts_all_checks) {
  const Outcome o = check_outputs(When::before_timing, {0, 3}, [](auto) { return right(); });
  EXPECT_EQ(o.status, Status::ok);
  EXPECT_FALSE(o.reason);
  EXPECT_EQ(o.record->checked, 200u);
  EXPECT_EQ(o.record->method, "sampled");
}

TEST(Check, of_a_wrong_copy_is_incorrect_and_says_where) {
  Copies seen;
  const Outcome o = check_outputs(When::after_timing, {2, 1, 0}, [&](std::uint32_t copy) {
    seen.push_back(copy);
    return copy == 1 ? wrong() : right();
  });
  EXPECT_EQ(o.status, Status::incorrect);
  EXPECT_EQ(o.reason->code, "wrong_output");
  EXPECT_EQ(o.reason->message,
            "after the last timed batch, copy 1: 2 of 100 checks failed, first C[17,3]: got 0, expected 1.25");
  EXPECT_EQ(o.record->mismatches, 2u);
  EXPECT_EQ(o.record->max_rel_error, 1);
  EXPECT_EQ(seen, (Copies{2, 1}));
}

TEST(Check, contains_what_the_oracle_throws) {
  const Outcome o = check_outputs(When::before_timing, {0}, [](auto) -> Verification { throw std::bad_alloc(); });
  EXPECT_EQ(o.status, Status::failed);
  EXPECT_EQ(o.reason->code, "not_verified");
  EXPECT_FALSE(o.record);
  EXPECT_THROW(std::rethrow_exception(o.cause), std::bad_alloc);
  const Outcome other = check_outputs(When::before_timing, {0}, [](auto) -> Verification { throw 7; });
  EXPECT_EQ(other.reason->code, "not_verified");
}

TEST(Check, that_compared_nothing_verified_nothing) {
  EXPECT_EQ(check_outputs(When::before_timing, {0}, [](auto) { return Verification{}; }).reason->code, "not_verified");
  EXPECT_EQ(check_outputs(When::before_timing, {}, [](auto) { return right(); }).reason->code, "not_verified");
}

TEST(Check, of_an_operation_without_outputs_is_ok) {
  const auto launch = [](auto) {
    Verification v;
    v.method = "none";
    return v;
  };
  EXPECT_EQ(check_outputs(When::before_timing, {0}, launch).status, Status::ok);
}

TEST(Combined, verdict_is_the_first_that_is_not_ok) {
  const auto at = [](When when, const Verification &v) { return check_outputs(when, {0}, [&](auto) { return v; }); };
  const Outcome good = at(When::before_timing, right());
  const Outcome noop = at(When::after_timing, wrong());  // ran before, does nothing after the warm-up
  EXPECT_EQ(combine(good, at(When::after_timing, right())).status, Status::ok);
  const Outcome o = combine(good, noop);
  EXPECT_EQ(o.status, Status::incorrect);
  EXPECT_EQ(o.record->checked, 200u);
  EXPECT_EQ(o.record->first_mismatch, "C[17,3]: got 0, expected 1.25");
}

TEST(Record, of_an_error_that_is_not_a_number_is_infinite) {
  Verification v = wrong();
  v.max_rel_error = std::nan("");
  EXPECT_EQ(record_of(v).max_rel_error, std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace sits::verify
