// SPDX-License-Identifier: Apache-2.0
#include "harness/normalize/score.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sits::normalize {
namespace {

CaseResult result(const std::string &id, double ratio, bool required = true, const std::string &kind = "published") {
  CaseResult r;
  r.id = id;
  r.device = "cpu:0";
  r.status = Status::ok;
  r.required = required;
  Normalized row;
  row.baseline = "part";
  row.kind = kind;
  row.ratio = ratio;
  r.normalized = {row};
  return r;
}

CaseResult without_ratio(const std::string &id, const std::string &reason, bool required = true) {
  CaseResult r = result(id, 1, required);
  r.normalized[0].ratio.reset();
  r.normalized[0].reason = reason;
  return r;
}

TEST(Score, takes_the_geometric_mean_per_operation_and_kind) {
  const std::vector results = {result("gemm/a", 2), result("gemm/b", 8), result("gemm/c", 3, true, "modelled"),
                               result("stream/a", 5)};
  const Scores scores = score(results);
  ASSERT_EQ(scores.scores.size(), 1u);
  const auto &geomean = scores.scores[0].geomean;
  EXPECT_NEAR(geomean.at("gemm").at("published").ratio, 4, 1e-12);
  EXPECT_EQ(geomean.at("gemm").at("published").count, 2u);
  EXPECT_NEAR(geomean.at("gemm").at("modelled").ratio, 3, 1e-12);
  EXPECT_NEAR(geomean.at("stream").at("published").ratio, 5, 1e-12);
}

// gemm sqrt(2·8) = 4, stream 9: sqrt(4·9) = 6, not the mean over cases (2·8·9)^(1/3).
TEST(Score, weighs_operations_alike_not_cases) {
  const std::vector results = {result("gemm/a", 2), result("gemm/b", 8), result("stream/a", 9)};
  const Overall overall = score(results).scores.at(0).overall;
  EXPECT_NEAR(overall.ratio.value(), 6, 1e-12);
  EXPECT_EQ(overall.count, 3u);
}

TEST(Score, counts_required_cases_only) {
  const std::vector results = {result("gemm/a", 2), result("gemm/b", 8, false)};
  const Scores scores = score(results);
  EXPECT_NEAR(scores.scores[0].overall.ratio.value(), 2, 1e-12);
  EXPECT_EQ(scores.scores[0].overall.count, 1u);
  EXPECT_EQ(scores.scores[0].geomean.at("gemm").at("published").count, 2u);
}

TEST(Score, is_absent_not_guessed_when_a_required_case_is_missing) {
  CaseResult wrong = without_ratio("gemm/b", "not_ok");
  wrong.status = Status::incorrect;
  wrong.reason = Reason{"mismatch", "C[0] is 1"};
  const std::vector results = {result("gemm/a", 2), wrong};
  const Scores scores = score(results);
  EXPECT_FALSE(scores.scores[0].overall.ratio);
  EXPECT_EQ(scores.scores[0].overall.reason, "1 of 2 required cases have no ratio, first gemm/b (incorrect: mismatch)");
  ASSERT_EQ(scores.left_out.size(), 1u);
  EXPECT_EQ(scores.left_out[0], (LeftOut{"gemm/b", "cpu:0", "incorrect: mismatch"}));
}

TEST(Score, is_absent_when_nothing_is_required) {
  const Overall overall = score(std::vector{result("gemm/a", 2, false)}).scores.at(0).overall;
  EXPECT_FALSE(overall.ratio);
  EXPECT_EQ(overall.reason, "no case is required");
}

TEST(Score, is_not_blocked_by_a_required_case_that_has_no_latency) {
  const std::vector results = {result("gemm/a", 2), without_ratio("peak/fma/f32", "no_latency")};
  const Scores scores = score(results);
  EXPECT_NEAR(scores.scores[0].overall.ratio.value(), 2, 1e-12);
  EXPECT_EQ(scores.left_out.at(0).reason, "no_latency");
}

TEST(Score, counts_a_case_once_whatever_its_runs) {
  const std::vector results = {result("gemm/a", 1), result("gemm/a", 4), result("gemm/b", 8)};
  const Scores scores = score(results);
  EXPECT_NEAR(scores.scores[0].geomean.at("gemm").at("published").ratio, 4, 1e-12);  // sqrt(2 · 8)
  EXPECT_EQ(scores.scores[0].overall.count, 2u);
}

TEST(Score, keeps_devices_and_baselines_apart) {
  CaseResult other = result("gemm/a", 3);
  other.device = "cuda:0";
  CaseResult two = result("gemm/b", 2);
  two.normalized.push_back(two.normalized[0]);
  two.normalized[1].baseline = "second";
  two.normalized[1].ratio.reset();
  two.normalized[1].reason = "no_value";
  const Scores scores = score(std::vector{two, other});
  ASSERT_EQ(scores.scores.size(), 3u);
  EXPECT_EQ(scores.scores[0].device, "cpu:0");
  EXPECT_EQ(scores.scores[1].baseline, "second");
  EXPECT_FALSE(scores.scores[1].overall.ratio);
  EXPECT_EQ(scores.scores[2].device, "cuda:0");
  ASSERT_EQ(scores.left_out.size(), 1u);
  EXPECT_EQ(scores.left_out[0].reason, "second: no_value");
}

TEST(Score, of_nothing_is_nothing) {
  EXPECT_TRUE(score({}).scores.empty());
  EXPECT_TRUE(score({}).left_out.empty());
}

}  // namespace
}  // namespace sits::normalize
