// SPDX-License-Identifier: Apache-2.0
//
// Matrix products. Id: gemm/EPILOGUE/A.B.OUT/m#n#k#/[layout]/[acc_TYPE]/[b#]/[groups…]/[block#_TYPE]/[repack]/MODE
//   layout       nt, tn, tt: first letter A, second B; t = stored transposed (nn is the default)
//   acc_TYPE     accumulation other than the natural one
//   b#           batch of more than one
//   groupsLIST   rows of A in each group, joined by _, MxN for N groups of M in a row: groups128x7_64
//   block#_TYPE  block scales: elements along k under one scale, type of the scale
//   repack       weights are repacked inside the timed region
#pragma once

#include <array>

#include "microbench/operation.h"

namespace sits::microbench {

struct GemmOperation {
  using SpecType = GemmSpec;
  static constexpr Op kOp = Op::gemm;
  static constexpr std::string_view kName = "gemm";
  static constexpr std::span<const Mode> kModes = kCacheModes;
  static constexpr std::array<std::string_view, 8> kOptionWords = {"nt", "tn",          "tt",           "acc_f16",
                                                                   "b8", "groups128x8", "block32_e8m0", "repack"};

  static void validate(const GemmSpec &spec);
  static std::string id_parts(const GemmSpec &spec);
  static GemmSpec read_id(IdReader &id);
  static void list_fields(Fields &fields, GemmSpec &spec);
  static WorkModel work_model(const GemmSpec &spec, double peak_flops);
  static std::uint32_t roof_type(const GemmSpec &spec);
  static std::shared_ptr<const void> abi_spec(const GemmSpec &spec);
};

}  // namespace sits::microbench
