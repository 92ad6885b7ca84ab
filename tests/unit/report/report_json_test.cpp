// SPDX-License-Identifier: Apache-2.0
#include "harness/report/report_json.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/report/atomic_file.h"
#include "sample_report.h"

namespace sits::report {
namespace {

using nlohmann::json;
using testing::example_report;

std::string error_of(const std::string &text) {
  try {
    read_report(text);
  } catch (const JsonError &error) {
    return error.what();
  }
  return "accepted";
}

/// The example with one place changed by JSON pointer.
std::string changed(const char *pointer, const json &value) {
  json document = json::parse(write_report(example_report()));
  document[json::json_pointer(pointer)] = value;
  return document.dump();
}

/// Every path of a document, list positions and the names in free maps left out.
void collect_keys(const json &value, const std::string &path, std::set<std::string> &keys) {
  static const std::set<std::string> kFree = {"env",      "libraries", "properties", "measured_peaks", "resolved",
                                              "rejected", "counts",    "case",       "device_hosts",   "device_runs"};
  if (value.is_array()) {
    for (const json &element : value) collect_keys(element, path + "[]", keys);
    return;
  }
  if (!value.is_object()) return;
  for (const auto &[key, member] : value.items()) {
    const bool free = path.ends_with("/geomean") || path.ends_with("/geomean/*");
    const std::string here = path + "/" + (free ? "*" : key);
    keys.insert(here);
    if (!kFree.contains(key)) collect_keys(member, here, keys);
  }
}

TEST(ReportJson, reads_what_it_wrote_and_writes_the_same_bytes) {
  const std::string text = write_report(example_report());
  EXPECT_EQ(write_report(read_report(text)), text);
}

TEST(ReportJson, writes_an_empty_report_and_reads_it_back) {
  Report report;
  report.run.id = "r";
  const std::string text = write_report(report);
  EXPECT_EQ(write_report(read_report(text)), text);
  EXPECT_NE(text.find("\"hostname\": null"), std::string::npos) << "unknown is null";
}

TEST(ReportJson, has_exactly_the_keys_it_has_always_had) {
  std::set<std::string> keys;
  collect_keys(json::parse(write_report(example_report())), "", keys);
  std::string list;
  for (const std::string &key : keys) list += key + "\n";
  testing::expect_golden(SITS_GOLDEN_DIR "/report_keys.txt", list);
}

TEST(ReportJson, keeps_hostile_texts_whole) {
  for (const std::string &text :
       {std::string("\"quoted\" \\ back"), std::string("two\nlines\tand\x01"), std::string("a|b`c`"),
        std::string("<script>&amp;"), std::string("漢字 😀"), std::string(65536, 'x'), std::string("nul\0inside", 10)}) {
    const Report report = testing::with_every_text(text);
    const std::string written = write_report(report);
    const Report back = read_report(written);
    EXPECT_EQ(back.results[0].provider, text);
    EXPECT_EQ(back.devices[0].libraries.at(text), text);
    EXPECT_EQ(write_report(back), written);
  }
}

TEST(ReportJson, writes_names_that_are_not_utf8_as_valid_json) {
  Report report = testing::with_every_text("dev\xFF");
  report.host.env = {{"A\xFE", "1"}, {"A\xFF", "2"}};
  const std::string text = write_report(report);
  EXPECT_EQ(read_report(text).results[0].provider, "dev\uFFFD");
  EXPECT_EQ(write_report(read_report(text)), text) << "two names alike once cleaned are one key";
}

TEST(ReportJson, writes_no_number_that_is_not_finite) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Report report = example_report();
    report.results[1].timing->device_ns.median = bad;
    EXPECT_THROW(write_report(report), JsonError);
    report = example_report();
    report.devices[0].power_cap_w = bad;
    try {
      write_report(report);
      FAIL();
    } catch (const JsonError &error) {
      EXPECT_EQ(std::string(error.what()).substr(0, 24), "/devices/0/power_cap_w: ");
    }
  }
}

TEST(ReportJson, says_which_row_holds_a_number_that_is_not_finite) {
  Report report = example_report();
  report.results[1].timing->device_ns.mean = std::numeric_limits<double>::infinity();
  try {
    write_report(report);
    FAIL();
  } catch (const JsonError &error) {
    EXPECT_EQ(std::string(error.what()).substr(0, 11), "/results/1:");
  }
}

