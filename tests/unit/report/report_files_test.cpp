// SPDX-License-Identifier: Apache-2.0
#include "harness/report/report_files.h"

#include <gtest/gtest.h>

#include "harness/report/atomic_file.h"
#include "harness/report/json_text.h"
#include "harness/report/samples_file.h"
#include "microbench/suite.h"
#include "sample_report.h"

namespace sits::report {
namespace {

using testing::example_report;
using testing::ScratchFolder;

Report report_with_samples() {
  Report report = example_report();
  report.results[0].device_samples_ns = {1.25, 2.5};
  return report;
}

TEST(ReportFiles, keeps_the_samples_beside_the_report) {
  const ScratchFolder folder;
  Report report = report_with_samples();
  save_report(report, folder.path() / "run.json");
  ASSERT_TRUE(report.samples);
  EXPECT_EQ(report.samples->file, "run.samples");
  EXPECT_EQ(report.samples->sha256, microbench::sha256(read_file(folder.path() / "run.samples")));
  const LoadedReport loaded = load_report(folder.path() / "run.json");
  EXPECT_EQ(loaded.samples_problem, "");
  EXPECT_EQ(loaded.report.results[0].device_samples_ns, report.results[0].device_samples_ns);
}

TEST(ReportFiles, writes_no_samples_file_without_samples) {
  const ScratchFolder folder;
  Report report = example_report();
  save_report(report, folder.path() / "run.json");
  EXPECT_FALSE(report.samples);
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(ReportFiles, stands_without_samples_that_are_missing_or_altered) {
  const ScratchFolder folder;
  Report report = report_with_samples();
  save_report(report, folder.path() / "run.json");
  write_file_atomically(folder.path() / "run.samples", encode_samples({}));
  EXPECT_NE(load_report(folder.path() / "run.json").samples_problem.find("SHA-256 differs"), std::string::npos);
  std::filesystem::remove(folder.path() / "run.samples");
  const LoadedReport loaded = load_report(folder.path() / "run.json");
  EXPECT_NE(loaded.samples_problem.find("cannot open"), std::string::npos);
  EXPECT_EQ(loaded.report.results.size(), 6U);
}

TEST(ReportFiles, follows_no_samples_name_out_of_its_folder) {
  const ScratchFolder folder;
  Report report = report_with_samples();
  save_report(report, folder.path() / "run.json");
  std::string text = read_file(folder.path() / "run.json");
  text.replace(text.find("\"run.samples\""), 13, "\"../../etc/passwd\"");
  write_file_atomically(folder.path() / "run.json", text);
  EXPECT_NE(load_report(folder.path() / "run.json").samples_problem.find("beside the report"), std::string::npos);
}

TEST(ReportFiles, names_the_file_of_what_it_cannot_read) {
  const ScratchFolder folder;
  const auto path = folder.path() / "bad.json";
  const auto error = [&](const char *text) -> std::string {
    write_file_atomically(path, text);
    try {
      load_report(path);
    } catch (const JsonError &e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(error("{\n x").substr(0, path.string().size() + 6), path.string() + ":2:2: ");
  EXPECT_EQ(error("{}"), path.string() + ": /schema: not a report: expected \"sits.report\"");
  EXPECT_EQ(error("").substr(0, path.string().size() + 6), path.string() + ":1:1: ");
  EXPECT_THROW(load_report(folder.path() / "absent.json"), FileError);
}

}  // namespace
}  // namespace sits::report
