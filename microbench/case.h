// SPDX-License-Identifier: Apache-2.0
//
// A case: one operation with every parameter fixed, typed, free of vendors. Its canonical id is stable for ever.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sits/backend.h"

namespace sits::microbench {

/// A case that cannot be: what is wrong, with which value, and what would be right.
struct CaseError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

enum class Op : std::uint32_t {
  gemm = SITS_OP_GEMM,
  stream = SITS_OP_STREAM,
  attention = SITS_OP_ATTENTION,
  collective = SITS_OP_COLLECTIVE,
  transfer = SITS_OP_TRANSFER,
  launch = SITS_OP_LAUNCH,
  memory_latency = SITS_OP_MEMORY_LATENCY,
  peak = SITS_OP_PEAK,
};

enum class Mode : std::uint32_t {
  none = SITS_MODE_NONE,
  cold = SITS_MODE_COLD,
  warm = SITS_MODE_WARM,
  steady = SITS_MODE_STEADY,
};

// The fields of each spec mean what sits/backend.h says of the struct of the same name; enumerators are its constants.

struct GemmSpec {
  std::uint32_t epilogue = SITS_EPILOGUE_NONE;
  std::uint32_t type_a = SITS_F32, type_b = SITS_F32, type_out = SITS_F32;
  std::uint32_t type_acc = SITS_DTYPE_NONE;
  bool trans_a = false, trans_b = false;
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  std::vector<std::int64_t> group_m;  // empty: not grouped; else m = their sum
  bool repack = false;
  std::uint32_t block_size = 0, type_block_scale = SITS_DTYPE_NONE;
  bool operator==(const GemmSpec &) const = default;
};

struct StreamSpec {
  std::uint32_t kind = SITS_STREAM_COPY;
  std::uint32_t type = SITS_F32;
  std::uint64_t bytes = 0;  // of one array
  bool operator==(const StreamSpec &) const = default;
};

struct AttentionSpec {
  std::uint32_t kind = SITS_ATTENTION_PREFILL;
  std::uint32_t type_q = SITS_BF16, type_kv = SITS_BF16;
  std::int64_t batch = 1, q_heads = 0, kv_heads = 0, q_len = 0, kv_len = 0, head_dim = 0;
  bool causal = false;
  std::uint32_t kv_layout = SITS_KV_LAYOUT_CONTIGUOUS;
  std::int64_t page_size = 0;
  bool operator==(const AttentionSpec &) const = default;
};

struct CollectiveSpec {
  std::uint32_t kind = SITS_ALL_REDUCE;
  std::uint32_t type = SITS_BF16;
  std::uint64_t bytes = 0;
  std::uint32_t ranks = 0;
  bool in_place = false, graph = false, registered = false;
  bool operator==(const CollectiveSpec &) const = default;
};

struct TransferSpec {
  std::uint32_t kind = SITS_TRANSFER_H2D;
  std::uint32_t host_memory = SITS_HOST_MEMORY_PINNED;
  std::int32_t numa = SITS_NUMA_ANY;
  std::uint64_t bytes = 0;
  bool operator==(const TransferSpec &) const = default;
};

struct LaunchSpec {
  std::uint32_t kind = SITS_LAUNCH_ROUND_TRIP;
  bool operator==(const LaunchSpec &) const = default;
};

struct MemoryLatencySpec {
  std::uint64_t bytes = 0;
  bool operator==(const MemoryLatencySpec &) const = default;
};

struct PeakSpec {
  std::uint32_t unit = SITS_PEAK_FMA;
  std::uint32_t type = SITS_F32;
  bool operator==(const PeakSpec &) const = default;
};

using Spec = std::variant<GemmSpec, StreamSpec, AttentionSpec, CollectiveSpec, TransferSpec, LaunchSpec,
                          MemoryLatencySpec, PeakSpec>;

struct Case {
  Spec spec;
  Mode mode = Mode::none;
  bool operator==(const Case &) const = default;
};

Op op_of(const Case &c);

/// "gemm", "stream" … and back (CaseError with the nearest name when unknown).
std::string_view op_name(Op op);
Op parse_op(std::string_view name);
std::string_view mode_name(Mode mode);
Mode parse_mode(std::string_view name);

/// Throws CaseError when a parameter is missing, zero, negative, overflows 64-bit byte counts, or contradicts another.
void validate(const Case &c);

/// `op/variant/types/shape/options/mode`, lower case, options only when not default; see docs/method.md.
std::string canonical_id(const Case &c);

/// Inverse of canonical_id; accepts no other spelling. Throws CaseError naming the part that does not parse.
Case parse_id(std::string_view id);

/// Every parameter by name, for `results[].case` of a report and for a user's own case file; and back.
/// from_parameters takes what parameters() gives, or a suite entry; unknown keys throw with a suggestion.
nlohmann::json parameters(const Case &c);
Case from_parameters(const nlohmann::json &object);
/// The keys that parameters() may give for an operation besides id, op and mode.
std::vector<std::string> parameter_names(Op op);

/// What one iteration does, by definition (docs/method.md); not what a cache or a library makes of it.
struct WorkModel {
  double flops = 0;       // operations, multiply and add count 1 each
  double bytes_read = 0;  // each operand once
  double bytes_written = 0;
  double bytes_counted = 0;      // the convention of the op's headline rate (stream: STREAM's; collective: S)
  std::string bytes_convention;  // "read+write", "one-way", "algorithm", "" when no rate
  double bus_factor = 0;         // collective: busbw = bytes_counted / t * bus_factor; 0 elsewhere
  double footprint_bytes = 0;    // of one copy of all operands
  double bytes_total() const { return bytes_read + bytes_written; }
};
/// `peak_flops` is sits_support.peak_flops, used by the op `peak` only (0: flops unknown).
WorkModel work_model(const Case &c, double peak_flops = 0);

/// Element type whose `peak` is the compute roof of the case, its unit left open; SITS_DTYPE_NONE when bandwidth-only.
std::uint32_t roof_type(const Case &c);

/// The C view of a case for the ABI. Owns what the view points to; movable, the view stays valid.
class AbiCase {
 public:
  AbiCase(const Case &c, std::uint64_t seed, std::optional<std::string> provider = std::nullopt);
  ~AbiCase();
  AbiCase(AbiCase &&) noexcept;
  AbiCase &operator=(AbiCase &&) noexcept;
  const sits_case &view() const;

 private:
  struct Storage;
  std::unique_ptr<Storage> storage_;
};

/// Scale of a quantised GEMM, exactly an f32: 1 / (127 * 127) for i8·i8, 1/127 for i8 with another type, 1 otherwise
/// and for output i32, the bare accumulator.
double gemm_scale(const GemmSpec &spec);

}  // namespace sits::microbench
