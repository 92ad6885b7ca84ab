// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fixtures.h"
#include "microbench/suite.h"

namespace sits::normalize::test {
namespace {

using nlohmann::json;

/// The message a document is refused with, "" when it is accepted.
std::string refusal(const json &document) {
  try {
    parsed(document);
    return "";
  } catch (const BaselineError &error) {
    return error.what();
  }
}

/// small_baseline with the value at `pointer` replaced.
std::string refusal_with(const char *pointer, const json &value) {
  json document = small_baseline();
  document[json::json_pointer(pointer)] = value;
  return refusal(document);
}

std::string refusal_without(const char *parent, const char *key) {
  json document = small_baseline();
  document[json::json_pointer(parent)].erase(key);
  return refusal(document);
}

TEST(Baseline, reads_every_part) {
  const std::string text = small_baseline().dump();
  const Baseline baseline = parse_baseline(text, "part.json");
  EXPECT_EQ(baseline.id, "part");
  EXPECT_EQ(baseline.sha256, microbench::sha256(text));
  EXPECT_EQ(baseline.identity.at("form_factor"), "PCIe");
  EXPECT_EQ(baseline.identity.at("power_cap_w"), "350");
  EXPECT_EQ(baseline.values.find(kGemmCold)->second.value_ns, 5000);
  EXPECT_EQ(baseline.collectives.at(0).ranks, 8u);
  EXPECT_EQ(baseline.model->gemm.at(SITS_F32).peak_ops_per_s, 1e12);
  EXPECT_EQ(baseline.absent.at(microbench::Op::peak), "no_latency");
}

TEST(Baseline, refuses_a_value_that_is_zero_negative_text_or_missing) {
  EXPECT_NE(refusal_with("/values/0/value_ns", 0).find("/values/0/value_ns: is 0, must be a number above 0"),
            std::string::npos);
  EXPECT_NE(refusal_with("/values/0/value_ns", -5.0), "");
  EXPECT_NE(refusal_with("/values/0/value_ns", "1.2e-05").find("is \"1.2e-05\""), std::string::npos);
  EXPECT_NE(refusal_with("/values/0/value_ns", nullptr), "");
  EXPECT_NE(refusal_without("/values/0", "value_ns").find("/values/0: has no value_ns"), std::string::npos);
}

TEST(Baseline, refuses_a_value_without_its_origin) {
  for (const char *key : {"kind", "source", "convention", "uncertainty", "cache_state"})
    EXPECT_NE(refusal_without("/values/0", key), "") << key;
  EXPECT_NE(refusal_with("/values/0/source", "hearsay").find("not among /sources"), std::string::npos);
  EXPECT_NE(refusal_with("/values/0/kind", "guessed").find("measured, published, modelled"), std::string::npos);
  EXPECT_NE(refusal_with("/values/0/uncertainty", 0), "");
}

TEST(Baseline, refuses_zeros_in_rates_collectives_and_model) {
  for (const char *pointer :
       {"/rates/0/bytes_per_s", "/collectives/0/value_ns", "/collectives/0/ranks", "/model/overhead_ns",
        "/model/memory_bytes_per_s", "/model/gemm/0/peak_ops_per_s", "/model/gemm/0/efficiency", "/model/llc_bytes"})
    EXPECT_NE(refusal_with(pointer, 0).find(std::string(pointer) + ": "), std::string::npos) << pointer;
  EXPECT_NE(refusal_with("/model/gemm/0/efficiency", 1.01), "");
}

TEST(Baseline, refuses_a_cache_state_that_contradicts_the_mode) {
  EXPECT_NE(refusal_with("/values/0/cache_state", "warm").find("mode cold"), std::string::npos);
  EXPECT_NE(refusal_with("/values/0/id", kGemmWarm), "");
  EXPECT_EQ(refusal_with("/values/0/cache_state", "any"), "");
}

TEST(Baseline, refuses_an_id_that_is_not_canonical) {
  EXPECT_NE(refusal_with("/values/0/id", "0a/x0:0").find("/values/0/id"), std::string::npos);
  EXPECT_NE(refusal_with("/values/0/id", "gemm/none/BF16.bf16.bf16/m256n256k256/cold"), "");
}

TEST(Baseline, refuses_two_values_of_one_id_and_convention_only) {
  json document = small_baseline();
  document["values"].push_back(document["values"][0]);
  EXPECT_NE(refusal(document).find("/values/1/id"), std::string::npos);
  document["values"][1]["convention"] = "submit";
  EXPECT_EQ(refusal(document), "");
}

TEST(Baseline, refuses_rates_that_are_not_dense) {
  EXPECT_NE(refusal_with("/identity/rates", "sparse").find("must be \"dense\""), std::string::npos);
  EXPECT_NE(refusal_without("/identity", "rates"), "");
}

TEST(Baseline, refuses_a_newer_version_and_says_what_to_do) {
  EXPECT_NE(refusal_with("/schema_version", 2).find("use a newer sits"), std::string::npos);
  EXPECT_NE(refusal_with("/schema", "sits.report"), "");
}

TEST(Baseline, reads_past_keys_it_does_not_know) {
  EXPECT_EQ(refusal_with("/values/0/later", 1), "");
  EXPECT_EQ(refusal_with("/later", json::object()), "");
}

TEST(Baseline, refuses_measured_values_without_a_method_version) {
  EXPECT_NE(refusal_with("/values/0/kind", "measured").find("method_version"), std::string::npos);
}

TEST(Baseline, refuses_a_number_no_double_can_hold) {
  EXPECT_THROW(parse_baseline(R"({"schema_version": 1e999})", "part.json"), BaselineError);
}

TEST(Baseline, says_where_the_syntax_breaks) {
  try {
    parse_baseline("{\n \"schema\": }", "broken.json");
    FAIL();
  } catch (const BaselineError &error) {
    EXPECT_NE(std::string(error.what()).find("broken.json"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("line 2"), std::string::npos);
  }
}

}  // namespace
}  // namespace sits::normalize::test
