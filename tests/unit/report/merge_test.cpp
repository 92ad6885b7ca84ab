// SPDX-License-Identifier: Apache-2.0
#include "harness/report/merge.h"

#include <gtest/gtest.h>

#include "harness/report/report_json.h"
#include "harness/report/schema_check.h"
#include "sample_report.h"

namespace sits::report {
namespace {

using testing::example_report_of;

Summary count_rows(const Report &report) {
  Summary summary;
  for (const CaseResult &row : report.results) ++summary.counts[std::string(status_name(row.status))];
  return summary;
}

std::string error_of(const std::vector<Report> &reports) {
  try {
    merge(reports, count_rows);
  } catch (const MergeError &error) {
    return error.what();
  }
  return "merged";
}

std::vector<std::string> device_ids(const Report &report) {
  std::vector<std::string> ids;
  for (const DeviceInfo &device : report.devices) ids.push_back(device.id);
  return ids;
}

TEST(Merge, makes_device_ids_unique_by_host) {
  const Report merged = merge({example_report_of("run-a", "alpha"), example_report_of("run-b", "beta")}, count_rows);
  EXPECT_EQ(device_ids(merged), (std::vector<std::string>{"alpha/sim:0", "beta/sim:0"}));
  EXPECT_EQ(merged.device_hosts.at("beta/sim:0").hostname, "beta");
  EXPECT_EQ(merged.device_runs.at("beta/sim:0"), "run-b");
  ASSERT_EQ(merged.results.size(), 12U);
  EXPECT_EQ(merged.results[6].device, "beta/sim:0");
  EXPECT_EQ(merged.summary.counts.at("ok"), 6U) << "recomputed over all rows";
}

TEST(Merge, tells_two_runs_on_one_host_apart) {
  const Report merged = merge({example_report_of("run-a", "alpha"), example_report_of("run-b", "alpha"),
                               example_report_of("run-c", ""), example_report_of("run-d", "a/b")},
                              count_rows);
  EXPECT_EQ(device_ids(merged), (std::vector<std::string>{"alpha/sim:0", "alpha#2/sim:0", "host/sim:0", "a_b/sim:0"}));
}

TEST(Merge, gives_a_document_the_schema_accepts) {
  const Report merged = merge({example_report_of("run-a", "alpha"), example_report_of("run-b", "beta")}, count_rows);
  const std::string text = write_report(merged);
  EXPECT_TRUE(check_document(text).errors.empty());
  EXPECT_EQ(write_report(read_report(text)), text);
}

TEST(Merge, changes_nothing_when_a_run_comes_again) {
  const Report a = example_report_of("run-a", "alpha");
  const Report b = example_report_of("run-b", "beta");
  EXPECT_EQ(write_report(merge({a, a}, count_rows)), write_report(a)) << "one run stays as it was";
  const Report once = merge({a, b}, count_rows);
  EXPECT_EQ(write_report(merge({a, b, a}, count_rows)), write_report(once));
  EXPECT_EQ(write_report(merge({once, b}, count_rows)), write_report(once));
  EXPECT_EQ(write_report(merge({once, once}, count_rows)), write_report(once));
}

TEST(Merge, joins_merged_reports_that_share_a_run) {
  const Report a = example_report_of("run-a", "alpha");
  const Report b = example_report_of("run-b", "beta");
  const Report c = example_report_of("run-c", "gamma");
  const Report joined = merge({merge({a, b}, count_rows), merge({b, c}, count_rows)}, count_rows);
  EXPECT_EQ(write_report(joined), write_report(merge({a, b, c}, count_rows)));
}

TEST(Merge, takes_the_samples_along) {
  Report a = example_report_of("run-a", "alpha");
  Report b = example_report_of("run-b", "beta");
  b.results[0].device_samples_ns = {1, 2};
  const Report merged = merge({a, b}, count_rows);
  EXPECT_EQ(merged.results[6].device_samples_ns, b.results[0].device_samples_ns);
  EXPECT_FALSE(merged.samples) << "the old side files are not those of the new report";
}

TEST(Merge, spans_the_times_and_keeps_the_worst_exit_code) {
  Report a = example_report_of("run-a", "alpha");
  Report b = example_report_of("run-b", "beta");
  a.run.exit_code = 5;
  b.run.exit_code = 4;
  b.run.started_at = "2026-01-30T00:00:00Z";
  b.run.interrupted = true;
  b.run.order = "shuffled";
  const Report merged = merge({a, b}, count_rows);
  EXPECT_EQ(merged.run.exit_code, 4);
  EXPECT_EQ(merged.run.started_at, "2026-01-30T00:00:00Z");
  EXPECT_EQ(merged.run.finished_at, a.run.finished_at);
  EXPECT_TRUE(merged.run.interrupted);
  EXPECT_EQ(merged.run.order, "mixed");
  b.run.exit_code = 0;
  EXPECT_EQ(merge({a, b}, count_rows).run.exit_code, 0) << "something ran";
}

TEST(Merge, names_the_same_set_of_runs_the_same) {
  const Report a = example_report_of("run-a", "alpha");
  const Report b = example_report_of("run-b", "beta");
  EXPECT_EQ(merge({a, b}, count_rows).run.id, merge({b, a}, count_rows).run.id);
  EXPECT_EQ(merge({a, b}, count_rows).run.id.size(), 36U);
}

TEST(Merge, refuses_numbers_that_do_not_mean_the_same) {
  Report a = example_report_of("run-a", "alpha");
  Report b = example_report_of("run-b", "beta");
  b.method_version = 2;
  EXPECT_EQ(error_of({a, b}),
            "run run-b was measured by method version 2, run run-a by version 1: their numbers do not mean the same; "
            "measure again");
  b.method_version = a.method_version;
  b.baselines[0].sha256 = std::string(64, 'f');
  EXPECT_NE(error_of({a, b}).find("baseline \"h100-sxm5-80gb\" of run run-b"), std::string::npos);
  EXPECT_EQ(error_of({}), "no report to merge");
}

TEST(Merge, refuses_a_merged_report_that_does_not_say_whose_its_devices_are) {
  Report merged = merge({example_report_of("run-a", "alpha"), example_report_of("run-b", "beta")}, count_rows);
  merged.device_runs.erase("beta/sim:0");
  EXPECT_NE(error_of({merged, example_report_of("run-c", "gamma")}).find("beta/sim:0"), std::string::npos);
}

}  // namespace
}  // namespace sits::report
