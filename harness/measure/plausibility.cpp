// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/plausibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/measure/floor_rule.h"
#include "harness/measure/sample_store.h"

namespace sits {
namespace {

constexpr double kClockTolerance = 1.02;      // over what the observed clock allows
constexpr double kDatasheetTolerance = 1.25;  // over a datasheet, whose clock and memory need not be this part's
constexpr double kLinkTolerance = 1.1;        // over the link's rate
constexpr double kInSwitchTolerance = 2.0;    // a switch that reduces halves what crosses the link
constexpr double kCacheMultiple = 4;          // working set over last-level cache, before memory bounds a case

using Verdict = std::optional<Reason>;

std::string dominant_fault(const Statistics &s) {
  const auto most = std::max_element(s.rejected.begin(), s.rejected.end(),
                                     [](const auto &a, const auto &b) { return a.second < b.second; });
  return most == s.rejected.end() ? "" : most->first;
}

Verdict no_sample(const Statistics &s) {
  const std::string fault = dominant_fault(s);
  const std::uint64_t count = fault.empty() ? 0 : s.rejected.at(fault);
  if (fault == "zero_time") return Reason{"below_timer_resolution", fmt::format("all {} samples read as 0 ns", count)};
  if (fault == "non_finite" || fault == "clock_backwards")
    return Reason{fault, fmt::format("no valid sample: {} rejected as {}", count, fault)};
  return Reason{"no_valid_sample", fault.empty() ? "no sample was taken"
                                                 : fmt::format("no valid sample: {} rejected as {}", count, fault)};
}

Verdict check_timer(const Timing &t) {
  const Statistics &device = t.device_ns, &submit = t.submit_to_complete_ns;
  const Statistics &headline = t.headline_statistics();
  if (headline.n == 0) return no_sample(headline);
  if (!std::isfinite(headline.median)) return Reason{"non_finite", "the median is not a number"};
  if (headline.median <= 0)
    return Reason{"below_timer_resolution", fmt::format("the median is {} ns", headline.median)};
  if (!keeps_floor_rule(headline.median, t.batch, t.floor_ns, t.resolution_ns))
    return Reason{"below_floor",
                  fmt::format("a sample of {} × {:.6g} ns is shorter than {:.6g} ns, 20 × the timer's "
                              "floor or 100 × its tick",
                              t.batch, headline.median, shortest_sample_ns(t.floor_ns, t.resolution_ns))};
  if (device.n > 0 && submit.n > 0 &&
      !device_within_submit(device.median, submit.median, t.resolution_ns / std::max(t.batch, 1u)))
    return Reason{"device_exceeds_submit",
                  fmt::format("the device's {:.6g} ns are longer than the {:.6g} ns from submission to completion",
                              device.median, submit.median)};
  return std::nullopt;
}

/// A rate against a datasheet: implausible above 1.25 ×, flagged above 1 ×.
Verdict check_datasheet(double rate, double datasheet, const char *code, const char *unit, std::vector<Flag> &flags) {
  if (rate > kDatasheetTolerance * datasheet)
    return Reason{code, fmt::format("{:.4g} {} is more than 1.25 × the datasheet's {:.4g}", rate, unit, datasheet)};
  if (rate > datasheet) flags.push_back(Flag::above_nominal);
  return std::nullopt;
}

Verdict check_compute(double flops_per_s, const PhysicalLimits &limits, std::vector<Flag> &flags) {
  if (limits.ops_per_clock && limits.clock_highest_mhz) {
    const double roof = *limits.ops_per_clock * *limits.clock_highest_mhz * 1e6;
    if (flops_per_s <= kClockTolerance * roof) return std::nullopt;
    return Reason{"exceeds_peak", fmt::format("{:.4g} operations/s is more than the {:.4g} of every unit at {:.0f} MHz",
                                              flops_per_s, roof, *limits.clock_highest_mhz)};
  }
  if (!limits.datasheet_ops_per_s) return std::nullopt;
  return check_datasheet(flops_per_s, *limits.datasheet_ops_per_s, "exceeds_peak", "operations/s", flags);
}

Verdict check_memory(const microbench::Case &c, const microbench::WorkModel &work, double ns,
                     const PhysicalLimits &limits, std::vector<Flag> &flags) {
  const bool from_memory = c.mode == microbench::Mode::cold && limits.llc_bytes &&
                           work.footprint_bytes >= kCacheMultiple * *limits.llc_bytes;
  if (!from_memory || !limits.datasheet_bytes_per_s) return std::nullopt;
  return check_datasheet(work.bytes_total() / ns * 1e9, *limits.datasheet_bytes_per_s, "exceeds_bandwidth", "B/s",
                         flags);
}

Verdict check_collective(const microbench::WorkModel &work, double ns, const PhysicalLimits &limits) {
  if (ns < limits.message_floor_ns)
    return Reason{"below_message_floor", fmt::format("{:.6g} ns is less than the {:.6g} ns that one message takes", ns,
                                                     limits.message_floor_ns)};
  if (!limits.link_bytes_per_s) return std::nullopt;
  const double busbw = work.bytes_counted / ns * 1e9 * work.bus_factor;
  const double tolerance = limits.in_switch_reduction ? kInSwitchTolerance : kLinkTolerance;
  if (busbw <= tolerance * *limits.link_bytes_per_s) return std::nullopt;
  return Reason{"exceeds_link", fmt::format("a bus bandwidth of {:.4g} B/s is more than {} × the link's {:.4g}", busbw,
                                            tolerance, *limits.link_bytes_per_s)};
}

}  // namespace

Plausibility check_plausibility(const microbench::Case &test_case, const microbench::WorkModel &work,
                                const Timing &timing, const PhysicalLimits &limits) {
  Plausibility result;
  const auto refuse = [&](Verdict verdict) {
    if (!verdict) return false;
    result = {Status::implausible, std::move(verdict), {}};
    return true;
  };
  if (refuse(check_timer(timing))) return result;
  const double ns = timing.headline_statistics().median;
  if (work.flops > 0 && refuse(check_compute(work.flops / ns * 1e9, limits, result.flags))) return result;
  if (refuse(check_memory(test_case, work, ns, limits, result.flags))) return result;
  if (microbench::op_of(test_case) == microbench::Op::collective) refuse(check_collective(work, ns, limits));
  return result;
}

}  // namespace sits
