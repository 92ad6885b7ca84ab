// SPDX-License-Identifier: Apache-2.0
//
// Every wrong output that docs/method.md names is `incorrect` for every case of every shipped suite. Large cases are
// represented by smaller ones of the same kind, since the executor is slow.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "microbench/suite.h"
#include "reference_executor.h"

namespace sits::microbench::test {
namespace {

Case working_copy(Case c) {
  if (auto *gemm = std::get_if<GemmSpec>(&c.spec)) {
    gemm->m = std::min<std::int64_t>(gemm->m, 136);
    gemm->n = std::min<std::int64_t>(gemm->n, 136);
    gemm->k = std::min<std::int64_t>(gemm->k, 1024);
    gemm->batch = std::min<std::int64_t>(gemm->batch, 2);
    if (!gemm->group_m.empty()) {
      gemm->group_m = {40, 0, 30};
      gemm->m = 70;
    }
  }
  if (auto *stream = std::get_if<StreamSpec>(&c.spec)) stream->bytes = std::min<std::uint64_t>(stream->bytes, 1 << 20);
  if (auto *chase = std::get_if<MemoryLatencySpec>(&c.spec))
    chase->bytes = std::min<std::uint64_t>(chase->bytes, 1 << 20);
  if (auto *move = std::get_if<TransferSpec>(&c.spec)) move->bytes = std::min<std::uint64_t>(move->bytes, 1 << 20);
  return c;
}

bool is_product(const Case &c) { return op_of(c) == Op::gemm; }
bool has_output(const Case &c) {  // that this version has an oracle for
  return op_of(c) != Op::attention && op_of(c) != Op::collective && op_of(c) != Op::launch;
}

/// The distinct working copies of all cases of all shipped suites that are `wanted`.
std::vector<std::pair<std::string, Case>> suite_cases(bool (*wanted)(const Case &)) {
  std::vector<std::pair<std::string, Case>> cases;
  for (const auto &file : std::filesystem::directory_iterator(SITS_SUITES_DIR)) {
    if (file.path().extension() != ".json") continue;
    std::ifstream in(file.path());
    std::stringstream text;
    text << in.rdbuf();
    for (const SuiteCase &entry : parse_suite(text.str(), file.path().filename().string()).cases) {
      if (!wanted(entry.test_case)) continue;
      const Case small = working_copy(entry.test_case);
      const auto same = [&](const auto &known) { return known.second == small; };
      if (std::none_of(cases.begin(), cases.end(), same)) cases.emplace_back(canonical_id(small), small);
    }
  }
  return cases;
}

class SuiteOutput : public ::testing::TestWithParam<std::pair<std::string, Case>> {
 protected:
  const Case &test_case() const { return GetParam().second; }
  Execution execute(Mistake mistake = {}) const { return Execution(test_case(), 5, 1, mistake); }
};
class SuiteProduct : public SuiteOutput {
 protected:
  const GemmSpec &spec() const { return std::get<GemmSpec>(test_case().spec); }
};

TEST_P(SuiteOutput, right_output_is_ok) {
  const Verification v = execute().verify();
  EXPECT_TRUE(v.ok()) << v.first_mismatch;
}

TEST_P(SuiteOutput, all_zero_or_unwritten_output_is_incorrect) {
  Execution run = execute();
  if (op_of(test_case()) != Op::memory_latency) {  // line 0 may be where the walk ends
    for (std::uint64_t i = 0; i < run.output_count(); ++i) run.set_output(i, 0);
    EXPECT_FALSE(run.verify().ok());
  }
  run.poison(0, run.output_count());
  EXPECT_FALSE(run.verify().ok());
}

TEST_P(SuiteOutput, one_unwritten_element_or_block_is_incorrect) {
  Execution run = execute();
  const std::uint64_t count = run.output_count();
  for (const std::uint64_t block : {std::uint64_t{1}, std::uint64_t{64}})
    for (const std::uint64_t at : {std::uint64_t{0}, count / 2 + 3, count - 1}) {
      const std::uint64_t first = std::min(at, count - std::min(block, count));
      std::vector<std::uint64_t> saved;
      for (std::uint64_t i = first; i < std::min(count, first + block); ++i) saved.push_back(run.output_bits(i));
      run.poison(first, saved.size());
      EXPECT_FALSE(run.verify().ok()) << block << " at " << first;
      for (std::uint64_t i = 0; i < saved.size(); ++i) run.set_output_bits(first + i, saved[i]);
    }
  EXPECT_TRUE(run.verify().ok());
}

TEST_P(SuiteProduct, stale_rows_blocks_and_transposes_of_a_product_are_incorrect) {
  const Execution right = execute();
  const auto n = static_cast<std::uint64_t>(spec().n), m = static_cast<std::uint64_t>(spec().m);
  Execution row = right;
  for (std::uint64_t j = 0; j < n && m > 1; ++j) row.set_output_bits((m / 2) * n + j, right.output_bits(j));
  EXPECT_TRUE(m == 1 || !row.verify().ok());
  Execution column = right;
  for (std::uint64_t i = 0; i < m; ++i) column.set_output_bits(i * n + n - 1, right.output_bits(i * n));
  EXPECT_FALSE(column.verify().ok());
  Execution block = right;  // 64 elements left over from elsewhere: no poison gives them away
  for (std::uint64_t i = 0; i < 64; ++i) block.set_output_bits(i + 1, right.output_bits(i));
  EXPECT_FALSE(block.verify().ok());
  Execution transposed = right;
  for (std::uint64_t i = 0; i < std::min(m, n); ++i)
    for (std::uint64_t j = 0; j < std::min(m, n); ++j)
      transposed.set_output_bits(i * n + j, right.output_bits(j * n + i));
  EXPECT_TRUE(m == 1 || !transposed.verify().ok());
}

TEST_P(SuiteProduct, one_flipped_sign_in_a_product_is_incorrect) {
  Execution run = execute();
  for (std::uint64_t i = 0, tried = 0; i < run.output_count() && tried < 5; i += 7) {
    const double right = run.output_value(i);
    if (std::fabs(right) < 0.25) continue;
    ++tried;
    run.set_output(i, -right);
    EXPECT_EQ(run.verify().mismatches, 1u) << i;
    run.set_output(i, right);
  }
}

TEST_P(SuiteProduct, dropped_products_bias_or_epilogue_are_incorrect) {
  for (const std::int64_t dropped : {16, 32, 64}) {
    if (spec().k <= dropped) continue;
    EXPECT_FALSE(execute({.dropped_k = dropped}).verify().ok()) << dropped;
  }
  if (spec().epilogue == SITS_EPILOGUE_NONE) return;
  EXPECT_FALSE(execute({.missing_bias = true}).verify().ok());
  if (spec().epilogue == SITS_EPILOGUE_BIAS) return;
  EXPECT_FALSE(execute({.missing_epilogue = true}).verify().ok());
}

std::string test_name(const ::testing::TestParamInfo<std::pair<std::string, Case>> &parameter) {
  std::string name = parameter.param.first;
  for (char &c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(ShippedSuites, SuiteOutput, ::testing::ValuesIn(suite_cases(has_output)), test_name);
INSTANTIATE_TEST_SUITE_P(ShippedSuites, SuiteProduct, ::testing::ValuesIn(suite_cases(is_product)), test_name);

}  // namespace
}  // namespace sits::microbench::test
