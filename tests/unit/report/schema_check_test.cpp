// SPDX-License-Identifier: Apache-2.0
#include "harness/report/schema_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/report/atomic_file.h"
#include "harness/report/report_json.h"
#include "sample_report.h"

namespace sits::report {
namespace {

using nlohmann::json;

SchemaCheck check_changed(const char *pointer, const json &value) {
  json document = json::parse(write_report(testing::example_report()));
  document[json::json_pointer(pointer)] = value;
  return check_document(document.dump());
}

std::string first_error(const SchemaCheck &check) { return check.errors.empty() ? "valid" : check.errors.front(); }

TEST(SchemaCheck, embeds_the_schemas_byte_for_byte) {
  ASSERT_TRUE(embedded_schemas().contains("report"));
  for (const auto &[name, text] : embedded_schemas()) {
    EXPECT_EQ(text, read_file(std::string(SITS_SCHEMA_DIR) + "/" + name + ".schema.json")) << name;
  }
}

TEST(SchemaCheck, accepts_what_the_writer_writes) {
  const SchemaCheck check = check_document(write_report(testing::example_report()));
  EXPECT_EQ(check.schema, "report");
  EXPECT_EQ(first_error(check), "valid");
  EXPECT_EQ(first_error(check_document(write_report(testing::with_every_text(std::string(65536, 'x'))))), "valid");
}

TEST(SchemaCheck, accepts_the_example_which_is_what_the_writer_writes_today) {
  const std::string path = std::string(SITS_SCHEMA_DIR) + "/examples/report.json";
  testing::expect_golden(path, write_report(testing::example_report()));
  EXPECT_EQ(first_error(check_document(read_file(path))), "valid");
}

TEST(SchemaCheck, accepts_keys_added_later) { EXPECT_EQ(first_error(check_changed("/run/later", 1)), "valid"); }

TEST(SchemaCheck, refuses_strings_and_markers_for_numbers) {
  for (const json &bad : {json("1.2e-05"), json(""), json("N/A"), json("12%"), json(true), json(-1)}) {
    EXPECT_EQ(first_error(check_changed("/results/0/timing/device_ns/median", bad)).substr(0, 36),
              "/results/0/timing/device_ns/median: ")
        << bad;
  }
  EXPECT_NE(first_error(check_changed("/run/interrupted", "false")), "valid");
  EXPECT_NE(first_error(check_changed("/run/seed", 1.5)), "valid");
}

TEST(SchemaCheck, refuses_a_missing_or_misspelled_key) {
  json document = json::parse(write_report(testing::example_report()));
  document["results"][2]["timing"].erase("stop_reason");
  EXPECT_EQ(first_error(check_document(document.dump())).substr(0, 19), "/results/2/timing: ");
}

TEST(SchemaCheck, refuses_numbers_in_a_row_that_failed) {
  const json timing = json::parse(write_report(testing::example_report()))["results"][0]["timing"];
  EXPECT_NE(first_error(check_changed("/results/5/timing", timing)), "valid");
  EXPECT_NE(first_error(check_changed("/results/5/reason", nullptr)), "valid") << "a failure says why";
}

TEST(SchemaCheck, refuses_a_ratio_of_an_incorrect_row) {
  json document = json::parse(write_report(testing::example_report()));
  document["results"][4]["normalized"] = document["results"][0]["normalized"];
  EXPECT_NE(first_error(check_document(document.dump())), "valid");
}

TEST(SchemaCheck, refuses_unknown_words) {
  const auto errors = check_changed("/results/0/status", "fine").errors;
  EXPECT_TRUE(std::any_of(errors.begin(), errors.end(),
                          [](const std::string &error) { return error.starts_with("/results/0/status: "); }));
  EXPECT_NE(first_error(check_changed("/results/1/flags", {"loud"})), "valid");
  EXPECT_NE(first_error(check_changed("/summary/counts", {{"fine", 1}})), "valid");
}

TEST(SchemaCheck, gives_line_and_column_of_a_syntax_error) {
  EXPECT_EQ(first_error(check_document("{\n  \"schema\" 1}")).substr(0, 5), "2:12:");
}

TEST(SchemaCheck, says_which_documents_it_knows) {
  EXPECT_EQ(first_error(check_document("[1]")).substr(0, 8), "/schema:");
  const std::string error = first_error(check_document(R"({"schema": "sits.repot"})"));
  EXPECT_NE(error.find("\"sits.repot\""), std::string::npos);
  EXPECT_NE(error.find("\"sits.report\""), std::string::npos);
  EXPECT_NE(first_error(check_document(R"({"schema": "report"})")), "valid");
}

TEST(SchemaCheck, shows_no_more_errors_than_asked_for) {
  json document = json::parse(write_report(testing::example_report()));
  for (json &row : document["results"]) row["device"] = 1;
  EXPECT_EQ(check_document(document.dump(), embedded_schemas(), 3).errors.size(), 3U);
  EXPECT_EQ(check_document(document.dump()).errors.size(), 6U) << "one line each, no echo of the levels around it";
}

TEST(SchemaCheck, uses_the_schemas_it_is_given) {
  const Schemas own = {{"own", R"({"properties": {"x": {"type": "string", "pattern": "^(a|b)*$"}}})"}};
  EXPECT_EQ(first_error(check_document(R"({"schema": "sits.own", "x": "abab"})", own)), "valid");
  EXPECT_EQ(first_error(check_document(R"({"schema": "sits.own", "x": "abc"})", own)).substr(0, 4), "/x: ");
}

TEST(SchemaCheck, gives_no_pattern_a_text_that_exhausts_the_stack) {
  const Schemas own = {{"own", R"({"properties": {"x": {"type": "string", "pattern": "^(a|b)*$"}}})"}};
  const json document = {{"schema", "sits.own"}, {"x", std::string(1000000, 'a')}};
  EXPECT_EQ(first_error(check_document(document.dump(), own)), "/x: longer than 16384 bytes");
}

}  // namespace
}  // namespace sits::report
