// SPDX-License-Identifier: Apache-2.0
//
// The oracle: is an output right? Recomputes from the input generator in double precision and compares element by
// element or by projection (docs/method.md, "Right before fast"). Knows nothing of backends: outputs come through a
// Reader.
#pragma once

#include <cstdint>
#include <functional>
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
  std::string method;         // "freivalds", "sampled", "exact_blocks", "closed_form", "cycle_walk"
  std::uint64_t checked = 0;  // elements that a failure would have shown in
  std::uint64_t mismatches = 0;
  double max_rel_error = 0;    // largest |y - ref| / max(|ref|, scale of the reference)
  double tolerance = 0;        // the bound that error was held against, relative to the same scale
  std::string first_mismatch;  // "C[17,3]: got 0, expected 1.25 ± 0.002"; empty when right
  bool ok() const { return mismatches == 0 && checked > 0; }
};

/// Checks the outputs of one copy. Throws CaseError when the tensors are not those the case must have (names, counts,
/// types), and whatever the reader throws.
Verification verify(const OracleRequest &request, const Reader &read);

}  // namespace sits::microbench
