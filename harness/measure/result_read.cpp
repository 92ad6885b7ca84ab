// SPDX-License-Identifier: Apache-2.0
//
// Reads a row back, strictly: a missing key, a wrong type or an unknown word is an error that names the key; keys that
// this version does not know are passed over.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "harness/measure/result.h"

namespace sits {
namespace {

using nlohmann::json;

/// One JSON object with the path that leads to it.
class Reader {
 public:
  Reader(const json &value, std::string path) : json_(value), path_(std::move(path)) {
    if (!json_.is_object()) fail("", "must be an object");
  }

  [[noreturn]] void fail(const std::string &key, const std::string &what) const {
    const std::string separator = path_.empty() || key.empty() ? "" : ".";
    throw std::invalid_argument("\"" + path_ + separator + key + "\" " + what);
  }

  const json &at(const char *key) const {
    const auto it = json_.find(key);
    if (it == json_.end()) fail(key, "is missing");
    return *it;
  }
  bool is_null(const char *key) const { return at(key).is_null(); }
  std::string path_of(const std::string &key) const { return path_.empty() ? key : path_ + "." + key; }

  Reader object(const char *key) const { return {at(key), path_of(key)}; }

  double number(const char *key) const {
    const json &value = at(key);
    if (!value.is_number()) fail(key, "must be a number, not " + value.dump());
    const auto result = value.get<double>();
    if (!std::isfinite(result)) fail(key, "must be a finite number");
    return result;
  }
  std::optional<double> optional_number(const char *key) const {
    return is_null(key) ? std::nullopt : std::optional(number(key));
  }
  double number_or(const char *key, double if_null) const { return is_null(key) ? if_null : number(key); }

  template <class Unsigned = std::uint64_t>
  Unsigned count(const char *key) const {
    return to_count<Unsigned>(key, at(key));
  }
  std::optional<std::uint64_t> optional_count(const char *key) const {
    return is_null(key) ? std::nullopt : std::optional(count(key));
  }
  template <class Unsigned = std::uint64_t>
  Unsigned to_count(const std::string &key, const json &value) const {
    // A freshly built (not parsed) document holds small counts as signed integers.
    if (!value.is_number_integer() || (!value.is_number_unsigned() && value.get<std::int64_t>() < 0))
      fail(key, "must be a whole number >= 0, not " + value.dump());
    const auto result = value.get<std::uint64_t>();
    if (result > std::numeric_limits<Unsigned>::max()) fail(key, "is too large: " + value.dump());
    return static_cast<Unsigned>(result);
  }

  bool boolean(const char *key) const {
    const json &value = at(key);
    if (!value.is_boolean()) fail(key, "must be true or false, not " + value.dump());
    return value.get<bool>();
  }
  std::string text(const char *key) const { return to_text(key, at(key)); }
  std::string text_or_empty(const char *key) const { return is_null(key) ? "" : text(key); }
  std::string to_text(const std::string &key, const json &value) const {
    if (!value.is_string()) fail(key, "must be text, not " + value.dump());
    return value.get<std::string>();
  }

  std::optional<Interval> interval(const char *key) const {
    const json &value = at(key);
    if (value.is_null()) return std::nullopt;
    if (!value.is_array() || value.size() != 2 || !value[0].is_number() || !value[1].is_number())
      fail(key, "must be [low, high] or null");
    return Interval{value[0].get<double>(), value[1].get<double>()};
  }

  /// The value that `parse` finds under the word at `key`.
  template <class Parse>
  auto word(const char *key, Parse parse) const {
    return to_word(key, at(key), parse);
  }
  template <class Parse>
  auto to_word(const std::string &key, const json &value, Parse parse) const {
    const std::string name = to_text(key, value);
    const auto found = parse(name);
    if (!found) fail(key, "does not know \"" + name + "\"");
    return *found;
  }

