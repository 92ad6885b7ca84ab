// SPDX-License-Identifier: Apache-2.0
#include "microbench/suite.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace sits::microbench {
namespace {

std::string suite_of(const std::string &cases, const std::string &more = "") {
  return R"({"schema":"sits.suite","schema_version":1,"name":"mine","version":"3")" + more + R"(,"cases":[)" + cases +
         "]}";
}

std::vector<std::string> ids_of(const std::string &cases) {
  std::vector<std::string> ids;
  for (const SuiteCase &c : parse_suite(suite_of(cases), "mine.json").cases) ids.push_back(c.id);
  return ids;
}

std::string refusal(const std::string &text) {
  try {
    parse_suite(text, "mine.json");
    return "";
  } catch (const SuiteError &error) {
    return error.what();
  }
}

void expect_refusal(const std::string &text, std::string_view words) {
  EXPECT_NE(refusal(text).find(words), std::string::npos) << "got: " << refusal(text) << "\nwanted: " << words;
}

std::string read_file(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Suite, lists_make_every_combination_first_key_slowest) {
  EXPECT_EQ(ids_of(R"({"op":"stream","variant":["copy","triad"],"type":["f32","f64"],"bytes":"1mib","mode":"warm"})"),
            (std::vector<std::string>{"stream/copy/f32/1mib/warm", "stream/copy/f64/1mib/warm",
                                      "stream/triad/f32/1mib/warm", "stream/triad/f64/1mib/warm"}));
}

TEST(Suite, ranges_multiply_or_step_and_end_within_their_bound) {
  EXPECT_EQ(ids_of(R"({"op":"memory_latency","bytes":{"from":"16kib","to":"300kib","factor":4}})"),
            (std::vector<std::string>{"memory_latency/chase/16kib", "memory_latency/chase/64kib",
                                      "memory_latency/chase/256kib"}));
  EXPECT_EQ(
      ids_of(R"({"op":"collective","variant":"reduce","type":"f32","bytes":64,"ranks":{"from":2,"to":6,"step":2}})"),
      (std::vector<std::string>{"collective/reduce/f32/64b/n2/steady", "collective/reduce/f32/64b/n4/steady",
                                "collective/reduce/f32/64b/n6/steady"}));
}

TEST(Suite, shapes_stand_for_m_n_and_k) {
  EXPECT_EQ(ids_of(R"({"op":"gemm","variant":"none","types":"f32.f32.f32","shapes":["64^3",[1,2,3]],"mode":"warm"})"),
            (std::vector<std::string>{"gemm/none/f32.f32.f32/m64n64k64/warm", "gemm/none/f32.f32.f32/m1n2k3/warm"}));
}

TEST(Suite, one_group_list_is_one_value_and_a_list_of_them_a_sweep) {
  EXPECT_EQ(ids_of(R"({"op":"gemm","variant":"none","types":"f32.f32.f32","n":1,"k":1,"group_m":[1,2],"mode":"warm"})"),
            (std::vector<std::string>{"gemm/none/f32.f32.f32/m3n1k1/groups1_2/warm"}));
  EXPECT_EQ(
      ids_of(R"({"op":"gemm","variant":"none","types":"f32.f32.f32","n":1,"k":1,"group_m":[[1,2],[4]],"mode":"warm"})"),
      (std::vector<std::string>{"gemm/none/f32.f32.f32/m3n1k1/groups1_2/warm",
                                "gemm/none/f32.f32.f32/m4n1k1/groups4/warm"}));
}

TEST(Suite, cases_can_be_given_by_id) {
  EXPECT_EQ(ids_of(R"({"id":"launch/round_trip"},{"id":["peak/fma/f32","peak/fma/f64"],"required":true})"),
            (std::vector<std::string>{"launch/round_trip", "peak/fma/f32", "peak/fma/f64"}));
}

TEST(Suite, effort_of_an_entry_goes_over_that_of_the_suite) {
  const Suite suite = parse_suite(
      suite_of(R"({"id":"launch/round_trip"},
                  {"id":"peak/fma/f32","budget":"2s","min_samples":5,"ci_relative":0.05,"required":true})",
               R"(,"runs":3,"description":"d","defaults":{"min_samples":20,"max_samples":50,"budget":"500ms",
                   "warmup_iterations":7,"exact_iterations":9,"soak":"1s"})"),
      "mine.json");
  EXPECT_EQ(suite.name, "mine");
  EXPECT_EQ(suite.version, "3");
  EXPECT_EQ(suite.description, "d");
  EXPECT_EQ(suite.runs, 3u);
  ASSERT_EQ(suite.cases.size(), 2u);
  EXPECT_TRUE(suite.cases[0].effort == suite.effort);
  EXPECT_FALSE(suite.cases[0].required);
  const Effort &own = suite.cases[1].effort;
  EXPECT_EQ(own.min_samples, 5u);
  EXPECT_EQ(own.max_samples, 50u);
  EXPECT_EQ(own.budget_ns, 2e9);
  EXPECT_EQ(own.ci_relative, 0.05);
  EXPECT_EQ(own.warmup_iterations, 7u);
  EXPECT_EQ(own.exact_iterations, 9u);
  EXPECT_EQ(own.soak_ns, 1e9);
  EXPECT_TRUE(suite.cases[1].required);
}