TEST(ReportJson, refuses_a_newer_schema_version_and_says_what_to_do) {
  EXPECT_EQ(error_of(changed("/schema_version", 2)),
            "/schema_version: the report is of version 2, this program reads up to 1: use a newer sits");
  EXPECT_NE(error_of(changed("/schema_version", 0)), "accepted");
  EXPECT_NE(error_of(changed("/schema_version", "1")), "accepted");
}

TEST(ReportJson, refuses_other_documents) {
  EXPECT_EQ(error_of(changed("/schema", "sits.suite")), "/schema: expected \"sits.report\", found \"sits.suite\"");
  EXPECT_EQ(error_of("{}"), "/schema: not a report: expected \"sits.report\"");
  EXPECT_EQ(error_of("[]"), "/: expected an object, found array");
}

TEST(ReportJson, passes_over_keys_it_does_not_know) {
  EXPECT_EQ(error_of(changed("/new_key", {{"x", 1}})), "accepted");
  EXPECT_EQ(error_of(changed("/results/0/new_key", 1)), "accepted");
  EXPECT_EQ(error_of(changed("/devices/0/new_key", "x")), "accepted");
}

TEST(ReportJson, names_the_pointer_of_what_it_cannot_use) {
  EXPECT_EQ(error_of(changed("/run/seed", "7")), "/run/seed: expected an integer, found string");
  EXPECT_EQ(error_of(changed("/run/seed", -1)), "/run/seed: -1 is out of range");
  EXPECT_EQ(error_of(changed("/run/id", nullptr)), "/run/id: expected a string, found nothing");
  EXPECT_EQ(error_of(changed("/devices/0/clock_max_mhz", "fast")),
            "/devices/0/clock_max_mhz: expected a number, found string");
  EXPECT_EQ(error_of(changed("/host/cpu/caches/1/level", 99999999999)),
            "/host/cpu/caches/1/level: 99999999999 is out of range");
  EXPECT_EQ(error_of(changed("/devices/0/provenance", "guessed")),
            "/devices/0/provenance: expected \"measured\" or \"simulated\", found \"guessed\"");
}

TEST(ReportJson, names_the_pointer_inside_a_row) {
  EXPECT_EQ(error_of(changed("/results/1/timing/device_ns/median", "1")).substr(0, 36),
            "/results/1/timing/device_ns/median: ");
  EXPECT_EQ(error_of(changed("/results/0/alternatives/1/provider", 1)).substr(0, 36),
            "/results/0/alternatives/1/provider: ");
  EXPECT_EQ(error_of(changed("/results/2/status", "fine")).substr(0, 19), "/results/2/status: ");
}

TEST(ReportJson, refuses_a_device_that_stands_twice) {
  json document = json::parse(write_report(example_report()));
  document["devices"].push_back(document["devices"][0]);
  EXPECT_EQ(error_of(document.dump()), "/devices/1/id: the device \"sim:0\" stands twice");
}

TEST(ReportJson, keeps_rows_of_failed_cases_without_numbers) {
  const json document = json::parse(write_report(example_report()));
  const json &oom = document["results"][5];
  EXPECT_TRUE(oom["timing"].is_null());
  EXPECT_TRUE(oom["rates"].is_null());
  EXPECT_EQ(oom["reason"]["code"], "out_of_memory");
}

TEST(ReportJson, is_not_crashed_by_any_truncation) {
  const std::string text = write_report(example_report());
  // The final newline may go; anything less is no document.
  for (std::size_t length = 0; length + 1 < text.size(); length += 37) {
    EXPECT_THROW(read_report(std::string_view(text).substr(0, length)), JsonError) << length;
  }
}

TEST(ReportJson, is_not_crashed_by_flipped_bytes) {
  const std::string text = write_report(example_report());
  std::uint64_t state = 1;
  const auto next = [&] { return state = state * 6364136223846793005U + 1442695040888963407U; };
  int refused = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string damaged = text;
    for (std::uint64_t flips = (next() >> 33U) % 3 + 1; flips > 0; --flips) {
      damaged[(next() >> 20U) % damaged.size()] ^= static_cast<char>(1U << ((next() >> 40U) % 8));
    }
    try {
      const std::string back = write_report(read_report(damaged));
      ASSERT_EQ(write_report(read_report(back)), back) << "round " << round;
    } catch (const JsonError &) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace sits::report
