// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "microbench/case.h"
#include "random_case.h"

namespace sits::microbench {
namespace {

/// The message of the CaseError that parsing the id throws; "" when it parses.
std::string refusal(std::string_view id) {
  try {
    parse_id(id);
    return "";
  } catch (const CaseError &error) {
    return error.what();
  }
}

TEST(CaseId, golden_ids_of_version_1_mean_a_case_and_are_spelt_the_same_again) {
  std::ifstream file(SITS_TEST_DATA_DIR "/ids_v1.txt");
  ASSERT_TRUE(file);
  std::set<std::size_t> operations;
  std::string id;
  while (std::getline(file, id)) {
    SCOPED_TRACE(id);
    const Case c = parse_id(id);
    EXPECT_EQ(canonical_id(c), id);
    operations.insert(c.spec.index());
  }
  EXPECT_EQ(operations.size(), std::variant_size_v<Spec>);
}

TEST(CaseId, is_the_inverse_of_its_parser_for_random_cases) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 4000; ++i) {
    const Case c = random_case(random);
    const std::string id = canonical_id(c);
    SCOPED_TRACE(id);
    EXPECT_TRUE(parse_id(id) == c);
    EXPECT_TRUE(from_parameters(parameters(c)) == c);
  }
}

TEST(CaseId, different_random_cases_have_different_ids) {
  std::mt19937_64 random(2);
  std::map<std::string, Case> seen;
  for (int i = 0; i < 4000; ++i) {
    const Case c = random_case(random);
    const std::string id = canonical_id(c);
    const auto [first, is_new] = seen.try_emplace(id, c);
    EXPECT_TRUE(is_new || first->second == c) << id;
  }
}

TEST(CaseId, reads_the_parts_into_the_fields_they_name) {
  const Case c = parse_id("gemm/bias_silu/f8.f8.f16/m64n128k256/nt/acc_f16/b4/block32_e8m0/repack/cold");
  const auto &s = std::get<GemmSpec>(c.spec);
  EXPECT_EQ(s.epilogue, std::uint32_t{SITS_EPILOGUE_BIAS_SILU});
  EXPECT_EQ(s.type_a, std::uint32_t{SITS_F8});
  EXPECT_EQ(s.type_out, std::uint32_t{SITS_F16});
  EXPECT_EQ(s.type_acc, std::uint32_t{SITS_F16});
  EXPECT_FALSE(s.trans_a);
  EXPECT_TRUE(s.trans_b);
  EXPECT_EQ(s.m, 64);
  EXPECT_EQ(s.n, 128);
  EXPECT_EQ(s.k, 256);
  EXPECT_EQ(s.batch, 4);
  EXPECT_EQ(s.block_size, 32u);
  EXPECT_EQ(s.type_block_scale, std::uint32_t{SITS_E8M0});
  EXPECT_TRUE(s.repack);
  EXPECT_EQ(c.mode, Mode::cold);
}

TEST(CaseId, groups_are_run_length_encoded) {
  const Case c = parse_id("gemm/none/bf16.bf16.bf16/m7n4096k1024/groups0_4_0x2_3/cold");
  EXPECT_EQ(std::get<GemmSpec>(c.spec).group_m, (std::vector<std::int64_t>{0, 4, 0, 0, 3}));
}

TEST(CaseId, accepts_no_second_spelling) {
  for (const char *id : {
           "gemm/none/f32.f32.f32/m01n1k1/warm",           // leading zero
           "gemm/none/f32.f32.f32/m1n1k1/nn/warm",         // a default written out
           "gemm/none/f32.f32.f32/m1n1k1/b1/warm",         //
           "gemm/none/f16.f16.f16/m1n1k1/acc_f32/warm",    //
           "gemm/none/f32.f32.f32/m2n1k1/groups1_1/warm",  // a run not joined
           "gemm/none/f32.f32.f32/m1n1k1/repack/nt/warm",  // options in another order
           "gemm/none/f32.f32.f32/m1n1k1/warm/nt",         // the mode not last
           "stream/copy/f32/1024mib/cold",                 // a larger unit fits
           "stream/copy/f32/64MiB/cold",                   //
           "stream/copy/f32/4096/cold",                    // no unit
           "transfer/h2d/pinned/256mib/numa_any",          //
           "transfer/h2d/pinned/256mib/numa_00",           //
           "GEMM/none/f32.f32.f32/m1n1k1/warm",            //
           "launch/round_trip/none",                       //
           "/launch/round_trip",
           "launch/round_trip/",
           "",  //
           "attention/prefill/bf16.bf16/b1hq1hkv1q1kv1d1/cold",
       }) {
    EXPECT_NE(refusal(id), "") << id;
  }
}

TEST(CaseId, a_refusal_names_the_part_and_the_nearest_word) {
  const auto says = [](std::string_view id, std::string_view words) {
    EXPECT_NE(refusal(id).find(words), std::string::npos) << refusal(id);
  };
  says("gem/none/f32.f32.f32/m1n1k1/warm", "did you mean 'gemm'?");
  says("gemm/bias_silo/f32.f32.f32/m1n1k1/warm", "did you mean 'bias_silu'?");
  says("gemm/none/fp32.f32.f32/m1n1k1/warm", "did you mean 'f32'?");
  says("gemm/none/f32.f32/m1n1k1/warm", "write A.B.OUT");
  says("gemm/none/f32.f32.f32/m1k1n1/warm", "write m#n#k#");
  says("gemm/none/f32.f32.f32/m1n1k1/wram", "did you mean 'warm'?");
  says("gemm/none/f32.f32.f32/m1n1k1/repak/warm", "did you mean 'repack'?");
  says("gemm/none/f32.f32.f32/m1n1k1", "ends before its mode");
  says("stream/copy/f32/1024mib/cold", "write stream/copy/f32/1gib/cold");
  says("collective/all_reduce/bf16/128mib/steady", "write n8 after the size");
  says("transfer/d2d/pinned/1gib", "write device");
  says("peak/fma/f32/warm", "goes on with 'warm'");
}

