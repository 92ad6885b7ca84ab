// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/case_row.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/plugin/text.h"
#include "sits/dtype.h"

namespace sits::worker {
namespace {

constexpr double kBeyondCache = 4;  // × the last-level cache: no part of note stays in it

std::optional<double> positive(double value) { return value > 0 ? std::optional(value) : std::nullopt; }

const plugin::PeakRate *fastest_unit(const plugin::Device &device, std::uint32_t type) {
  const plugin::PeakRate *best = nullptr;
  for (const plugin::PeakRate &peak : device.peaks)
    if (peak.type == type && (best == nullptr || plugin::ops_per_s(peak, device) > plugin::ops_per_s(*best, device)))
      best = &peak;
  return best;
}

}  // namespace

std::optional<double> datasheet_ops_per_s(const plugin::Device &device, std::uint32_t type) {
  const plugin::PeakRate *peak = fastest_unit(device, type);
  return peak == nullptr ? std::nullopt : positive(plugin::ops_per_s(*peak, device));
}

Roofs roofs_of(const plugin::Device &device, std::uint32_t roof_type, const ProbePair &probes) {
  Roofs roofs;
  if (probes.compute) roofs.measured_ops_per_s = probes.compute->rate;
  if (probes.bandwidth) roofs.measured_bytes_per_s = probes.bandwidth->rate;
  roofs.datasheet_ops_per_s = datasheet_ops_per_s(device, roof_type);
  roofs.datasheet_bytes_per_s = positive(device.bandwidth_bytes_per_s);
  return roofs;
}

PhysicalLimits limits_of(const plugin::Device &device, std::uint32_t roof_type,
                         std::optional<double> clock_highest_mhz) {
  constexpr double kBetweenCoresNs = 50;
  PhysicalLimits limits;
  if (const plugin::PeakRate *peak = fastest_unit(device, roof_type))
    limits.ops_per_clock = positive(peak->ops_per_clock_unit * device.compute_units);
  limits.clock_highest_mhz = clock_highest_mhz;
  limits.datasheet_ops_per_s = datasheet_ops_per_s(device, roof_type);
  limits.datasheet_bytes_per_s = positive(device.bandwidth_bytes_per_s);
  limits.llc_bytes = positive(static_cast<double>(device.llc_bytes));
  if ((device.flags & SITS_DEVICE_CPU) != 0) limits.message_floor_ns = kBetweenCoresNs;
  return limits;
}

bool moves_through_memory(const microbench::Case &test_case, const microbench::WorkModel &work,
                          std::uint64_t llc_bytes) {
  const microbench::Op op = microbench::op_of(test_case);
  if (op != microbench::Op::gemm && op != microbench::Op::stream && op != microbench::Op::attention) return false;
  if (test_case.mode == microbench::Mode::cold) return true;
  return llc_bytes > 0 && work.footprint_bytes >= kBeyondCache * static_cast<double>(llc_bytes);
}

std::optional<Probe> probe_of(const ProbePair &probes, const std::string &bound, bool is_peak) {
  const bool compute_first = is_peak || bound == "compute";
  const auto &wanted = compute_first ? probes.compute : probes.bandwidth;
  const auto &other = compute_first ? probes.bandwidth : probes.compute;
  const auto &reading = wanted ? wanted : other;
  if (!reading) return std::nullopt;
  return Probe{reading->kind, reading->median_ns, 0};
}

std::vector<Alternative> parse_alternatives(const std::string &json_text) {
  std::vector<Alternative> out;
  const auto list = nlohmann::json::parse(json_text, nullptr, false);
  if (!list.is_array()) return out;
  for (const auto &entry : list) {
    if (!entry.is_object() || !entry.contains("provider") || !entry["provider"].is_string()) continue;
    Alternative alternative;
    alternative.provider = entry["provider"].get<std::string>();
    if (const auto time = entry.find("median_ns"); time != entry.end() && time->is_number())
      alternative.median_ns = time->get<double>();
    if (const auto reason = entry.find("reason"); reason != entry.end() && reason->is_string())
      alternative.reason = reason->get<std::string>();
    out.push_back(std::move(alternative));
  }
  return out;
}

std::string resolved_type_name(std::uint32_t type) {
  const std::string name = dtype_name(type);
  switch (type) {
    case SITS_F8_E4M3:
    case SITS_F8_E5M2: return name + " ocp";
    case SITS_F8_E4M3_FNUZ:
    case SITS_F8_E5M2_FNUZ: return name + " fnuz";
    case SITS_F8_E4M3_GAUDI2: return name + " gaudi2";
    default: return name;
  }
}

}  // namespace sits::worker
