// SPDX-License-Identifier: Apache-2.0
//
// Writes a row. Key order is the order below; what is unknown is null, and a number that is not finite never leaves.
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "harness/measure/result.h"
#include "microbench/case.h"

namespace sits {
namespace {

using nlohmann::ordered_json;

ordered_json number(const char *key, double value) {
  if (!std::isfinite(value))
    throw std::invalid_argument(std::string("non_finite: \"") + key + "\" is not a finite number");
  return value;
}

/// For fields where 0 stands for "not known" in memory.
ordered_json positive_or_null(const char *key, double value) {
  return value == 0 ? ordered_json(nullptr) : number(key, value);
}

ordered_json text_or_null(const std::string &text) { return text.empty() ? ordered_json(nullptr) : ordered_json(text); }

ordered_json interval(const char *key, const std::optional<Interval> &value) {
  if (!value) return nullptr;
  return ordered_json::array({number(key, value->low), number(key, value->high)});
}

/// Writes one object key by key.
class Object {
 public:
  void set(const char *key, ordered_json value) { json_[key] = std::move(value); }
  void set(const char *key, double value) { json_[key] = number(key, value); }
  void set(const char *key, const std::optional<double> &value) {
    json_[key] = value ? number(key, *value) : ordered_json(nullptr);
  }
  void set(const char *key, const std::optional<std::uint64_t> &value) {
    json_[key] = value ? ordered_json(*value) : ordered_json(nullptr);
  }
  ordered_json take() { return std::move(json_); }

