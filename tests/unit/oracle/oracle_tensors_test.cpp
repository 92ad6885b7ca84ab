// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "reference_executor.h"

namespace sits::microbench::test {
namespace {

/// The message of the CaseError that checking `run` after `change` gives, "" when it gives none.
template <class Change>
std::string complaint(const char *id, Change change) {
  Execution run(parse_id(id));
  change(run.tensors());
  try {
    run.verify();
  } catch (const CaseError &error) {
    return error.what();
  }
  return "";
}

constexpr const char *kGemm = "gemm/bias/f16.f16.f16/m8n8k8/warm";

TEST(OracleTensors, missing_or_different_ones_are_errors_that_name_them) {
  using Tensors = std::vector<TensorInfo>;
  EXPECT_EQ(complaint(kGemm, [](Tensors &) {}), "");
  EXPECT_EQ(complaint(kGemm, [](Tensors &t) { t[2].name = "bais"; }), "the workload has no tensor bias");
  EXPECT_EQ(complaint(kGemm, [](Tensors &t) { t[0].count = 63; }), "tensor A has 63 elements, expected 64");
  EXPECT_NE(complaint(kGemm, [](Tensors &t) { t[3].type = SITS_F32; }).find("C was run as f32"), std::string::npos);
  EXPECT_NE(complaint(kGemm, [](Tensors &t) { t[2].type = SITS_F16; }).find("tensor bias is f16"), std::string::npos);
  EXPECT_NE(complaint(kGemm, [](Tensors &t) { t[3].role = SITS_ROLE_INPUT; }).find("tensor C has role 0"),
            std::string::npos);
  EXPECT_NE(complaint(kGemm, [](Tensors &t) { t[1].fill = SITS_FILL_SMALL_INTEGER; }).find("tensor B has fill"),
            std::string::npos);
  EXPECT_NE(complaint(kGemm, [](Tensors &t) { t[1].stream = t[0].stream; }).find("share"), std::string::npos);
  EXPECT_NE(complaint("stream/read/f32/128kib/warm", [](Tensors &t) { t[1].count = 1; }).find("sum"),
            std::string::npos);
  EXPECT_NE(complaint("peak/fma/f32", [](Tensors &t) { t[0].name = "out"; }).find("acc"), std::string::npos);
  EXPECT_NE(complaint("memory_latency/chase/16kib", [](Tensors &t) { t[0].count = 2; }).find("last"),
            std::string::npos);
  EXPECT_NE(complaint("transfer/h2d/pinned/256kib", [](Tensors &t) { t[0].count = 5; }).find("src"), std::string::npos);
}

TEST(OracleTensors, an_encoding_of_f8_is_accepted_and_another_type_is_not) {
  const Execution run(parse_id("gemm/none/f8.f8.f16/m8n8k8/warm"));
  OracleRequest request = run.request();
  EXPECT_TRUE(verify(request, run.reader()).ok());
  request.type_a = SITS_F8_E5M2;
  EXPECT_THROW(verify(request, run.reader()), CaseError);
  request.type_a = SITS_DTYPE_NONE;
  EXPECT_THROW(verify(request, run.reader()), CaseError);
}

TEST(OracleTensors, a_copy_that_is_not_there_is_an_error) {
  const Execution run(parse_id(kGemm), 1, 2);
  Oracle oracle(run.request());
  EXPECT_THROW(oracle.verify(2, run.reader()), CaseError);
}

TEST(OracleTensors, an_output_of_one_copy_goes_with_every_copy_of_the_inputs) {
  Execution run(parse_id("stream/copy/f32/64kib/warm"), 1, 2);
  run.tensors()[1].copies = 1;
  const Reader last_written = [&](std::size_t index, std::uint32_t copy, std::uint64_t first, std::uint64_t count) {
    EXPECT_EQ(copy, 0u);
    return run.reader()(index, 1, first, count);
  };
  EXPECT_TRUE(verify(run.request(1), last_written).ok());
}

TEST(OracleTensors, a_reader_that_hands_back_too_little_or_throws_is_reported) {
  const Execution run(parse_id(kGemm));
  Oracle oracle(run.request());
  EXPECT_THROW(oracle.verify(0, [](auto...) { return std::vector<std::byte>(3); }), CaseError);
  EXPECT_THROW(oracle.verify(0, [](auto...) -> std::vector<std::byte> { throw std::runtime_error("lost"); }),
               std::runtime_error);
  EXPECT_TRUE(oracle.verify(0, run.reader()).ok());
}

}  // namespace
}  // namespace sits::microbench::test
