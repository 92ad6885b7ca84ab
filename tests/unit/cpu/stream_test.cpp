// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "backends/cpu/host_facts.h"
#include "tests/unit/cpu/abi_fixture.h"

namespace sits::cpu {
namespace {

struct StreamCase {
  std::uint32_t kind, type;
  std::uint64_t count;
  const char *threads;
};

void PrintTo(const StreamCase &c, std::ostream *out) {
  *out << "kind " << c.kind << " " << dtype_name(c.type) << " count " << c.count << " threads " << c.threads;
}

/// The value an output element must have, from the inputs as the device holds them.
double expected(const StreamCase &c, const std::vector<std::vector<std::uint64_t>> &inputs, std::size_t i) {
  const auto input = [&](std::size_t index) { return decode(c.type, inputs[index][i]); };
  switch (c.kind) {
    case SITS_STREAM_COPY: return input(0);
    case SITS_STREAM_SCALE: return 0.5 * input(0);
    case SITS_STREAM_ADD: return input(0) + input(1);
    case SITS_STREAM_TRIAD: return input(0) + 0.5 * input(1);
    default: return 0.5;
  }
}

double block_sum(const StreamCase &c, const std::vector<std::uint64_t> &input, std::size_t block) {
  const std::size_t elements = SITS_STREAM_READ_BLOCK_BYTES / (bits_of(c.type) / 8);
  double sum = 0;
  for (std::size_t i = block * elements; i < std::min(input.size(), (block + 1) * elements); ++i)
    sum += decode(c.type, input[i]);
  return sum;
}

class StreamKinds : public AbiTest, public ::testing::WithParamInterface<StreamCase> {};

TEST_P(StreamKinds, computes_every_element_from_generated_inputs) {
  const StreamCase c = GetParam();
  if (std::stoul(c.threads) > affinity_mask().size()) GTEST_SKIP() << "one CPU";
  ASSERT_EQ(open({{"threads", c.threads}}), SITS_OK) << error_.message;
  const sits_stream_spec spec{sizeof spec, c.kind, c.type, 0, bytes_of(c.type, c.count)};
  const sits_case test_case = make_case(SITS_OP_STREAM, spec);
  ASSERT_EQ(query(test_case), SITS_OK) << error_.message;
  const AbiWorkload workload = prepare(test_case);
  const auto tensors = workload.tensors();
  ASSERT_EQ(workload.run(1, 1, SITS_RUN_POISON_BEFORE).status, SITS_OK);

  std::vector<std::vector<std::uint64_t>> inputs;
  for (std::uint32_t t = 0; t + 1 < tensors.size(); ++t) {
    inputs.push_back(workload.bits(t, 0));
    const std::uint32_t key = tensor_key(kSeed, tensors[t].stream);
    for (std::size_t i = 0; i < inputs[t].size(); ++i)
      ASSERT_EQ(inputs[t][i], generated_bits(c.type, tensors[t].fill, key, i)) << tensors[t].name << "[" << i << "]";
  }
  const auto last = static_cast<std::uint32_t>(tensors.size() - 1);
  const std::vector<std::uint64_t> output = workload.bits(last, 0);
  for (std::size_t i = 0; i < output.size(); ++i) {
    if (c.kind == SITS_STREAM_READ)
      ASSERT_EQ(decode(tensors[last].type, output[i]), block_sum(c, inputs[0], i)) << "block " << i;
    else
      ASSERT_EQ(output[i],
                encode(c.type, static_cast<double>(c.type == SITS_F64 ? expected(c, inputs, i)
                                                                      : static_cast<float>(expected(c, inputs, i)))))
          << "element " << i;
  }
}

std::vector<StreamCase> stream_cases() {
  std::vector<StreamCase> cases;
  for (const std::uint32_t type : {SITS_F64, SITS_F32, SITS_F16, SITS_BF16})
    for (std::uint32_t kind = SITS_STREAM_COPY; kind <= SITS_STREAM_WRITE; ++kind)
      for (const char *threads : {"1", "2"}) {
        for (const std::uint64_t count : {1u, 37u, 1000u}) cases.push_back({kind, type, count, threads});
        cases.push_back({kind, type, 70001, threads});  // beyond the second-level cache with f64: other stores
      }
  cases.push_back({SITS_STREAM_COPY, SITS_I8, 12345, "2"});
  return cases;
}
INSTANTIATE_TEST_SUITE_P(AllKinds, StreamKinds, ::testing::ValuesIn(stream_cases()));

TEST_F(AbiTest, stream_rotates_copies_across_calls) {
  ASSERT_EQ(open({{"threads", "1"}}), SITS_OK) << error_.message;
  const sits_stream_spec spec{sizeof spec, SITS_STREAM_COPY, SITS_F32, 0, 4096};
  const AbiWorkload workload = prepare(make_case(SITS_OP_STREAM, spec, SITS_MODE_COLD), 1 << 20, 3);
  ASSERT_EQ(workload.tensors().at(0).copies, 3u);
  EXPECT_EQ(workload.run(1, 1, SITS_RUN_POISON_BEFORE).samples.current_copy, 0u);
  EXPECT_EQ(workload.bits(1, 0), workload.bits(0, 0));
  EXPECT_EQ(workload.bits(1, 1).at(0), 0xffffffffu);  // still poisoned
  EXPECT_EQ(workload.run(1, 1, 0).samples.current_copy, 1u);
  EXPECT_EQ(workload.bits(1, 1), workload.bits(0, 1));
  EXPECT_NE(workload.bits(0, 1), workload.bits(0, 0));  // every copy has its own data
  EXPECT_EQ(workload.run(2, 1, 0).samples.current_copy, 0u);
  EXPECT_EQ(workload.run(1, 1, SITS_RUN_NO_ROTATE).samples.current_copy, 0u);
}

TEST_F(AbiTest, stream_uses_one_copy_when_nothing_rotates_and_enough_when_it_does) {
  ASSERT_EQ(open({{"threads", "1"}}), SITS_OK) << error_.message;
  const sits_stream_spec spec{sizeof spec, SITS_STREAM_READ, SITS_F32, 0, 1 << 20};
  const sits_case test_case = make_case(SITS_OP_STREAM, spec, SITS_MODE_COLD);
  ASSERT_EQ(query(test_case), SITS_OK);
  EXPECT_EQ(prepare(test_case).tensors().at(0).copies, 1u);
  const std::uint64_t rotation = 10 << 20;
  EXPECT_GE(prepare(test_case, rotation).tensors().at(0).copies * support_.copy_bytes, rotation);
  EXPECT_EQ(prepare(test_case, 1).tensors().at(0).copies, 2u);
}

TEST_F(AbiTest, stream_refuses_what_it_cannot_do_with_a_reason) {
  ASSERT_EQ(open(), SITS_OK) << error_.message;
  const sits_stream_spec integers{sizeof integers, SITS_STREAM_TRIAD, SITS_I8, 0, 4096};
  EXPECT_EQ(query(make_case(SITS_OP_STREAM, integers)), SITS_UNSUPPORTED);
  EXPECT_NE(std::string(error_.message).find("i8"), std::string::npos) << error_.message;
  const sits_stream_spec odd{sizeof odd, SITS_STREAM_COPY, SITS_F32, 0, 4097};
  EXPECT_EQ(query(make_case(SITS_OP_STREAM, odd)), SITS_INVALID_ARGUMENT);
  const sits_stream_spec none{sizeof none, SITS_STREAM_COPY, SITS_F32, 0, 0};
  EXPECT_EQ(query(make_case(SITS_OP_STREAM, none)), SITS_INVALID_ARGUMENT);
  const sits_stream_spec kind{sizeof kind, 77, SITS_F32, 0, 4096};
  EXPECT_EQ(query(make_case(SITS_OP_STREAM, kind)), SITS_UNSUPPORTED);
  const sits_stream_spec good{sizeof good, SITS_STREAM_COPY, SITS_F32, 0, 4096};
  sits_case pinned = make_case(SITS_OP_STREAM, good);
  pinned.provider = "onednn";
  EXPECT_EQ(query(pinned), SITS_UNSUPPORTED);
  EXPECT_NE(std::string(error_.message).find("onednn"), std::string::npos);
  EXPECT_EQ(query(make_case(99, good)), SITS_UNSUPPORTED);
}

TEST_F(AbiTest, stream_says_out_of_memory_before_it_touches_what_is_not_there) {
  ASSERT_EQ(open(), SITS_OK) << error_.message;
  const sits_stream_spec spec{sizeof spec, SITS_STREAM_READ, SITS_F32, 0, std::uint64_t{1} << 45};
  const sits_case test_case = make_case(SITS_OP_STREAM, spec);
  ASSERT_EQ(query(test_case), SITS_OK) << "a query compares nothing with the memory";
  EXPECT_GE(support_.copy_bytes, spec.bytes);
  const std::uint32_t device = 0;
  const sits_prepare request{sizeof(sits_prepare), 1, &device, &test_case, nullptr, 0, 0, 0};
  sits_workload *workload = nullptr;
  EXPECT_EQ(table_->prepare(session_, &request, &workload, &error_), SITS_OUT_OF_MEMORY);
  EXPECT_EQ(workload, nullptr);
}

}  // namespace
}  // namespace sits::cpu