TEST(Suite, digest_is_that_of_the_files_bytes) {
  const std::string text = suite_of(R"({"id":"launch/round_trip"})");
  EXPECT_EQ(parse_suite(text, "a").sha256, sha256(text));
  EXPECT_NE(parse_suite(text + "\n", "a").sha256, sha256(text));
}

TEST(Suite, syntax_errors_name_line_and_column) {
  expect_refusal("", "mine.json:1:1: ");
  expect_refusal("{\n  \"name\": 1,\n  }", "mine.json:3:3: ");
  expect_refusal("{\n\"name\": \"\xff\"}", "mine.json:2:10: ");
  expect_refusal("{\"name\": NaN}", "mine.json:1:10: ");
  expect_refusal("{} {}", "mine.json:1:4: ");
  expect_refusal("{\"name\": 1e999}", "mine.json:1:");
  expect_refusal("{\"name\": \"a\tb\"}", "mine.json:1:");
  expect_refusal(std::string("{\"a\0\": 1}", 9), "mine.json:1:");
}

TEST(Suite, unknown_keys_are_errors_with_a_pointer_and_the_nearest_key) {
  expect_refusal(suite_of(R"({"id":"launch/round_trip"})", R"(,"run":1)"), "mine.json: /run: unknown key 'run'");
  expect_refusal(suite_of(R"({"id":"launch/round_trip"})", R"(,"run":1)"), "did you mean 'runs'?");
  expect_refusal(suite_of(R"({"id":"launch/round_trip","bugdet":"1s"})"), "/cases/0/bugdet: unknown key");
  expect_refusal(suite_of(R"({"op":"stream","varaint":"copy"})"), "did you mean 'variant'?");
  expect_refusal(suite_of(R"({"op":"stream","shapes":["64^3"]})"), "/cases/0/shapes: unknown key");
  expect_refusal(suite_of(R"({"id":"launch/round_trip"})", R"(,"defaults":{"mode":"warm"})"), "/defaults/mode");
  expect_refusal(suite_of(R"({"id":"launch/round_trip","a/b~c":1})"), "/cases/0/a~1b~0c");
}

TEST(Suite, a_key_given_twice_is_an_error) {
  expect_refusal(suite_of(R"({"op":"stream","variant":"copy","variant":"triad"})"),
                 "/cases/0/variant: key is given twice");
  expect_refusal(R"({"name":"a","name":"b"})", "/name: key is given twice");
}

TEST(Suite, a_case_made_twice_is_refused_naming_both_entries) {
  const std::string text = suite_of(R"({"id":"stream/copy/f32/1gib/cold"},{"id":"launch/round_trip"},
    {"op":"stream","variant":["add","copy"],"type":"f32","bytes":"1024mib"})");
  expect_refusal(text, "/cases/2: makes case stream/copy/f32/1gib/cold again, first made by /cases/0");
}

TEST(Suite, an_empty_selection_is_an_error) {
  expect_refusal(suite_of(""), "/cases: give a list of at least one case");
  expect_refusal(suite_of(R"({"op":"stream","variant":[],"type":"f32","bytes":64})"),
                 "/cases/0/variant: the list is empty");
  expect_refusal(suite_of(R"({})"), "neither 'op' nor 'id'");
  expect_refusal("{}", "'schema' is missing");
}

