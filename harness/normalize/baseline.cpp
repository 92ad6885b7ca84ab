// SPDX-License-Identifier: Apache-2.0
#include "harness/normalize/baseline.h"

#include <algorithm>
#include <array>

#include "harness/normalize/json_node.h"
#include "microbench/suite.h"
#include "sits/dtype.h"

namespace sits::normalize {
namespace {

using microbench::Mode;
using microbench::Op;

constexpr std::array kKindNames = {"measured", "published", "modelled"};
constexpr std::array kCacheStateNames = {"cold", "warm", "any"};
constexpr std::array kConventionNames = {"device", "submit"};

/// The index of `text` in `names`, or nothing.
template <class Names>
std::optional<std::size_t> index_of(const Names &names, std::string_view text) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

template <class Enum, class Names>
Enum read_word(const JsonNode &node, const Names &names) {
  if (const auto index = index_of(names, node.text())) return static_cast<Enum>(*index);
  std::string known;
  for (const char *name : names) known += (known.empty() ? "" : ", ") + std::string(name);
  node.fail("is " + node.shown() + ", must be one of " + known);
}

Op read_op(const JsonNode &node) {
  try {
    return microbench::parse_op(node.text());
  } catch (const microbench::CaseError &error) {
    node.fail(error.what());
  }
}

microbench::Case read_case(const JsonNode &node) {
  try {
    return microbench::parse_id(node.text());
  } catch (const microbench::CaseError &error) {
    node.fail(error.what());
  }
}

Origin read_origin(const JsonNode &node, const std::map<std::string, Source> &sources) {
  Origin origin;
  origin.kind = read_word<Kind>(node["kind"], kKindNames);
  origin.source = node["source"].text();
  if (!sources.contains(origin.source)) node["source"].fail("is " + node["source"].shown() + ", not among /sources");
  origin.convention = read_word<Headline>(node["convention"], kConventionNames);
  origin.uncertainty = node["uncertainty"].positive();
  origin.note = node.text_or_empty("note");
  return origin;
}

Value read_value(const JsonNode &node, const Baseline &baseline) {
  Value value;
  value.id = node["id"].text();
  value.value_ns = node["value_ns"].positive();
  value.cache_state = read_word<CacheState>(node["cache_state"], kCacheStateNames);
  value.origin = read_origin(node, baseline.sources);
  const microbench::Case test_case = read_case(node["id"]);
  if (!holds_in(value.cache_state, test_case.mode))
    node["cache_state"].fail("is " + node["cache_state"].shown() + ", which a case in mode " +
                             std::string(microbench::mode_name(test_case.mode)) + " must not be compared with");
  if (value.origin.kind == Kind::measured && !baseline.method_version)
    node["kind"].fail("is \"measured\", but the file has no method_version");
  return value;
}

Rate read_rate(const JsonNode &node, const Baseline &baseline) {
  Rate rate;
  rate.op = read_op(node["op"]);
  if (rate.op != Op::stream && rate.op != Op::transfer)
    node["op"].fail("is " + node["op"].shown() + ", must be stream or transfer");
  rate.variant = node["variant"].text();
  rate.bytes_per_s = node["bytes_per_s"].positive();
  rate.min_bytes = node["min_bytes"].positive();
  rate.cache_state = read_word<CacheState>(node["cache_state"], kCacheStateNames);
  rate.origin = read_origin(node, baseline.sources);
  return rate;
}

CollectiveValue read_collective(const JsonNode &node, const Baseline &baseline) {
  CollectiveValue value;
  value.kind = node["op"].text();
  value.bytes = node["bytes"].count();
  const std::uint64_t ranks = node["ranks"].count();
  if (ranks < 2 || ranks > UINT32_MAX) node["ranks"].fail("is " + node["ranks"].shown() + ", must be 2 or more");
  value.ranks = static_cast<std::uint32_t>(ranks);
  value.value_ns = node["value_ns"].positive();
  value.origin = read_origin(node, baseline.sources);
  return value;
}

/// The type named as in ids.
std::uint32_t read_type(const JsonNode &node) {
  constexpr std::array kTypes = {SITS_F64, SITS_F32, SITS_TF32,    SITS_F16, SITS_BF16,
                                 SITS_F8,  SITS_I8,  SITS_F8_E5M2, SITS_I4,  SITS_F4_E2M1};
  const std::string name = node.text();
  for (const std::uint32_t type : kTypes)
    if (name == dtype_name(type)) return type;
  node.fail("is " + node.shown() + ", not an element type of a GEMM");
}

Model read_model(const JsonNode &node, const std::map<std::string, Source> &sources) {
  Model model;
  model.source = node["source"].text();
  model.convention = read_word<Headline>(node["convention"], kConventionNames);
  model.overhead_ns = node["overhead_ns"].positive();
  model.memory_bytes_per_s = node["memory_bytes_per_s"].positive();
  model.memory_efficiency = node["memory_efficiency"].share();
  model.cache_bytes_per_s = node["cache_bytes_per_s"].positive();
  if (!sources.contains(node["cache_source"].text())) node["cache_source"].fail("is not among /sources");
  model.llc_bytes = node["llc_bytes"].positive();
  model.epilogue_uncertainty = node["epilogue_uncertainty"].positive();
  model.state_uncertainty = node["state_uncertainty"].positive();
  model.stream_uncertainty = node["stream_uncertainty"].positive();
  model.cached_uncertainty = node["cached_uncertainty"].positive();
  node["gemm"].each_element([&](const JsonNode &row) {
    const GemmRate rate{row["peak_ops_per_s"].positive(), row["efficiency"].share(), row["uncertainty"].positive(),
                        row["unit"].text()};
    if (!model.gemm.emplace(read_type(row["type"]), rate).second)
      row["type"].fail("is " + row["type"].shown() + ", given twice");
  });
  const JsonNode fit = node["fit"];
  model.fit_n = fit["n"].count();
  model.fit_rms_log = fit["rms_log"].positive();
  model.fit_worst_id = fit["worst_id"].text();
  model.fit_worst_log = fit["worst_log"].finite();
  return model;
}

void read_header(const JsonNode &root, Baseline &baseline) {
  if (root["schema"].text() != "sits.baseline")
    root["schema"].fail("is " + root["schema"].shown() + ", must be \"sits.baseline\"");
  const std::uint64_t version = root["schema_version"].count();
  if (version > kBaselineSchemaVersion)
    root["schema_version"].fail("is " + root["schema_version"].shown() + ", this program reads up to " +
                                std::to_string(kBaselineSchemaVersion) + ": use a newer sits");
  baseline.id = root["id"].text();
  baseline.version = root["version"].text();
  baseline.name = root["name"].text();
  if (root.has("method_version")) baseline.method_version = static_cast<int>(root["method_version"].count());
  root["identity"].each_member([&](const std::string &key, const JsonNode &value) {
    const std::string shown = value.shown();
    const bool quoted = shown.size() >= 2 && shown.front() == '"';
    baseline.identity[key] = quoted ? value.text() : shown;
  });
  const JsonNode rates = root["identity"]["rates"];
  if (rates.text() != "dense") rates.fail("is " + rates.shown() + ", must be \"dense\": nothing here is sparse");
}

void add_value(const JsonNode &node, Baseline &baseline) {
  Value value = read_value(node, baseline);
  const auto [first, last] = baseline.values.equal_range(value.id);
  const bool known =
      std::any_of(first, last, [&](const auto &v) { return v.second.origin.convention == value.origin.convention; });
  if (known) node["id"].fail("is " + node["id"].shown() + ", given twice in one convention");
  baseline.values.emplace(value.id, std::move(value));
}

Baseline read_baseline(const JsonNode &root) {
  Baseline baseline;
  read_header(root, baseline);
  root["sources"].each_member([&](const std::string &key, const JsonNode &source) {
    baseline.sources[key] = {source["title"].text(), source["address"].text(), source.text_or_empty("conditions")};
  });
  if (root.has("model")) baseline.model = read_model(root["model"], baseline.sources);
  if (root.has("absent"))
    root["absent"].each_element(
        [&](const JsonNode &row) { baseline.absent[read_op(row["op"])] = row["reason"].text(); });
  root["values"].each_element([&](const JsonNode &row) { add_value(row, baseline); });
  if (root.has("rates"))
    root["rates"].each_element([&](const JsonNode &row) { baseline.rates.push_back(read_rate(row, baseline)); });
  if (root.has("collectives"))
    root["collectives"].each_element(
        [&](const JsonNode &row) { baseline.collectives.push_back(read_collective(row, baseline)); });
  return baseline;
}

}  // namespace

std::string_view kind_name(Kind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

std::optional<Kind> parse_kind(std::string_view name) {
  if (const auto index = index_of(kKindNames, name)) return static_cast<Kind>(*index);
  return std::nullopt;
}

bool holds_in(CacheState state, Mode mode) {
  switch (state) {
    case CacheState::cold: return mode == Mode::cold;
    case CacheState::warm: return mode == Mode::warm || mode == Mode::steady;
    case CacheState::any: return true;
  }
  return false;
}

std::string_view convention_name(Headline convention) { return kConventionNames[static_cast<std::size_t>(convention)]; }

Baseline parse_baseline(std::string_view text, const std::string &name) {
  nlohmann::json document;
  try {
    document = nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception &error) {
    throw BaselineError(name + ": not JSON: " + error.what());
  }
  try {
    Baseline baseline = read_baseline(JsonNode(document, ""));
    baseline.sha256 = microbench::sha256(text);
    return baseline;
  } catch (const BaselineError &error) {
    throw BaselineError(name + error.what());
  }
}

}  // namespace sits::normalize