TEST(CaseId, hostile_text_is_refused_and_shown_as_printable_text) {
  EXPECT_NE(refusal(std::string_view("gemm\0none", 9)).find("gemm\\x00none"), std::string::npos);
  EXPECT_NE(refusal("stream/copy/f32/\xff\xfe/cold").find("\\xff\\xfe"), std::string::npos);
  EXPECT_NE(refusal("gemm/none/f32.f32.f32/m\n1n1k1/warm").find("\\x0a"), std::string::npos);
  EXPECT_NE(refusal(std::string(5000, 'a')), "");
  EXPECT_LT(refusal(std::string(4000, 'a')).size(), 500u);
  EXPECT_NE(refusal("gemm/none/f32.f32.f32/m99999999999999999999n1k1/warm").find("2^63 - 1"), std::string::npos);
  EXPECT_NE(refusal("gemm/none/f32.f32.f32/m-1n1k1/warm"), "");
  EXPECT_NE(refusal("gemm/none/f32.f32.f32/m1e3n1k1/warm"), "");
  EXPECT_NE(refusal("gemm/none/f32.f32.f32/m1n1k1/groups1x99999999999/warm").find("65536"), std::string::npos);
}

TEST(CaseNames, operations_and_modes_read_back) {
  for (std::uint32_t op = SITS_OP_GEMM; op <= SITS_OP_PEAK; ++op)
    EXPECT_EQ(parse_op(op_name(static_cast<Op>(op))), static_cast<Op>(op));
  for (const Mode mode : {Mode::none, Mode::cold, Mode::warm, Mode::steady})
    EXPECT_EQ(parse_mode(mode_name(mode)), mode);
  EXPECT_THROW(parse_mode("hot"), CaseError);
  EXPECT_THROW(op_name(static_cast<Op>(99)), CaseError);
}

TEST(CaseParameters, an_id_beside_parameters_of_another_case_is_refused) {
  nlohmann::json object = parameters(parse_id("stream/copy/f32/1gib/cold"));
  object["bytes"] = 4096;
  EXPECT_THROW(from_parameters(object), CaseError);
  object["id"] = "stream/copy/f32/4kib/cold";
  EXPECT_NO_THROW(from_parameters(object));
}

TEST(CaseParameters, defaults_are_those_of_id_version_1) {
  const auto id = [](const char *text) { return canonical_id(from_parameters(nlohmann::json::parse(text))); };
  EXPECT_EQ(id(R"({"op":"gemm","variant":"none","types":"f16.f16.f16","m":1,"n":2,"k":3,"type_acc":"f32"})"),
            "gemm/none/f16.f16.f16/m1n2k3/cold");
  EXPECT_EQ(id(R"({"op":"gemm","variant":"none","types":"f16.f16.f16","group_m":[4,5],"n":2,"k":3,"mode":"warm"})"),
            "gemm/none/f16.f16.f16/m9n2k3/groups4_5/warm");
  EXPECT_EQ(id(R"({"op":"attention","variant":"decode","types":"bf16","q_heads":8,"kv_heads":8,"kv_len":64,
                   "head_dim":64,"page_size":16})"),
            "attention/decode/bf16/b1hq8hkv8kv64d64/page16/cold");
  EXPECT_EQ(id(R"({"op":"collective","variant":"all_reduce","type":"f32","bytes":"1k","ranks":2})"),
            "collective/all_reduce/f32/1kib/n2/steady");
  EXPECT_EQ(id(R"({"op":"memory_latency","bytes":"64MiB"})"), "memory_latency/chase/64mib");
}

TEST(CaseParameters, wrong_kinds_of_value_are_refused) {
  for (const char *text : {
           R"({"op":"stream","variant":"copy","type":"f32","bytes":-4})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":4096.0})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":true})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":null})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":18446744073709551615})",
           R"({"op":"stream","variant":"copy","type":"f32"})",
           R"({"op":"stream","variant":"copy","type":32,"bytes":4096})",
           R"({"op":"stream","variant":"copy","type":"fp32","bytes":4096})",
           R"({"op":"stream","variant":"copy","type":"f32","bytes":4096,"size":1})",
           R"({"op":"collective","variant":"reduce","type":"f32","bytes":4096,"ranks":4294967298})",
           R"({"op":"collective","variant":"reduce","type":"f32","bytes":4096,"ranks":2,"graph":1})",
           R"({"op":"gemm","variant":"none","types":"f32.f32.f32","n":1,"k":1,"group_m":[1,"2"]})",
           R"({"op":"gemm","variant":"none","types":"f32.f32.f32","m":"4","n":1,"k":1})",
           R"({"variant":"copy"})",
           R"([])",
           R"({"op":7})",
           R"({"id":7})",
       }) {
    EXPECT_THROW(from_parameters(nlohmann::json::parse(text)), CaseError) << text;
  }
}

}  // namespace
}  // namespace sits::microbench
