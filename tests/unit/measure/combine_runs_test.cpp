// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/combine_runs.h"

#include <gtest/gtest.h>

#include <vector>

namespace sits {
namespace {

CaseResult run(double median, std::optional<Interval> ci = {}, const std::string &id = "a") {
  CaseResult r;
  r.id = id;
  r.device = "cpu:0";
  r.status = Status::ok;
  r.timing.emplace();
  r.timing->device_ns.n = 20;
  r.timing->device_ns.median = median;
  r.timing->device_ns.median_ci95 = ci;
  return r;
}

CombinedRuns combined(const std::vector<CaseResult> &rows) {
  std::vector<const CaseResult *> pointers;
  for (const CaseResult &row : rows) pointers.push_back(&row);
  return combine_runs(pointers);
}

TEST(CombineRuns, takes_the_median_of_the_run_medians) {
  const CombinedRuns c = combined({run(110, Interval{108, 111}), run(100, Interval{99, 101}), run(101)});
  EXPECT_EQ(c.median_ns, 101);
  EXPECT_DOUBLE_EQ(c.between_run_spread.value(), 10.0 / 101.0);
  EXPECT_EQ(c.ci95.value(), (Interval{99, 111}));
  EXPECT_EQ(c.runs_ok, 3u);
}

TEST(CombineRuns, of_one_run_know_nothing_between_runs) {
  const CombinedRuns c = combined({run(100, Interval{99, 101})});
  EXPECT_EQ(c.median_ns, 100);
  EXPECT_FALSE(c.between_run_spread);
  EXPECT_EQ(c.ci95.value(), (Interval{99, 101}));
}

TEST(CombineRuns, counts_bad_runs_and_uses_the_good_ones) {
  CaseResult bad = run(1);
  bad.status = Status::incorrect;
  CaseResult lost;
  lost.status = Status::crashed;
  const CombinedRuns c = combined({run(100), bad, lost, run(104)});
  EXPECT_EQ(c.median_ns, 102);
  EXPECT_EQ(c.runs_ok, 2u);
  EXPECT_EQ(c.runs_other, 2u);
}

TEST(CombineRuns, of_nothing_good_have_no_number) {
  const CombinedRuns c = combined({CaseResult{}});
  EXPECT_EQ(c.median_ns, 0);
  EXPECT_FALSE(c.between_run_spread || c.ci95);
}

TEST(CombineRuns, follows_a_headline_of_p95) {
  CaseResult r = run(100, Interval{99, 101});
  r.timing->headline_statistic = "p95";
  r.timing->device_ns.p95 = 120;
  const CombinedRuns c = combined({r});
  EXPECT_EQ(c.median_ns, 120);
  EXPECT_FALSE(c.ci95);  // the interval is of the median
}

TEST(BetweenRunSpread, is_set_per_case_and_device) {
  std::vector<CaseResult> rows = {run(100), run(110), run(50, {}, "b")};
  set_between_run_spread(rows);
  EXPECT_DOUBLE_EQ(rows[0].timing->between_run_spread.value(), 10.0 / 105.0);
  EXPECT_EQ(rows[0].timing->between_run_spread, rows[1].timing->between_run_spread);
  EXPECT_FALSE(rows[2].timing->between_run_spread);
}

}  // namespace
}  // namespace sits
