// SPDX-License-Identifier: Apache-2.0
//
// A slow executor of any gemm, stream, peak, memory_latency or transfer case in memory, written from the contract with
// the scalar functions of sits/generator.h and sits/dtype.h alone, with a chosen accumulation and chosen mistakes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "microbench/oracle.h"

namespace sits::microbench::test {

/// How an executor can go wrong.
struct Mistake {
  bool missing_bias = false;
  bool missing_epilogue = false;
  std::int64_t dropped_k = 0;       // this many products at the end of K are left out
  bool multiplies_as_bf16 = false;  // operands rounded to bf16 first
};

/// How products are summed.
enum class Accumulate {
  sequential,      // one chain, each step rounded to nearest in the accumulation type
  truncated_by_16  // blocks of 16 exact, then added with truncation: a matrix unit
};

/// A prepared and executed workload.
class Execution {
 public:
  explicit Execution(const Case &c, std::uint64_t seed = 42, std::uint32_t copies = 1, Mistake mistake = {},
                     Accumulate accumulate = Accumulate::sequential);

  /// A request for this workload; valid while the execution lives.
  OracleRequest request(std::uint32_t copy = 0, std::uint64_t sample_seed = 7) const;
  Reader reader() const;
  Verification verify(std::uint32_t copy = 0, std::uint64_t sample_seed = 7) const;

  const Case &test_case() const { return case_; }
  std::vector<TensorInfo> &tensors() { return tensors_; }
  std::size_t output() const { return output_; }
  std::uint64_t output_count() const { return tensors_[output_].count; }
  double output_value(std::uint64_t index, std::uint32_t copy = 0) const;
  void set_output(std::uint64_t index, double value, std::uint32_t copy = 0);
  void set_output_bits(std::uint64_t index, std::uint64_t bits, std::uint32_t copy = 0);
  std::uint64_t output_bits(std::uint64_t index, std::uint32_t copy = 0) const;
  /// Overwrites elements with the type's poison pattern, as if nothing had written them.
  void poison(std::uint64_t first, std::uint64_t count, std::uint32_t copy = 0);

  std::uint64_t steps_total = 0;

 private:
  std::size_t add(const std::string &name, std::uint32_t role, std::uint32_t type, std::uint32_t fill,
                  std::uint64_t count);
  double input(const std::string &name, std::uint64_t index, std::uint32_t copy) const;
  struct Part {  // a batch or group
    std::uint64_t index, first_row, rows, first_bias;
  };
  double operand(const std::string &name, std::uint64_t first, std::uint64_t lines, std::uint64_t k,
                 bool lines_contiguous, std::uint64_t line, std::uint64_t l, std::uint32_t copy) const;
  void multiply(const GemmSpec &spec, const Part &part, std::uint32_t copy);
  double finish(const GemmSpec &spec, double sum, std::uint64_t bias_index, std::uint32_t copy) const;
  void run(const GemmSpec &spec);
  void run(const StreamSpec &spec);
  void run(const PeakSpec &spec);
  void run(const MemoryLatencySpec &spec);
  void run(const TransferSpec &spec);
  void run(const LaunchSpec &spec);
  void run(const AttentionSpec &spec);
  void run(const CollectiveSpec &spec);

  Case case_;
  std::uint64_t seed_;
  std::uint32_t copies_;
  Mistake mistake_;
  Accumulate accumulate_;
  std::vector<TensorInfo> tensors_;
  std::size_t output_ = 0;
  std::vector<std::vector<std::byte>> outputs_;  // per copy
};

/// The encoding this executor runs a requested type in: SITS_F8 as OCP e4m3.
std::uint32_t executed_type(std::uint32_t type);

}  // namespace sits::microbench::test
