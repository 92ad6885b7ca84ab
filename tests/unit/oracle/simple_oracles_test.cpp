// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "reference_executor.h"
#include "sits/dtype.h"

namespace sits::microbench::test {
namespace {

class RightStream : public ::testing::TestWithParam<const char *> {};

TEST_P(RightStream, is_ok_in_every_copy) {
  const Execution run(parse_id(GetParam()), 11, 2);
  for (const std::uint32_t copy : {0u, 1u}) {
    const Verification v = run.verify(copy);
    EXPECT_TRUE(v.ok()) << v.first_mismatch;
    EXPECT_EQ(v.checked, run.output_count());
  }
}

INSTANTIATE_TEST_SUITE_P(
    EveryKindAndType, RightStream,
    ::testing::Values("stream/copy/f32/128kib/warm", "stream/copy/f64/128kib/warm", "stream/copy/bf16/128kib/warm",
                      "stream/copy/i8/68kib/warm", "stream/scale/f16/128kib/warm", "stream/scale/f64/128kib/warm",
                      "stream/scale/f8/128kib/warm", "stream/add/f32/128kib/warm", "stream/add/bf16/128kib/warm",
                      "stream/add/f8/128kib/warm", "stream/add/f64/128kib/warm", "stream/triad/f32/128kib/warm",
                      "stream/triad/f64/128kib/warm", "stream/triad/f16/128kib/warm", "stream/triad/bf16/128kib/warm",
                      "stream/write/f32/128kib/warm", "stream/read/f32/200kib/warm", "stream/read/f64/200kib/warm",
                      "stream/read/bf16/200kib/warm", "stream/read/f8/64kib/warm", "stream/read/i8/200kib/warm",
                      "transfer/h2d/pinned/256kib"));

TEST(StreamOracle, a_copy_must_be_exact_and_arithmetic_may_be_one_unit_off) {
  Execution copy(parse_id("stream/copy/f32/128kib/warm"));
  copy.set_output_bits(77, copy.output_bits(77) + 1);
  EXPECT_EQ(copy.verify().mismatches, 1u);

  for (const char *id : {"stream/triad/f32/128kib/warm", "stream/add/bf16/128kib/warm"}) {
    Execution run(parse_id(id));
    std::uint64_t at = 0;
    while (std::fabs(run.output_value(at)) < 0.51 || std::fabs(run.output_value(at)) > 0.99) ++at;
    const std::uint64_t right = run.output_bits(at);
    run.set_output_bits(at, right + 3);
    EXPECT_EQ(run.verify().mismatches, 1u) << id;
  }
}

TEST(StreamOracle, scaling_forgotten_or_twice_is_incorrect) {
  for (const double factor : {0.0, 2.0, 0.5, -1.0}) {
    Execution run(parse_id("stream/triad/bf16/128kib/warm"));
    for (std::uint64_t i = 0; i < run.output_count(); ++i) run.set_output(i, factor * run.output_value(i));
    EXPECT_FALSE(run.verify().ok()) << factor;
  }
}

TEST(StreamOracle, an_unread_cache_line_or_a_swapped_block_changes_a_block_sum) {
  Execution run(parse_id("stream/read/f32/1mib/warm"));
  const double right = run.output_value(3);
  run.set_output(3, right - 1);
  EXPECT_NE(run.verify().first_mismatch.find("sum[3]"), std::string::npos);
  run.set_output(3, right);
  EXPECT_TRUE(run.verify().ok());
  Execution shifted(parse_id("stream/read/f32/1mib/warm"));
  for (std::uint64_t i = 0; i + 1 < run.output_count(); ++i) shifted.set_output(i, run.output_value(i + 1));
  EXPECT_FALSE(shifted.verify().ok());
}

TEST(StreamOracle, large_arrays_are_sampled_and_no_unwritten_page_escapes) {
  Execution run(parse_id("stream/copy/f64/72mib/warm"));
  const Verification right = run.verify();
  EXPECT_TRUE(right.ok()) << right.first_mismatch;
  EXPECT_EQ(right.method, "sampled");
  EXPECT_LT(right.checked, run.output_count());
  const std::uint64_t page = 512, last = run.output_count() - page;  // 4096 bytes, at any alignment
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{1000}, std::uint64_t{8192 - 7}, last}) {
    std::vector<std::uint64_t> saved;
    for (std::uint64_t i = 0; i < page; ++i) saved.push_back(run.output_bits(first + i));
    run.poison(first, page);
    for (const std::uint64_t seed : {1u, 2u, 3u}) EXPECT_FALSE(run.verify(0, seed).ok()) << first;
    for (std::uint64_t i = 0; i < page; ++i) run.set_output_bits(first + i, saved[i]);
  }
  for (const std::uint64_t edge : {std::uint64_t{0}, run.output_count() - 1}) {
    const std::uint64_t saved = run.output_bits(edge);
    run.poison(edge, 1);
    EXPECT_FALSE(run.verify().ok()) << edge;
    run.set_output_bits(edge, saved);
  }
}

