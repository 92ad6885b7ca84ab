// SPDX-License-Identifier: Apache-2.0
//
// Copies between host and devices. Ids:
// transfer/{h2d,d2h,bidirectional}/{pinned,pageable}/BYTES/[numa_near|numa_far|numa_#]
//                                      transfer/{d2d,p2p}/device/BYTES
#pragma once

#include <array>

#include "microbench/operation.h"

namespace sits::microbench {

struct TransferOperation {
  using SpecType = TransferSpec;
  static constexpr Op kOp = Op::transfer;
  static constexpr std::string_view kName = "transfer";
  static constexpr std::span<const Mode> kModes = kNoModes;
  static constexpr std::array<std::string_view, 3> kOptionWords = {"numa_near", "numa_far", "numa_0"};

  static void validate(const TransferSpec &spec);
  static std::string id_parts(const TransferSpec &spec);
  static TransferSpec read_id(IdReader &id);
  static void list_fields(Fields &fields, TransferSpec &spec);
  static WorkModel work_model(const TransferSpec &spec, double peak_flops);
  static std::uint32_t roof_type(const TransferSpec &spec);
  static std::shared_ptr<const void> abi_spec(const TransferSpec &spec);
};

}  // namespace sits::microbench