  template <class Read>
  auto optional(const char *key, Read read) const -> std::optional<decltype(read(std::declval<Reader>()))> {
    if (is_null(key)) return std::nullopt;
    return read(object(key));
  }

  /// Calls `visit(path of the item, item)` for each item of the array at `key`.
  template <class Visit>
  void each(const char *key, Visit visit) const {
    const json &array = at(key);
    if (!array.is_array()) fail(key, "must be an array");
    for (std::size_t i = 0; i < array.size(); ++i) visit(std::string(key) + "[" + std::to_string(i) + "]", array[i]);
  }

  const json &raw() const { return json_; }

 private:
  const json &json_;
  std::string path_;
};

Statistics statistics(const Reader &in) {
  Statistics s;
  s.n = in.count("n");
  // Without samples there is nothing to be read; with samples these five are always known.
  const auto known = [&](const char *key) { return s.n == 0 ? in.number_or(key, 0) : in.number(key); };
  s.min = known("min");
  s.p10 = known("p10");
  s.median = known("median");
  s.mean = known("mean");
  s.max = known("max");
  s.p90 = in.optional_number("p90");
  s.p95 = in.optional_number("p95");
  s.p99 = in.optional_number("p99");
  s.percentiles_absent = in.text_or_empty("percentiles_absent");
  s.stdev = in.optional_number("stdev");
  s.mad = in.optional_number("mad");
  s.median_ci95 = in.interval("median_ci95");
  s.drift_per_100 = in.optional_number("drift_per_100");
  s.lag1_autocorrelation = in.optional_number("lag1_autocorrelation");
  s.multimodal = in.boolean("multimodal");
  const Reader rejected = in.object("rejected");
  for (const auto &[name, value] : rejected.raw().items()) s.rejected[name] = rejected.to_count(name, value);
  return s;
}

Timing timing(const Reader &in) {
  Timing t;
  t.device_ns = statistics(in.object("device_ns"));
  t.submit_to_complete_ns = statistics(in.object("submit_to_complete_ns"));
  t.headline = in.word("headline", [](const std::string &name) -> std::optional<Headline> {
    if (name == "device") return Headline::device;
    if (name == "submit") return Headline::submit;
    return std::nullopt;
  });
  t.headline_statistic = in.text("headline_statistic");
  t.clock = in.text("clock");
  t.resolution_ns = in.number_or("resolution_ns", 0);
  t.floor_ns = in.number_or("floor_ns", 0);
  t.batch = in.count<std::uint32_t>("batch");
  t.warmup_iterations = in.count<std::uint32_t>("warmup_iterations");
  t.stop_reason = in.word("stop_reason", parse_stop_reason);
  t.cold_method = in.text_or_empty("cold_method");
  t.copies = in.count<std::uint32_t>("copies");
  t.between_run_spread = in.optional_number("between_run_spread");
  return t;
}

VerificationRecord verification(const Reader &in) {
  return {.method = in.text("method"),
          .checked = in.count("checked"),
          .mismatches = in.count("mismatches"),
          .max_rel_error = in.number_or("max_rel_error", std::numeric_limits<double>::infinity()),
          .tolerance = in.number("tolerance"),
          .first_mismatch = in.text_or_empty("first_mismatch")};
}

Work work(const Reader &in) {
  return {.flops = in.optional_number("flops"),
          .bytes_read = in.number("bytes_read"),
          .bytes_written = in.number("bytes_written"),
          .bytes_counted = in.number("bytes_counted"),
          .bytes_convention = in.text_or_empty("bytes_convention")};
}

Rates rates(const Reader &in) {
  return {.flops_per_s = in.optional_number("flops_per_s"),
          .bytes_per_s = in.optional_number("bytes_per_s"),
          .bytes_per_s_one_way = in.optional_number("bytes_per_s_one_way"),
          .busbw_bytes_per_s = in.optional_number("busbw_bytes_per_s")};
}

Utilization utilization(const Reader &in) {
  return {.compute = in.optional_number("compute"),
          .bandwidth = in.optional_number("bandwidth"),
          .bound = in.text_or_empty("bound"),
          .roof = in.text_or_empty("roof")};
}

Probe probe(const Reader &in) {
  return {.kind = in.text("kind"),
          .median_ns = in.number("median_ns"),
          .normalized_median_ns = in.number_or("normalized_median_ns", 0)};
}

Telemetry telemetry(const Reader &in) {
  Telemetry t;
  t.clock_mhz = in.optional_number("clock_mhz");
  t.clock_min_mhz = in.optional_number("clock_min_mhz");
  t.clock_max_mhz = in.optional_number("clock_max_mhz");
  t.power_w = in.optional_number("power_w");
  t.energy_j = in.optional_number("energy_j");
  t.energy_per_iteration_j = in.optional_number("energy_per_iteration_j");
  t.temperature_c = in.optional_number("temperature_c");
  t.throttle_ns = in.optional_count("throttle_ns");
  t.throttle_reasons = in.optional_count("throttle_reasons");
  t.ecc_errors = in.optional_count("ecc_errors");
  t.minor_faults = in.optional_count("minor_faults");
  t.involuntary_switches = in.optional_count("involuntary_switches");
  t.cpu_utilization = in.optional_number("cpu_utilization");
  t.load_average = in.optional_number("load_average");
  return t;
}

Alternative alternative(const Reader &in) {
  return {.provider = in.text("provider"),
          .median_ns = in.optional_number("median_ns"),
          .reason = in.text_or_empty("reason")};
}

Normalized normalized(const Reader &in) {
  return {.baseline = in.text("baseline"),
          .ratio = in.optional_number("ratio"),
          .ci95 = in.interval("ci95"),
          .value_ns = in.optional_number("value_ns"),
          .kind = in.text_or_empty("kind"),
          .source = in.text_or_empty("source"),
          .convention = in.text_or_empty("convention"),
          .reason = in.text_or_empty("reason")};
}

bool is_simulated(const std::string &name, const Reader &in) {
  if (name != "simulated" && name != "measured") in.fail("provenance", "does not know \"" + name + "\"");
  return name == "simulated";
}

}  // namespace

CaseResult result_from_json(const json &object) {
  const Reader in(object, "");
  CaseResult r;
  r.id = in.object("case").text("id");
  r.device = in.text("device");
  r.run_index = in.count<std::uint32_t>("run_index");
  r.order_index = in.count<std::uint32_t>("order_index");
  r.required = in.boolean("required");
  r.status = in.word("status", parse_status);
  r.reason = in.optional("reason", [](const Reader &reason) {
    return Reason{reason.text("code"), reason.text("message")};
  });
  in.each("flags",
          [&](const std::string &key, const json &value) { r.flags.push_back(in.to_word(key, value, parse_flag)); });
  r.simulated = is_simulated(in.text("provenance"), in);
  r.provider = in.text_or_empty("provider");
  in.each("alternatives", [&](const std::string &key, const json &value) {
    r.alternatives.push_back(alternative(Reader(value, key)));
  });
  r.note = in.text_or_empty("note");
  r.weights = in.text_or_empty("weights");
  const Reader resolved = in.object("resolved");
  for (const auto &[name, value] : resolved.raw().items()) r.resolved[name] = resolved.to_text(name, value);
  r.verification = in.optional("verification", verification);
  r.timing = in.optional("timing", timing);
  r.work = in.optional("work", work);
  r.rates = in.optional("rates", rates);
  r.utilization = in.optional("utilization", utilization);
  r.probe = in.optional("probe", probe);
  r.telemetry = in.optional("telemetry", telemetry);
  in.each("normalized",
          [&](const std::string &key, const json &value) { r.normalized.push_back(normalized(Reader(value, key))); });
  r.reproduce = in.text_or_empty("reproduce");
  return r;
}

}  // namespace sits
