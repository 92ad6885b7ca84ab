// SPDX-License-Identifier: Apache-2.0
//
// The oracle: is an output right? Recomputes from the input generator in double precision and compares element by
// element or by projection (docs/method.md, "Right before fast"). Knows nothing of backends: outputs come through a
// Reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "microbench/case.h"

namespace sits::microbench {

/// A logical tensor of a prepared workload, the C++ side of sits_tensor.
struct TensorInfo {
  std::string name;
  std::uint32_t role = SITS_ROLE_INPUT;
  std::uint32_t type = SITS_DTYPE_NONE;
  std::uint32_t fill = SITS_FILL_NONE;
  std::uint64_t count = 0;
  std::uint64_t stream = 0;
  std::uint32_t copies = 1;
};

/// Reads `count` elements of tensor `index`, copy `copy`, from element `first`, as packed raw bytes. Throws on failure.
using Reader = std::function<std::vector<std::byte>(std::size_t index, std::uint32_t copy, std::uint64_t first,
                                                    std::uint64_t count)>;

struct OracleRequest {
  const Case *test_case = nullptr;
  std::span<const TensorInfo> tensors;
  std::uint32_t copy = 0;         // whose outputs to check
  std::uint64_t seed = 0;         // the generator's
  std::uint64_t sample_seed = 0;  // picks what is sampled, where not everything is checked
  std::uint32_t type_a = SITS_DTYPE_NONE, type_b = SITS_DTYPE_NONE;  // as resolved by the backend (f8 encodings)
  std::uint32_t type_acc = SITS_DTYPE_NONE;                          // accumulation actually used
  std::uint64_t steps_total = 0;                                     // memory_latency
};

struct Verification {
  /// gemm: "recomputed" (every element), "freivalds" (a sample of each row and projections of every element) or
  /// "sampled"; stream and transfer: "recomputed" or "sampled", READ "exact_blocks"; peak: "closed_form";
  /// memory_latency: "cycle_walk"; launch: "none".
  std::string method;
  std::uint64_t checked = 0;  // comparisons with a reference
  std::uint64_t mismatches = 0;
  /// |got - expected| / max(|expected|, root mean square of the reference), and the bound on the same scale, both of
  /// the finite element that came closest to its bound or went furthest beyond it. 0 and 0 where only equality counts.
  double max_rel_error = 0;
  double tolerance = 0;
  std::string first_mismatch;  // "C[17,3]: got 0, expected 1.25 ± 0.002"; empty when right
  bool ok() const { return mismatches == 0 && (checked > 0 || method == "none"); }
};

/// Checks one kind of operation; implemented per operation in *_oracle.cpp.
class Checker {
 public:
  virtual ~Checker() = default;
  virtual Verification check(std::uint32_t copy, std::uint64_t steps_total, const Reader &read) = 0;
};

/// Verifies the outputs of one prepared workload as often as asked. The reference of the copy checked last is kept, so
/// that a second check of that copy costs the comparison only.
class Oracle {
 public:
  /// Copies what it needs of `request`, whose `copy` and `steps_total` it ignores. Throws CaseError when the tensors
  /// are not those the case must have (names, roles, types, counts), and for attention and collectives, which this
  /// version cannot check.
  explicit Oracle(const OracleRequest &request);
  ~Oracle();
  Oracle(Oracle &&) noexcept;
  Oracle &operator=(Oracle &&) noexcept;

  /// `steps_total` is sits_samples.steps_total and used by memory_latency only. Throws CaseError when there is no such
  /// copy, and whatever the reader throws.
  Verification verify(std::uint32_t copy, const Reader &read, std::uint64_t steps_total = 0);

 private:
  std::uint32_t copies_;
  std::unique_ptr<Checker> checker_;
};

/// One check: Oracle(request).verify(request.copy, read, request.steps_total).
Verification verify(const OracleRequest &request, const Reader &read);

}  // namespace sits::microbench
