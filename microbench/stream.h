// SPDX-License-Identifier: Apache-2.0
//
// Memory streams. Id: stream/KIND/TYPE/BYTES/MODE, BYTES of one array.
#pragma once

#include <array>

#include "microbench/operation.h"

namespace sits::microbench {

struct StreamOperation {
  using SpecType = StreamSpec;
  static constexpr Op kOp = Op::stream;
  static constexpr std::string_view kName = "stream";
  static constexpr std::span<const Mode> kModes = kCacheModes;
  static constexpr std::array<std::string_view, 0> kOptionWords = {};

  static void validate(const StreamSpec &spec);
  static std::string id_parts(const StreamSpec &spec);
  static StreamSpec read_id(IdReader &id);
  static void list_fields(Fields &fields, StreamSpec &spec);
  static WorkModel work_model(const StreamSpec &spec, double peak_flops);
  static std::uint32_t roof_type(const StreamSpec &spec);
  static std::shared_ptr<const void> abi_spec(const StreamSpec &spec);
};

}  // namespace sits::microbench