 private:
  ordered_json json_ = ordered_json::object();
};

ordered_json statistics_json(const Statistics &s) {
  Object o;
  const auto known = [&](double value) { return s.n > 0 ? std::optional<double>(value) : std::nullopt; };
  o.set("n", ordered_json(s.n));
  o.set("min", known(s.min));
  o.set("p10", known(s.p10));
  o.set("median", known(s.median));
  o.set("mean", known(s.mean));
  o.set("p90", s.p90);
  o.set("p95", s.p95);
  o.set("p99", s.p99);
  o.set("max", known(s.max));
  o.set("percentiles_absent", text_or_null(s.percentiles_absent));
  o.set("stdev", s.stdev);
  o.set("mad", s.mad);
  o.set("median_ci95", interval("median_ci95", s.median_ci95));
  o.set("drift_per_100", s.drift_per_100);
  o.set("lag1_autocorrelation", s.lag1_autocorrelation);
  o.set("multimodal", ordered_json(s.multimodal));
  o.set("rejected", ordered_json(s.rejected));
  return o.take();
}

ordered_json timing_json(const Timing &t) {
  Object o;
  o.set("device_ns", statistics_json(t.device_ns));
  o.set("submit_to_complete_ns", statistics_json(t.submit_to_complete_ns));
  o.set("headline", ordered_json(t.headline == Headline::device ? "device" : "submit"));
  o.set("headline_statistic", ordered_json(t.headline_statistic));
  o.set("clock", ordered_json(t.clock));
  o.set("resolution_ns", positive_or_null("resolution_ns", t.resolution_ns));
  o.set("floor_ns", positive_or_null("floor_ns", t.floor_ns));
  o.set("batch", ordered_json(t.batch));
  o.set("n", ordered_json(t.headline_statistics().n));
  o.set("warmup_iterations", ordered_json(t.warmup_iterations));
  o.set("stop_reason", ordered_json(stop_reason_name(t.stop_reason)));
  o.set("cold_method", text_or_null(t.cold_method));
  o.set("copies", ordered_json(t.copies));
  o.set("between_run_spread", t.between_run_spread);
  return o.take();
}

ordered_json verification_json(const VerificationRecord &v) {
  Object o;
  o.set("method", ordered_json(v.method));
  o.set("checked", ordered_json(v.checked));
  o.set("mismatches", ordered_json(v.mismatches));
  // A NaN or an infinity among the outputs makes the error itself non-finite: null, which reads back as infinity.
  o.set("max_rel_error", std::isfinite(v.max_rel_error) ? ordered_json(v.max_rel_error) : ordered_json(nullptr));
  o.set("tolerance", v.tolerance);
  o.set("first_mismatch", text_or_null(v.first_mismatch));
  return o.take();
}

ordered_json work_json(const Work &w) {
  Object o;
  o.set("flops", w.flops);
  o.set("bytes_read", w.bytes_read);
  o.set("bytes_written", w.bytes_written);
  o.set("bytes_counted", w.bytes_counted);
  o.set("bytes_convention", text_or_null(w.bytes_convention));
  return o.take();
}

ordered_json rates_json(const Rates &r) {
  Object o;
  o.set("flops_per_s", r.flops_per_s);
  o.set("bytes_per_s", r.bytes_per_s);
  o.set("bytes_per_s_one_way", r.bytes_per_s_one_way);
  o.set("busbw_bytes_per_s", r.busbw_bytes_per_s);
  return o.take();
}

ordered_json utilization_json(const Utilization &u) {
  Object o;
  o.set("compute", u.compute);
  o.set("bandwidth", u.bandwidth);
  o.set("bound", text_or_null(u.bound));
  o.set("roof", text_or_null(u.roof));
  return o.take();
}

ordered_json probe_json(const Probe &p) {
  Object o;
  o.set("kind", ordered_json(p.kind));
  o.set("median_ns", p.median_ns);
  o.set("normalized_median_ns", positive_or_null("normalized_median_ns", p.normalized_median_ns));
  return o.take();
}

ordered_json telemetry_json(const Telemetry &t) {
  Object o;
  o.set("clock_mhz", t.clock_mhz);
  o.set("clock_min_mhz", t.clock_min_mhz);
  o.set("clock_max_mhz", t.clock_max_mhz);
  o.set("power_w", t.power_w);
  o.set("energy_j", t.energy_j);
  o.set("energy_per_iteration_j", t.energy_per_iteration_j);
  o.set("temperature_c", t.temperature_c);
  o.set("throttle_ns", t.throttle_ns);
  o.set("throttle_reasons", t.throttle_reasons);
  o.set("ecc_errors", t.ecc_errors);
  o.set("minor_faults", t.minor_faults);
  o.set("involuntary_switches", t.involuntary_switches);
  o.set("cpu_utilization", t.cpu_utilization);
  o.set("load_average", t.load_average);
  return o.take();
}

ordered_json alternative_json(const Alternative &a) {
  Object o;
  o.set("provider", ordered_json(a.provider));
  o.set("median_ns", a.median_ns);
  o.set("reason", text_or_null(a.reason));
  return o.take();
}

ordered_json normalized_json(const Normalized &n) {
  Object o;
  o.set("baseline", ordered_json(n.baseline));
  o.set("ratio", n.ratio);
  o.set("ci95", interval("ci95", n.ci95));
  o.set("value_ns", n.value_ns);
  o.set("kind", text_or_null(n.kind));
  o.set("source", text_or_null(n.source));
  o.set("convention", text_or_null(n.convention));
  o.set("reason", text_or_null(n.reason));
  return o.take();
}

/// The id and, where it is an id of this version, every parameter by name.
ordered_json case_json(const std::string &id) {
  ordered_json json = {{"id", id}};
  try {
    json.update(ordered_json(microbench::parameters(microbench::parse_id(id))));
  } catch (const microbench::CaseError &) {
    // A row of a newer or foreign report is carried on under its id alone.
  }
  return json;
}

ordered_json flags_json(const std::vector<Flag> &flags) {
  ordered_json json = ordered_json::array();
  for (const Flag flag : std::set<Flag>(flags.begin(), flags.end())) json.push_back(flag_name(flag));
  return json;
}

template <class T, class Write>
ordered_json array_of(const std::vector<T> &items, Write write) {
  ordered_json json = ordered_json::array();
  for (const T &item : items) json.push_back(write(item));
  return json;
}

template <class T, class Write>
ordered_json object_or_null(const std::optional<T> &item, Write write) {
  return item ? write(*item) : ordered_json(nullptr);
}

}  // namespace

ordered_json to_json(const CaseResult &r) {
  Object o;
  o.set("case", case_json(r.id));
  o.set("device", ordered_json(r.device));
  o.set("run_index", ordered_json(r.run_index));
  o.set("order_index", ordered_json(r.order_index));
  o.set("required", ordered_json(r.required));
  o.set("status", ordered_json(status_name(r.status)));
  o.set("reason", object_or_null(r.reason, [](const Reason &reason) {
          return ordered_json{{"code", reason.code}, {"message", reason.message}};
        }));
  o.set("flags", flags_json(r.flags));
  o.set("provenance", ordered_json(r.simulated ? "simulated" : "measured"));
  o.set("provider", text_or_null(r.provider));
  o.set("alternatives", array_of(r.alternatives, alternative_json));
  o.set("note", text_or_null(r.note));
  o.set("weights", text_or_null(r.weights));
  o.set("resolved", ordered_json(r.resolved));
  o.set("verification", object_or_null(r.verification, verification_json));
  o.set("timing", object_or_null(r.timing, timing_json));
  o.set("work", object_or_null(r.work, work_json));
  o.set("rates", object_or_null(r.rates, rates_json));
  o.set("utilization", object_or_null(r.utilization, utilization_json));
  o.set("probe", object_or_null(r.probe, probe_json));
  o.set("telemetry", object_or_null(r.telemetry, telemetry_json));
  o.set("normalized", array_of(r.normalized, normalized_json));
  o.set("reproduce", text_or_null(r.reproduce));
  return o.take();
}

}  // namespace sits
