// SPDX-License-Identifier: Apache-2.0
//
// Attention. Ids: attention/prefill/TYPE[.KVTYPE]/b#hq#hkv#q#kv#d#/[causal]/MODE
//                 attention/decode/TYPE[.KVTYPE]/b#hq#hkv#kv#d#/page#/MODE
// Prefill has contiguous keys and values, decode one query and paged ones.
#pragma once

#include <array>

#include "microbench/operation.h"

namespace sits::microbench {

struct AttentionOperation {
  using SpecType = AttentionSpec;
  static constexpr Op kOp = Op::attention;
  static constexpr std::string_view kName = "attention";
  static constexpr std::span<const Mode> kModes = kCacheModes;
  static constexpr std::array<std::string_view, 2> kOptionWords = {"causal", "page64"};

  static void validate(const AttentionSpec &spec);
  static std::string id_parts(const AttentionSpec &spec);
  static AttentionSpec read_id(IdReader &id);
  static void list_fields(Fields &fields, AttentionSpec &spec);
  static WorkModel work_model(const AttentionSpec &spec, double peak_flops);
  static std::uint32_t roof_type(const AttentionSpec &spec);
  static std::shared_ptr<const void> abi_spec(const AttentionSpec &spec);
};

}  // namespace sits::microbench
