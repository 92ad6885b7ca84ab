// SPDX-License-Identifier: Apache-2.0
//
// Latency of dependent loads. Id: memory_latency/chase/BYTES of the working set.
#pragma once

#include <array>

#include "microbench/operation.h"

namespace sits::microbench {

struct MemoryLatencyOperation {
  using SpecType = MemoryLatencySpec;
  static constexpr Op kOp = Op::memory_latency;
  static constexpr std::string_view kName = "memory_latency";
  static constexpr std::span<const Mode> kModes = kNoModes;
  static constexpr std::array<std::string_view, 0> kOptionWords = {};

  static void validate(const MemoryLatencySpec &spec);
  static std::string id_parts(const MemoryLatencySpec &spec);
  static MemoryLatencySpec read_id(IdReader &id);
  static void list_fields(Fields &fields, MemoryLatencySpec &spec);
  static WorkModel work_model(const MemoryLatencySpec &spec, double peak_flops);
  static std::uint32_t roof_type(const MemoryLatencySpec &spec);
  static std::shared_ptr<const void> abi_spec(const MemoryLatencySpec &spec);
};

}  // namespace sits::microbench