TEST(Suite, bad_values_are_refused_where_they_stand) {
  const auto stream = [](const std::string &rest) {
    return suite_of(R"({"op":"stream","variant":"copy","type":"f32",)" + rest + "}");
  };
  expect_refusal(stream(R"("bytes":0)"), "/cases/0: bytes of the array is missing or 0");
  expect_refusal(stream(R"("bytes":-4)"), "/cases/0: bytes is '-4'");
  expect_refusal(stream(R"("bytes":"9223372036854775808")"), "beyond 2^63 - 1");
  expect_refusal(stream(R"("bytes":"64mib","type":"fp32")"), "given twice");
  expect_refusal(stream(R"("bytes":{"from":"1gib","to":"1kib","factor":2})"), "/cases/0/bytes: from 1073741824");
  expect_refusal(stream(R"("bytes":{"from":"1kib","to":"1gib","factor":1})"), "/cases/0/bytes/factor: factor is 1");
  expect_refusal(stream(R"("bytes":{"from":"1kib","to":"1gib","step":0})"), "/cases/0/bytes/step");
  expect_refusal(stream(R"("bytes":{"from":0,"to":"1gib","step":4})"), "/cases/0/bytes/from");
  expect_refusal(stream(R"("bytes":{"from":4,"to":"1gib"})"), "either 'factor' or 'step'");
  expect_refusal(stream(R"("bytes":{"from":4,"to":8,"factor":2,"step":4})"), "either 'factor' or 'step'");
  expect_refusal(stream(R"("bytes":{"form":4,"to":8,"factor":2})"), "did you mean 'from'?");
  expect_refusal(stream(R"("bytes":64,"min_samples":0)"), "/cases/0/min_samples: give a whole number from 1");
  expect_refusal(stream(R"("bytes":64,"max_samples":2.5)"), "/cases/0/max_samples");
  expect_refusal(stream(R"("bytes":64,"min_samples":9,"max_samples":8)"), "min_samples 9 is more than max_samples 8");
  expect_refusal(stream(R"("bytes":64,"budget":5)"), "/cases/0/budget: give a duration with its unit");
  expect_refusal(stream(R"("bytes":64,"budget":"0s")"), "/cases/0/budget: is 0");
  expect_refusal(stream(R"("bytes":64,"ci_relative":1.5)"), "/cases/0/ci_relative");
  expect_refusal(stream(R"("bytes":64,"required":"yes")"), "/cases/0/required");
  expect_refusal(suite_of("7"), "/cases/0: give an object");
  expect_refusal(suite_of(R"({"op":["gemm","stream"]})"), "/cases/0/op");
  expect_refusal(suite_of(R"({"op":"gemmm"})"), "did you mean 'gemm'?");
  expect_refusal(suite_of(R"({"id":"gemm/none"})"), "/cases/0: case 'gemm/none'");
  expect_refusal(suite_of(R"({"id":"launch/round_trip"})", R"(,"runs":0)"), "/runs");
  expect_refusal(suite_of(R"({"op":"gemm","variant":"none","types":"f32.f32.f32","shapes":["64^2"]})"),
                 "/cases/0/shapes/0");
  expect_refusal(suite_of(R"({"op":"gemm","variant":"none","types":"f32.f32.f32","shapes":["64^3"],"m":1})"),
                 "/cases/0/m");
  expect_refusal(R"({"schema":"sits.report","schema_version":1})", "'sits.report'");
  expect_refusal(R"({"schema":"sits.suite","schema_version":2})", "/schema_version");
  expect_refusal("[]", "one JSON object");
}

TEST(Suite, hostile_sizes_end_in_a_message) {
  expect_refusal(std::string(1000000, '['), "nested deeper than 32");
  expect_refusal(std::string((16 << 20) + 1, ' '), "larger than 16 MiB");
  expect_refusal(suite_of(R"({"op":"stream","variant":"copy","type":"f32","bytes":{"from":4,"to":"1gib","step":4}})"),
                 "more than 100000 values");
  expect_refusal(suite_of(R"({"op":"gemm","variant":"none","types":"f32.f32.f32","m":{"from":1,"to":1000,"step":1},
                   "n":{"from":1,"to":1000,"step":1},"k":1})"),
                 "more than 100000 cases");
}

TEST(Suite, a_name_that_is_not_utf8_is_shown_as_text) {
  try {
    parse_suite("", "su\xffite.json");
    FAIL();
  } catch (const SuiteError &error) {
    EXPECT_EQ(std::string_view(error.what()).substr(0, 14), "su\\xffite.json");
  }
}

TEST(QuickSuite, fits_a_minute_and_marks_what_every_device_can_do) {
  const Suite quick = parse_suite(read_file(SITS_SOURCE_DIR "/suites/quick.json"), "quick.json");
  EXPECT_EQ(quick.name, "quick");
  EXPECT_EQ(quick.runs, 1u);
  double budget_ns = 0;
  int required = 0;
  for (const SuiteCase &c : quick.cases) {
    ASSERT_TRUE(c.effort.budget_ns && c.effort.min_samples) << c.id;
    EXPECT_EQ(*c.effort.min_samples, 20u) << c.id;
    budget_ns += *c.effort.budget_ns;
    if (c.required) ++required;
    EXPECT_LT(work_model(c.test_case).footprint_bytes, 1e9) << c.id;
  }
  EXPECT_LT(budget_ns, 50e9);
  EXPECT_GE(required, 3);
  EXPECT_LE(required, 6);
}

}  // namespace
}  // namespace sits::microbench
