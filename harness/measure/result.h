// SPDX-License-Identifier: Apache-2.0
//
// What one case on one device in one run came to: the row that travels from worker to supervisor, journal and report.
// Plain values; nothing unknown is 0, it is absent.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sits {

/// The one vocabulary (docs/method.md §6).
enum class Status {
  ok,
  not_applicable,
  unsupported,
  skipped,
  incorrect,
  implausible,
  failed,
  oom,
  device_lost,
  crashed,
  timeout,
  interrupted,
};
std::string_view status_name(Status status);
std::optional<Status> parse_status(std::string_view name);

/// Flags beside `ok`, stored by name in this order.
enum class Flag {
  throttled,
  noisy,
  multimodal,
  drift,
  contended,
  not_quiet,
  above_nominal,
  clock_host,
  cold_flush,
  env_override,
  cold_start,
};
std::string_view flag_name(Flag flag);
std::optional<Flag> parse_flag(std::string_view name);

enum class StopReason { converged, plateau, max_samples, time_budget };
std::string_view stop_reason_name(StopReason reason);
std::optional<StopReason> parse_stop_reason(std::string_view name);

struct Reason {
  std::string code;     // stable, snake_case: "below_floor", "out_of_memory", "signal" …
  std::string message;  // a sentence with the values
  bool operator==(const Reason &) const = default;
};

struct Interval {
  double low = 0, high = 0;
  bool operator==(const Interval &) const = default;
};

/// Statistics of one sample set, in nanoseconds per iteration. Percentiles by nearest rank.
struct Statistics {
  std::uint64_t n = 0;
  double min = 0, p10 = 0, median = 0, mean = 0, max = 0;
  std::optional<double> stdev, mad;            // n >= 2
  std::optional<double> p90, p95, p99;         // absent with a reason in percentiles_absent
  std::optional<Interval> median_ci95;         // order statistics; n >= 6
  std::optional<double> drift_per_100;         // Theil–Sen slope per 100 samples, relative to the median; n >= 10
  std::optional<double> lag1_autocorrelation;  // n >= 10
  bool multimodal = false;
  std::string percentiles_absent;                 // "n < 100", "batched", "below_floor" or ""
  std::map<std::string, std::uint64_t> rejected;  // by named reason
};

/// Which of the two latencies is the headline.
enum class Headline { device, submit };

struct Timing {
  Statistics device_ns, submit_to_complete_ns;
  Headline headline = Headline::device;
  std::string headline_statistic = "median";  // or "p95" for unbatched collectives
  std::string clock = "device";               // "device" or "host": what device_ns was read from
  double resolution_ns = 0, floor_ns = 0;
  std::uint32_t batch = 1;  // iterations in one sample
  std::uint32_t warmup_iterations = 0;
  StopReason stop_reason = StopReason::converged;
  std::string cold_method;  // "rotate", "flush", "" when not cold
  std::uint32_t copies = 1;
  std::optional<double> between_run_spread;  // relative, when R > 1
  const Statistics &headline_statistics() const {
    return headline == Headline::device ? device_ns : submit_to_complete_ns;
  }
};

struct VerificationRecord {
  std::string method;
  std::uint64_t checked = 0, mismatches = 0;
  double max_rel_error = 0, tolerance = 0;
  std::string first_mismatch;
};

struct Work {
  std::optional<double> flops;
  double bytes_read = 0, bytes_written = 0, bytes_counted = 0;
  std::string bytes_convention;
};

struct Rates {
  std::optional<double> flops_per_s, bytes_per_s, bytes_per_s_one_way, busbw_bytes_per_s;
};

struct Utilization {
  std::optional<double> compute, bandwidth;  // of the measured peak beside the case, else of the datasheet
  std::string bound;                         // "compute", "bandwidth", "latency" or ""
  std::string roof;                          // "measured" or "datasheet"
};

/// A machine-speed probe taken next to the case.
struct Probe {
  std::string kind;  // "peak/fma/f32", "stream/read"
  double median_ns = 0;
  double normalized_median_ns = 0;  // the case's median × (best probe of the run ÷ this probe)
};

struct Telemetry {
  std::optional<double> clock_mhz, clock_min_mhz, clock_max_mhz, power_w, energy_j, energy_per_iteration_j,
      temperature_c;
  std::optional<std::uint64_t> throttle_ns, throttle_reasons, ecc_errors;
  std::optional<std::uint64_t> minor_faults, involuntary_switches;
  std::optional<double> cpu_utilization;  // CPU time ÷ (wall time × threads)
  std::optional<double> load_average;
};

struct Alternative {
  std::string provider;
  std::optional<double> median_ns;
  std::string reason;  // why it has no time
};

/// A latency over its baseline's. Either ratio or reason.
struct Normalized {
  std::string baseline;  // "h100-sxm5-80gb"
  std::optional<double> ratio;
  std::optional<Interval> ci95;
  std::optional<double> value_ns;
  std::string kind;  // measured | published | modelled
  std::string source;
  std::string convention;  // device | submit
  std::string reason;      // when ratio is absent
};

struct CaseResult {
  std::string id;      // canonical
  std::string device;  // "cpu:0"
  std::uint32_t run_index = 0;
  std::uint32_t order_index = 0;
  bool required = false;
  Status status = Status::failed;
  std::optional<Reason> reason;  // for everything but ok
  std::vector<Flag> flags;
  bool simulated = false;
  std::string provider;
  std::vector<Alternative> alternatives;
  std::string note;                             // "f16 storage, f32 compute"
  std::string weights;                          // "prepacked"
  std::map<std::string, std::string> resolved;  // types as executed: "type_a": "f8 ocp", "type_acc": "f32"
  std::optional<VerificationRecord> verification;
  std::optional<Timing> timing;
  std::optional<Work> work;
  std::optional<Rates> rates;
  std::optional<Utilization> utilization;
  std::optional<Probe> probe;
  std::optional<Telemetry> telemetry;
  std::vector<Normalized> normalized;
  std::string reproduce;
  std::vector<double> device_samples_ns, submit_samples_ns;  // raw, go to the side file
};

/// Takes from a row every number that a status other than ok or incorrect must not carry: timing, rates, utilization,
/// probe, ratios and raw samples.
void drop_numbers(CaseResult &result);

/// JSON of a row as it stands in report.json (keys of docs/report.md), without raw samples; and back. to_json throws
/// std::invalid_argument "non_finite: …" when a number is not finite (nothing that passed the plausibility gate is);
/// verification.max_rel_error alone may be infinite, written as null. result_from_json throws std::invalid_argument
/// that names the key.
nlohmann::ordered_json to_json(const CaseResult &result);
CaseResult result_from_json(const nlohmann::json &object);

}  // namespace sits
