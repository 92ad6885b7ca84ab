// SPDX-License-Identifier: Apache-2.0
//
// A GEMM case for tests: builds the C spec, prepares it, and compares C with a double-precision reference over the
// generated inputs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/workload.h"

namespace sits::cpu::testing {

struct GemmCase {
  std::uint32_t type_a = SITS_F32, type_b = SITS_F32, type_out = SITS_F32;
  std::int64_t m = 1, n = 1, k = 1, batch = 1;
  std::uint32_t epilogue = SITS_EPILOGUE_NONE;
  bool trans_a = false, trans_b = false;
  std::vector<std::int64_t> groups = {};
  double scale = 1.0;
  bool repack = false;
  std::uint32_t type_acc = SITS_DTYPE_NONE;
  std::uint32_t block_size = 0;

  std::string text() const;
};

/// The C view of a case; lives as long as both.
class AbiGemm {
 public:
  explicit AbiGemm(const GemmCase &gemm, const char *provider = nullptr);
  const sits_case &view() const { return case_; }

 private:
  sits_gemm_spec spec_{};
  sits_case case_{};
};

inline constexpr std::uint64_t kSeed = 2026;

/// A context with the machine's instruction sets and a pool of `threads`.
struct TestMachine {
  explicit TestMachine(unsigned threads);
  Pool pool;
  Context context;
};

std::unique_ptr<Workload> prepared(TestMachine &machine, const GemmCase &gemm, const char *provider,
                                   std::uint64_t rotation_bytes = 0);

/// First element of C (copy `copy`) that is off by more than rounding allows, in words; empty when all are right.
std::string first_wrong(Workload &workload, const GemmCase &gemm, std::uint32_t copy = 0);

}  // namespace sits::cpu::testing
