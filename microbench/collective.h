// SPDX-License-Identifier: Apache-2.0
//
// Collectives. Id: collective/KIND/TYPE/BYTES/n#/[in_place]/[graph]/[registered]/MODE, BYTES as NCCL counts them.
#pragma once

#include <array>

#include "microbench/operation.h"

namespace sits::microbench {

struct CollectiveOperation {
  using SpecType = CollectiveSpec;
  static constexpr Op kOp = Op::collective;
  static constexpr std::string_view kName = "collective";
  static constexpr std::span<const Mode> kModes = kSteadyFirst;
  static constexpr std::array<std::string_view, 4> kOptionWords = {"n8", "in_place", "graph", "registered"};

  static void validate(const CollectiveSpec &spec);
  static std::string id_parts(const CollectiveSpec &spec);
  static CollectiveSpec read_id(IdReader &id);
  static void list_fields(Fields &fields, CollectiveSpec &spec);
  static WorkModel work_model(const CollectiveSpec &spec, double peak_flops);
  static std::uint32_t roof_type(const CollectiveSpec &spec);
  static std::shared_ptr<const void> abi_spec(const CollectiveSpec &spec);
};

}  // namespace sits::microbench
