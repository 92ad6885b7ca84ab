// SPDX-License-Identifier: Apache-2.0
#include "harness/report/anonymize.h"

#include <gtest/gtest.h>

#include "harness/report/merge.h"
#include "harness/report/report_json.h"
#include "sample_report.h"

namespace sits::report {
namespace {

using testing::example_report;
using testing::example_report_of;

Report anonymized(Report report, const std::string &salt = "salt") {
  anonymize(report, salt);
  return report;
}

TEST(Anonymize, leaves_no_trace_of_what_names_a_machine) {
  Report report = example_report();
  report.host.hostname = "node17.corp.example";
  report.host.env["HOSTFILE"] = "/etc/node17.hosts";
  report.run.command = {"sits", "run", "--device", report.devices[0].uuid};
  report.results[5].reason->message = "node17: rank 3 of " + report.devices[0].pci + " never came (SN123456)";
  report.results[0].reproduce = "sits run --device " + report.devices[0].uuid;
  const std::string text = write_report(anonymized(report));
  for (const char *secret : {"node17", "corp.example", "GPU-0000", "0000:17:00.0", "SN123456"}) {
    EXPECT_EQ(text.find(secret), std::string::npos) << secret;
  }
}

TEST(Anonymize, gives_one_value_one_name_all_over_a_report) {
  Report report = example_report();
  report.results[0].reproduce = "sits run --device " + report.devices[0].uuid;
  const Report out = anonymized(report);
  EXPECT_EQ(out.devices[0].uuid.size(), 17U);
  EXPECT_EQ(out.results[0].reproduce, "sits run --device " + out.devices[0].uuid);
}

TEST(Anonymize, gives_other_names_under_another_salt) {
  EXPECT_EQ(anonymized(example_report()).host.hostname, anonymized(example_report()).host.hostname);
  EXPECT_NE(anonymized(example_report(), "a").host.hostname, anonymized(example_report(), "b").host.hostname);
  EXPECT_NE(random_salt(), random_salt());
}

TEST(Anonymize, keeps_what_makes_numbers_comparable) {
  const Report before = example_report();
  const Report after = anonymized(before);
  EXPECT_EQ(after.devices[0].id, "sim:0");
  EXPECT_EQ(after.devices[0].name, before.devices[0].name);
  EXPECT_EQ(after.devices[0].properties.at("simd"), "8");
  EXPECT_EQ(after.results[0].id, before.results[0].id);
  EXPECT_EQ(after.results[0].device, "sim:0");
}

TEST(Anonymize, replaces_whole_words_only) {
  Report report = example_report();
  report.host.hostname = "node";
  report.results[5].reason->message = "node failed, nodes and supernode did not; node-2 is another";
  const Report out = anonymized(report);
  const std::string &name = out.host.hostname;
  EXPECT_EQ(out.results[5].reason->message, name + " failed, nodes and supernode did not; " + name + "-2 is another");
}

TEST(Anonymize, is_not_misled_by_a_host_called_like_a_device_or_a_number) {
  Report report = example_report();
  report.host.hostname = "sim";
  report.devices[0].properties["serial"] = "0";
  const Report out = anonymized(report);
  EXPECT_EQ(out.results[0].device, "sim:0");
  EXPECT_NE(out.host.hostname, "sim");
  EXPECT_NE(out.devices[0].properties.at("serial"), "0");
  EXPECT_EQ(out.results[5].reason->message, report.results[5].reason->message);
}

TEST(Anonymize, does_not_invent_what_was_unknown) {
  Report report = example_report();
  report.host.hostname.clear();
  report.devices[0].uuid.clear();
  const Report out = anonymized(report);
  EXPECT_EQ(out.host.hostname, "");
  EXPECT_EQ(out.devices[0].uuid, "");
}

TEST(Anonymize, renames_the_hosts_of_merged_reports_everywhere_alike) {
  const auto none = [](const Report &) { return Summary{}; };
  Report merged = merge({example_report_of("run-a", "alpha"), example_report_of("run-b", "alpha")}, none);
  merged.summary.left_out = {{"case", "alpha#2/sim:0", "alpha was away"}};
  const Report out = anonymized(merged);
  const std::string name = out.host.hostname;
  EXPECT_EQ(out.devices[1].id, name + "#2/sim:0");
  EXPECT_EQ(out.results.back().device, name + "#2/sim:0");
  EXPECT_TRUE(out.device_hosts.contains(name + "#2/sim:0"));
  EXPECT_TRUE(out.device_runs.contains(name + "/sim:0"));
  EXPECT_EQ(out.summary.left_out[0].device, name + "#2/sim:0");
  EXPECT_EQ(write_report(out).find("alpha"), std::string::npos);
}

}  // namespace
}  // namespace sits::report
