// SPDX-License-Identifier: Apache-2.0
//
// Compute roofs. Id: peak/UNIT/TYPE.
#pragma once

#include <array>

#include "microbench/operation.h"

namespace sits::microbench {

struct PeakOperation {
  using SpecType = PeakSpec;
  static constexpr Op kOp = Op::peak;
  static constexpr std::string_view kName = "peak";
  static constexpr std::span<const Mode> kModes = kNoModes;
  static constexpr std::array<std::string_view, 0> kOptionWords = {};

  static void validate(const PeakSpec &spec);
  static std::string id_parts(const PeakSpec &spec);
  static PeakSpec read_id(IdReader &id);
  static void list_fields(Fields &fields, PeakSpec &spec);
  static WorkModel work_model(const PeakSpec &spec, double peak_flops);
  static std::uint32_t roof_type(const PeakSpec &spec);
  static std::shared_ptr<const void> abi_spec(const PeakSpec &spec);
};

}  // namespace sits::microbench
