// SPDX-License-Identifier: Apache-2.0
//
// Launch overheads. Id: launch/KIND.
#pragma once

#include <array>

#include "microbench/operation.h"

namespace sits::microbench {

struct LaunchOperation {
  using SpecType = LaunchSpec;
  static constexpr Op kOp = Op::launch;
  static constexpr std::string_view kName = "launch";
  static constexpr std::span<const Mode> kModes = kNoModes;
  static constexpr std::array<std::string_view, 0> kOptionWords = {};

  static void validate(const LaunchSpec &spec);
  static std::string id_parts(const LaunchSpec &spec);
  static LaunchSpec read_id(IdReader &id);
  static void list_fields(Fields &fields, LaunchSpec &spec);
  static WorkModel work_model(const LaunchSpec &spec, double peak_flops);
  static std::uint32_t roof_type(const LaunchSpec &spec);
  static std::shared_ptr<const void> abi_spec(const LaunchSpec &spec);
};

}  // namespace sits::microbench
