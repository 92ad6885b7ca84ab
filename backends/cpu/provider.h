// SPDX-License-Identifier: Apache-2.0
//
// A way to compute a GEMM: a vendor's library or a kernel of our own. gemm_select.cpp measures those that can.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/gemm_problem.h"
#include "backends/cpu/workload.h"

namespace sits::cpu {

/// Operands of one rotated copy; they outlive the plan. `packed` is NULL when the plan asks for no packed weights.
struct GemmOperands {
  const void *a = nullptr;
  const void *b = nullptr;
  const float *bias = nullptr;
  void *c = nullptr;
  void *packed = nullptr;
};

/// One problem made ready. Calls come from the session's thread and may throw sdk::Failure.
class GemmPlan {
 public:
  virtual ~GemmPlan() = default;
  virtual std::string description() const = 0;  // name, version, kernel: "onednn 2.6.3 brg:avx2"
  /// Bytes of one copy of the weights in the provider's layout; 0: it reads the plain B.
  virtual std::size_t packed_bytes() const { return 0; }
  /// True when a library's own threads do the work: the pool must be parked first.
  virtual bool uses_library_threads() const { return false; }
  virtual void bind(std::vector<GemmOperands> copies) = 0;
  virtual void pack(std::uint32_t /*copy*/) {}
  virtual void run(std::uint32_t copy) = 0;
};

class GemmProvider {
 public:
  virtual ~GemmProvider() = default;
  virtual const char *name() const = 0;
  /// Why it cannot compute the problem here; empty when it can. Cheap after the first call.
  virtual std::string refusal(const GemmProblem &problem, const Context &context) const = 0;
  virtual std::unique_ptr<GemmPlan> plan(const GemmProblem &problem, Context &context) const = 0;
};

const GemmProvider &onednn_provider();
const GemmProvider &openblas_provider();
const GemmProvider &sits_provider();
const GemmProvider &gemv_provider();

/// All of them in order of preference.
inline std::array<const GemmProvider *, 4> gemm_providers() {
  return {&onednn_provider(), &openblas_provider(), &sits_provider(), &gemv_provider()};
}

}  // namespace sits::cpu
