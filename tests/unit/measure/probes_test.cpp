// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/probes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace sits {
namespace {

CaseResult row(const std::string &device, const std::string &kind, double probe_ns, double median_ns) {
  CaseResult r;
  r.device = device;
  r.status = Status::ok;
  r.probe = Probe{kind, probe_ns, 0};
  r.timing.emplace();
  r.timing->device_ns.n = 20;
  r.timing->device_ns.median = median_ns;
  return r;
}

bool not_quiet(const CaseResult &r) {
  return std::find(r.flags.begin(), r.flags.end(), Flag::not_quiet) != r.flags.end();
}

TEST(Probes, scale_a_median_to_the_best_moment_of_the_run) {
  std::vector<CaseResult> rows = {row("cpu:0", "peak/fma/f32", 100, 1000), row("cpu:0", "peak/fma/f32", 125, 1250)};
  normalize_probes(std::span<CaseResult>(rows));
  EXPECT_EQ(rows[0].probe->normalized_median_ns, 1000);
  EXPECT_EQ(rows[1].probe->normalized_median_ns, 1000);
}

TEST(Probes, are_compared_within_one_device_and_kind) {
  std::vector<CaseResult> rows = {row("cpu:0", "peak/fma/f32", 100, 1000), row("cuda:0", "peak/fma/f32", 10, 1000),
                                  row("cpu:0", "stream/read", 900, 1000)};
  normalize_probes(std::span<CaseResult>(rows));
  for (const CaseResult &r : rows) {
    EXPECT_EQ(r.probe->normalized_median_ns, 1000);
    EXPECT_FALSE(not_quiet(r));
  }
}

TEST(Probes, more_than_10_percent_slower_than_the_best_are_not_quiet) {
  std::vector<CaseResult> rows = {row("cpu:0", "p", 100, 1), row("cpu:0", "p", 110, 1), row("cpu:0", "p", 111, 1)};
  normalize_probes(std::span<CaseResult>(rows));
  EXPECT_FALSE(not_quiet(rows[0]));
  EXPECT_FALSE(not_quiet(rows[1]));
  EXPECT_TRUE(not_quiet(rows[2]));
}

TEST(Probes, may_be_normalized_again) {
  std::vector<CaseResult> rows = {row("cpu:0", "p", 150, 1), row("cpu:0", "p", 100, 1)};
  normalize_probes(std::span<CaseResult>(rows));
  normalize_probes(std::span<CaseResult>(rows));
  EXPECT_EQ(std::count(rows[0].flags.begin(), rows[0].flags.end(), Flag::not_quiet), 1);
}

TEST(Probes, that_are_no_times_normalize_nothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(best_probe_ns(std::vector<double>{0, -1, nan}));
  EXPECT_EQ(best_probe_ns(std::vector<double>{nan, 5, 0, 4}), 4);
  EXPECT_FALSE(probe_normalized_ns(1, 0, 1));
  EXPECT_FALSE(probe_normalized_ns(nan, 1, 1));
  std::vector<CaseResult> rows = {row("cpu:0", "p", 0, 1), row("cpu:0", "p", 4, 8), CaseResult{}};
  normalize_probes(std::span<CaseResult>(rows));
  EXPECT_EQ(rows[0].probe->normalized_median_ns, 0);
  EXPECT_EQ(rows[1].probe->normalized_median_ns, 8);
}

}  // namespace
}  // namespace sits