TEST(TransferOracle, one_wrong_element_is_incorrect) {
  Execution run(parse_id("transfer/h2d/pinned/256kib"));
  run.set_output(1000, 0);
  const Verification v = run.verify();
  EXPECT_EQ(v.mismatches, 1u);
  EXPECT_NE(v.first_mismatch.find("dst[1000]"), std::string::npos);
}

TEST(PeakOracle, every_thread_must_end_at_exactly_two) {
  Execution run(parse_id("peak/fma/f32"));
  EXPECT_TRUE(run.verify().ok());
  EXPECT_EQ(run.verify().method, "closed_form");
  run.set_output(7, 1.9999999999999998);
  EXPECT_EQ(run.verify().mismatches, 1u);
  run.set_output(7, 0);
  EXPECT_FALSE(run.verify().ok());
}

TEST(MemoryLatencyOracle, walks_the_cycle_itself) {
  for (const char *id : {"memory_latency/chase/128b", "memory_latency/chase/16kib", "memory_latency/chase/1mib"}) {
    Execution run(parse_id(id));
    const Verification v = run.verify();
    EXPECT_TRUE(v.ok()) << id << ": " << v.first_mismatch;
    EXPECT_EQ(v.method, "cycle_walk");
    ++run.steps_total;
    EXPECT_FALSE(run.verify().ok()) << id;
  }
}

TEST(MemoryLatencyOracle, a_walk_of_no_steps_proves_nothing) {
  Execution run(parse_id("memory_latency/chase/16kib"));
  run.set_output(0, 0);
  run.steps_total = 0;
  EXPECT_FALSE(run.verify().ok());
}

TEST(MemoryLatencyOracle, later_checks_go_on_along_the_same_walk) {
  Execution run(parse_id("memory_latency/chase/16kib"));
  Oracle oracle(run.request());
  EXPECT_TRUE(oracle.verify(0, run.reader(), run.steps_total).ok());
  EXPECT_TRUE(oracle.verify(0, run.reader(), run.steps_total + 5 * 256).ok());  // whole rounds of 256 lines
  EXPECT_FALSE(oracle.verify(0, run.reader(), run.steps_total + 1).ok());
}

TEST(LaunchOracle, has_nothing_to_check_and_is_right) {
  const Verification v = Execution(parse_id("launch/round_trip")).verify();
  EXPECT_EQ(v.method, "none");
  EXPECT_TRUE(v.ok());
}

TEST(Oracle, refuses_attention_and_collectives_by_name) {
  const Case attention{AttentionSpec{}, Mode::cold}, collective{CollectiveSpec{}, Mode::steady};
  for (const auto &[c, word] : {std::pair{&attention, "attention"}, {&collective, "collective"}}) {
    OracleRequest request;
    request.test_case = c;
    try {
      Oracle oracle(request);
      FAIL() << word;
    } catch (const CaseError &error) {
      EXPECT_NE(std::string(error.what()).find(std::string("no oracle for ") + word), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace sits::microbench::test
