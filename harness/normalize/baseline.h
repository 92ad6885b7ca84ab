// SPDX-License-Identifier: Apache-2.0
//
// A baseline: what a named part needs for a case, value by value with its origin (docs/method.md, "Normalization").
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/measure/result.h"
#include "microbench/case.h"

namespace sits::normalize {

inline constexpr int kBaselineSchemaVersion = 1;

/// A baseline file that cannot be used. The message names the file and the line (syntax) or the JSON pointer and the
/// value (content).
struct BaselineError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Kind { measured, published, modelled };
std::string_view kind_name(Kind kind);
std::optional<Kind> parse_kind(std::string_view name);

/// In which cache state a value holds. `any`: its footprint is at least 4 times the last-level cache.
enum class CacheState { cold, warm, any };

/// Whether a value in this cache state may stand for a case of this mode.
bool holds_in(CacheState state, microbench::Mode mode);

std::string_view convention_name(Headline convention);

/// What every value says of itself.
struct Origin {
  Kind kind = Kind::published;
  std::string source;  // key of Baseline::sources
  Headline convention = Headline::device;
  double uncertainty = 0;  // relative half-width of the 95 % interval
  std::string note;
};

struct Value {
  std::string id;
  double value_ns = 0;
  CacheState cache_state = CacheState::any;
  Origin origin;
};

/// A rate that holds for every case of a variant from a size on: stream and transfer.
struct Rate {
  microbench::Op op = microbench::Op::stream;
  std::string variant;
  double bytes_per_s = 0;
  double min_bytes = 0;  // of one array or copy
  CacheState cache_state = CacheState::any;
  Origin origin;
};

/// A collective; holds for every element type.
struct CollectiveValue {
  std::string kind;  // "all_reduce"
  std::uint64_t bytes = 0;
  std::uint32_t ranks = 0;
  double value_ns = 0;
  Origin origin;
};

struct GemmRate {
  double peak_ops_per_s = 0, efficiency = 0, uncertainty = 0;
  std::string unit;  // "fma" or "matrix"
};

/// latency = overhead + max(flops / (peak × efficiency), bytes / rate); the rate is that of the cache for cases that
/// are not cold and fit in it.
struct Model {
  std::string source;
  Headline convention = Headline::device;
  double overhead_ns = 0;
  double memory_bytes_per_s = 0, memory_efficiency = 0, cache_bytes_per_s = 0, llc_bytes = 0;
  std::map<std::uint32_t, GemmRate> gemm;  // by roof type
  double epilogue_uncertainty = 0, state_uncertainty = 0, stream_uncertainty = 0, cached_uncertainty = 0;
  double fit_rms_log = 0, fit_worst_log = 0;
  std::uint64_t fit_n = 0;
  std::string fit_worst_id;
};

struct Source {
  std::string title, address, conditions;
};

struct Baseline {
  std::string id, version, name, sha256;
  std::map<std::string, std::string> identity;  // form factor, memory, power cap …, as text
  std::optional<int> method_version;            // of `measured` values
  std::map<std::string, Source> sources;
  std::optional<Model> model;
  std::map<microbench::Op, std::string> absent;  // op -> reason why it has no value
  std::vector<Rate> rates;
  std::multimap<std::string, Value> values;  // by canonical id; at most one per convention
  std::vector<CollectiveValue> collectives;
};

/// Parses the text of a baseline file (results_schema/baseline.schema.json); `name` is for messages. Throws
/// BaselineError: syntax, a missing, zero, negative or textual number, an id that is not canonical, a cache state that
/// contradicts the mode of the id, an unknown source, two values of one id and convention, rates that are not dense, a
/// newer schema version. Keys it does not know are not looked at.
Baseline parse_baseline(std::string_view text, const std::string &name);

}  // namespace sits::normalize
