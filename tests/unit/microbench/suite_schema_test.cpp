// SPDX-License-Identifier: Apache-2.0
//
// The schema and the parser must agree on every document that a schema can judge.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "microbench/suite.h"
#include "random_case.h"

namespace sits::microbench {
namespace {

using nlohmann::json;
using Adapter = valijson::adapters::NlohmannJsonAdapter;

class SuiteSchema : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::ifstream file(SITS_SOURCE_DIR "/results_schema/suite.schema.json");
    const json document = json::parse(file);
    valijson::SchemaParser parser;
    parser.populateSchema(Adapter(document), schema_);
  }
  static bool schema_accepts(const json &document) {
    valijson::Validator validator(valijson::Validator::kStrongTypes);
    return validator.validate(schema_, Adapter(document), nullptr);
  }
  static std::string parser_refusal(const json &document) {
    try {
      parse_suite(document.dump(), "document");
      return "";
    } catch (const SuiteError &error) {
      return error.what();
    }
  }
  static json suite_with(const json &entry) {
    return {{"schema", "sits.suite"},
            {"schema_version", 1},
            {"name", "x"},
            {"version", "1"},
            {"cases", json::array({entry})}};
  }

  inline static valijson::Schema schema_;
};

TEST_F(SuiteSchema, accepts_the_shipped_suites) {
  std::ifstream file(SITS_SOURCE_DIR "/suites/quick.json");
  const json quick = json::parse(file);
  EXPECT_TRUE(schema_accepts(quick));
}

TEST_F(SuiteSchema, accepts_the_parameters_of_random_cases_as_entries) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 300; ++i) {
    json entry = parameters(random_case(random));
    const json by_id = {{"id", entry.at("id")}};
    entry.erase("id");
    EXPECT_TRUE(schema_accepts(suite_with(entry))) << entry;
    EXPECT_TRUE(schema_accepts(suite_with(by_id))) << by_id;
    EXPECT_EQ(parser_refusal(suite_with(entry)), "");
  }
}

TEST_F(SuiteSchema, accepts_what_the_parser_accepts) {
  for (const char *entry : {
           R"({"op":"stream","variant":["copy","triad"],"type":["f32"],"bytes":["1mib",4096,"1.5k"],"mode":["cold"]})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":{"from":"16kib","to":"1gib","factor":4}})",
           R"({"op":"gemm","variant":"none","types":"f16.f16.f16","shapes":["64^3",[1,2,3]],"layout":["nn","nt"]})",
           R"({"op":"gemm","variant":"none","types":"f16.f16.f16","m":{"from":1,"to":9,"step":4},"n":1,"k":[1,2]})",
           R"({"op":"gemm","variant":"none","types":"f16.f16.f16","group_m":[1,0],"n":1,"k":1})",
           R"({"op":"gemm","variant":"none","types":"f16.f16.f16","group_m":[[1,0],[2]],"n":1,"k":1})",
           R"({"op":"memory_latency","bytes":"64mib","required":true,"budget":"500ms","min_samples":5})",
           R"({"op":"transfer","variant":"h2d","bytes":1,"memory":["pinned","pageable"],"numa":["near","0"]})",
           R"({"id":["launch/round_trip","peak/fma/f32"],"ci_relative":0.02,"soak":"1.5s","max_samples":9})",
       }) {
    const json document = suite_with(json::parse(entry));
    EXPECT_EQ(parser_refusal(document), "") << entry;
    EXPECT_TRUE(schema_accepts(document)) << entry;
  }
}

TEST_F(SuiteSchema, refuses_what_the_parser_refuses) {
  for (const char *entry : {
           R"({})",
           R"([])",
           R"({"op":"strem"})",
           R"({"op":7})",
           R"({"id":"nothing/at/all"})",
           R"({"id":[]})",
           R"({"id":"launch/round_trip","op":"launch"})",
           R"({"op":"stream","variant":"copy","type":"f32"})",
           R"({"op":"stream","variant":"cpoy","type":"f32","bytes":64})",
           R"({"op":"stream","variant":[],"type":"f32","bytes":64})",
           R"({"op":"stream","variant":"copy","type":"fp32","bytes":64})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":0})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":-4})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":64.5})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":"64 mib"})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":"-1"})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":true})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":null})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":[[64]]})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":64,"size":1})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":64,"mode":"none"})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":{"from":4,"to":8}})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":{"from":4,"to":8,"factor":2,"step":4}})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":{"from":4,"to":8,"by":2}})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":64,"min_samples":0})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":64,"min_samples":"20"})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":64,"max_samples":20000000})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":64,"budget":5})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":64,"budget":"0s"})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":64,"budget":"5"})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":64,"ci_relative":0})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":64,"ci_relative":1})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":64,"required":1})",
           R"({"op":"gemm","variant":"none","types":"f16.f16","shapes":["64^3"]})",
           R"({"op":"gemm","variant":"none","types":"f16.f16.f16"})",
           R"({"op":"gemm","variant":"none","types":"f16.f16.f16","shapes":"64^3"})",
           R"({"op":"gemm","variant":"none","types":"f16.f16.f16","shapes":["0^3"]})",
           R"({"op":"gemm","variant":"none","types":"f16.f16.f16","shapes":[[1,2]]})",
           R"({"op":"gemm","variant":"none","types":"f16.f16.f16","shapes":["64^3"],"m":1})",
           R"({"op":"gemm","variant":"none","types":"f16.f16.f16","shapes":["64^3"],"layout":"ab"})",
           R"({"op":"collective","variant":"reduce","type":"f32","bytes":64,"ranks":"2"})",
           R"({"op":"collective","variant":"reduce","type":"f32","bytes":64,"ranks":2,"graph":"yes"})",
           R"({"op":"launch","variant":"round_trip","mode":"warm"})",
       }) {
    const json document = suite_with(json::parse(entry));
    EXPECT_NE(parser_refusal(document), "") << entry;
    EXPECT_FALSE(schema_accepts(document)) << entry;
  }
}

TEST_F(SuiteSchema, agrees_with_the_parser_on_the_suite_itself) {
  const json good = suite_with({{"id", "launch/round_trip"}});
  ASSERT_TRUE(schema_accepts(good));
  ASSERT_EQ(parser_refusal(good), "");
  for (const char *patch : {
           R"({"schema":"sits.report"})",
           R"({"schema":null})",
           R"({"schema_version":2})",
           R"({"schema_version":"1"})",
           R"({"name":null})",
           R"({"name":""})",
           R"({"version":1})",
           R"({"runs":0})",
           R"({"runs":1001})",
           R"({"cases":[]})",
           R"({"cases":null})",
           R"({"cases":{}})",
           R"({"defaults":[]})",
           R"({"defaults":{"mode":"warm"}})",
           R"({"defaults":{"budget":"1"}})",
           R"({"case":[]})",
           R"({"description":""})",
       }) {
    json bad = good;
    bad.merge_patch(json::parse(patch));
    EXPECT_NE(parser_refusal(bad), "") << patch;
    EXPECT_FALSE(schema_accepts(bad)) << patch;
  }
}

}  // namespace
}  // namespace sits::microbench
