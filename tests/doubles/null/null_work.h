// SPDX-License-Identifier: Apache-2.0
//
// What the null device computes: stream and small f32 GEMM in host memory, peak by definition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sits/backend.h"

namespace sits::null_backend {

struct NullTensor {
  std::string name;
  std::uint32_t role = SITS_ROLE_INPUT, type = SITS_F32, fill = SITS_FILL_NONE;
  std::uint64_t count = 0, stream = 0;
};

/// A case the null device knows: its tensors, and how long one iteration takes on its clock.
struct NullShape {
  std::vector<NullTensor> tensors;
  double iteration_ns = 0, peak_flops = 0;
  std::uint64_t copy_bytes() const;
};

/// Throws sdk::Failure{SITS_UNSUPPORTED} for what it does not know.
NullShape shape_of(const sits_case &test_case);

/// The host copy of a case: the spec is copied, the rest of sits_case does not outlive the call that brought it.
class NullWork {
 public:
  NullWork(const sits_case &test_case, std::uint32_t copies);
  const NullShape &shape() const { return shape_; }
  std::uint32_t copies() const { return static_cast<std::uint32_t>(data_.size()); }
  void compute(std::uint32_t copy);
  void poison();
  void zero_outputs();
  const std::byte *bytes(std::uint32_t tensor, std::uint32_t copy) const { return data_[copy][tensor].data(); }

 private:
  double value(std::uint32_t copy, std::size_t tensor, std::uint64_t index) const;
  void store(std::uint32_t copy, std::size_t tensor, std::uint64_t index, double value);
  void fill_outputs(bool poison);
  void compute_stream(std::uint32_t copy);
  void compute_gemm(std::uint32_t copy);

  std::uint32_t op_;
  sits_stream_spec stream_{};
  sits_gemm_spec gemm_{};
  NullShape shape_;
  std::vector<std::vector<std::vector<std::byte>>> data_;  // [copy][tensor]
  std::vector<bool> fresh_;                                // outputs of the copy are computed
};

}  // namespace sits::null_backend
