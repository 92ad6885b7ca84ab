// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/plausibility.h"

#include <gtest/gtest.h>

#include <limits>

namespace sits {
namespace {

using microbench::Case;
using microbench::Mode;
using microbench::WorkModel;

Timing timing_of(double device_ns, double submit_ns) {
  Timing t;
  t.device_ns.n = t.submit_to_complete_ns.n = 20;
  t.device_ns.median = device_ns;
  t.submit_to_complete_ns.median = submit_ns;
  t.resolution_ns = 1;
  t.floor_ns = 50;
  return t;
}

Case gemm() {
  microbench::GemmSpec spec;
  spec.m = spec.n = spec.k = 64;
  return {spec, Mode::warm};
}
Case cold_stream() { return {microbench::StreamSpec{}, Mode::cold}; }

std::string code(const Plausibility &p) { return p.reason ? p.reason->code : ""; }

std::string timer_verdict(const Timing &t) { return code(check_plausibility(gemm(), {}, t, {})); }

TEST(Plausibility, passes_an_ordinary_time) {
  const Plausibility p = check_plausibility(gemm(), {}, timing_of(1e6, 1.01e6), {});
  EXPECT_EQ(p.status, Status::ok);
  EXPECT_FALSE(p.reason);
  EXPECT_TRUE(p.flags.empty());
}

TEST(Plausibility, refuses_what_is_no_time) {
  EXPECT_EQ(timer_verdict(timing_of(0, 1e6)), "below_timer_resolution");
  EXPECT_EQ(timer_verdict(timing_of(-5, 1e6)), "below_timer_resolution");
  EXPECT_EQ(timer_verdict(timing_of(std::numeric_limits<double>::quiet_NaN(), 1e6)), "non_finite");
}

TEST(Plausibility, names_why_no_sample_was_valid) {
  Timing t;
  EXPECT_EQ(timer_verdict(t), "no_valid_sample");
  t.device_ns.rejected = {{"zero_time", 19}, {"non_finite", 1}};
  EXPECT_EQ(timer_verdict(t), "below_timer_resolution");
  t.device_ns.rejected = {{"non_finite", 20}};
  EXPECT_EQ(timer_verdict(t), "non_finite");
  t.device_ns.rejected = {{"clock_backwards", 20}};
  EXPECT_EQ(timer_verdict(t), "clock_backwards");
}

TEST(Plausibility, refuses_a_sample_shorter_than_20_floors) {
  Timing t = timing_of(999, 2000);
  EXPECT_EQ(timer_verdict(t), "below_floor");
  t.batch = 2;
  EXPECT_EQ(timer_verdict(t), "");
}

TEST(Plausibility, refuses_a_device_time_beyond_the_hosts) {
  EXPECT_EQ(timer_verdict(timing_of(1.02e6 + 1, 1e6)), "");
  EXPECT_EQ(timer_verdict(timing_of(1.02e6 + 2, 1e6)), "device_exceeds_submit");
}

TEST(Plausibility, judges_the_headline_latency) {
  Timing t = timing_of(0, 1e6);
  t.headline = Headline::submit;
  EXPECT_EQ(timer_verdict(t), "");
}

Plausibility with_flops(double flops, const PhysicalLimits &limits) {
  WorkModel w;
  w.flops = flops;
  return check_plausibility(gemm(), w, timing_of(1e6, 1e6), limits);  // 1 ms
}

TEST(Plausibility, bounds_operations_by_units_and_observed_clock) {
  const PhysicalLimits limits{.ops_per_clock = 1000, .clock_highest_mhz = 2000, .datasheet_ops_per_s = 1e9};  // 2e12/s
  EXPECT_EQ(with_flops(2.04e9, limits).status, Status::ok);
  EXPECT_EQ(code(with_flops(2.05e9, limits)), "exceeds_peak");
  EXPECT_EQ(with_flops(2.05e9, limits).status, Status::implausible);
}

TEST(Plausibility, bounds_operations_by_the_datasheet_when_the_clock_is_unknown) {
  const PhysicalLimits limits{.ops_per_clock = 1000, .datasheet_ops_per_s = 1e12};
  EXPECT_TRUE(with_flops(1.0e9, limits).flags.empty());
  EXPECT_EQ(with_flops(1.2e9, limits).flags, std::vector<Flag>{Flag::above_nominal});
  EXPECT_EQ(with_flops(1.2e9, limits).status, Status::ok);
  EXPECT_EQ(code(with_flops(1.26e9, limits)), "exceeds_peak");
}

TEST(Plausibility, catches_a_time_divided_by_the_iterations_twice) {
  EXPECT_EQ(code(with_flops(1e14, {.datasheet_ops_per_s = 1e12})), "exceeds_peak");
}

TEST(Plausibility, bounds_nothing_by_what_is_not_known) { EXPECT_EQ(with_flops(1e30, {}).status, Status::ok); }

Plausibility with_bytes(const Case &c, double bytes, double footprint) {
  WorkModel w;
  w.bytes_read = bytes;
  w.footprint_bytes = footprint;
  return check_plausibility(c, w, timing_of(1e6, 1e6), {.datasheet_bytes_per_s = 100e9, .llc_bytes = 32e6});
}

TEST(Plausibility, bounds_bandwidth_of_cold_cases_of_four_caches) {
  EXPECT_EQ(with_bytes(cold_stream(), 100e6, 128e6).status, Status::ok);
  EXPECT_EQ(with_bytes(cold_stream(), 120e6, 128e6).flags, std::vector<Flag>{Flag::above_nominal});
  EXPECT_EQ(code(with_bytes(cold_stream(), 320e6, 128e6)), "exceeds_bandwidth");
}

TEST(Plausibility, does_not_bound_bandwidth_from_a_cache) {
  EXPECT_EQ(with_bytes(cold_stream(), 320e6, 127e6).status, Status::ok);
  Case warm = cold_stream();
  warm.mode = Mode::warm;
  EXPECT_EQ(with_bytes(warm, 320e6, 128e6).status, Status::ok);
}

Plausibility all_reduce(double ns, double bytes, const PhysicalLimits &limits) {
  WorkModel w;
  w.bytes_counted = bytes;
  w.bus_factor = 1.75;
  Timing t = timing_of(ns, ns);
  t.floor_ns = t.resolution_ns = 0;
  return check_plausibility({microbench::CollectiveSpec{.bytes = 8, .ranks = 8}, Mode::steady}, w, t, limits);
}

TEST(Plausibility, bounds_bus_bandwidth_by_the_link) {
  PhysicalLimits limits{.link_bytes_per_s = 450e9};
  EXPECT_EQ(all_reduce(1e6, 280e6, limits).status, Status::ok);     // 490 GB/s
  EXPECT_EQ(code(all_reduce(1e6, 290e6, limits)), "exceeds_link");  // 507 GB/s
  limits.in_switch_reduction = true;
  EXPECT_EQ(all_reduce(1e6, 500e6, limits).status, Status::ok);     // 875 GB/s
  EXPECT_EQ(code(all_reduce(1e6, 520e6, limits)), "exceeds_link");  // 910 GB/s
}

TEST(Plausibility, knows_that_a_message_takes_time) {
  EXPECT_EQ(code(all_reduce(499, 8, {})), "below_message_floor");
  EXPECT_EQ(all_reduce(500, 8, {}).status, Status::ok);
  EXPECT_EQ(all_reduce(60, 8, {.message_floor_ns = 50}).status, Status::ok);
}

TEST(Plausibility, leaves_no_flag_on_what_it_refuses) {
  WorkModel w;
  w.flops = 1.2e9;
  w.bytes_read = 1e12;
  w.footprint_bytes = 1e12;
  const Plausibility p =
      check_plausibility(cold_stream(), w, timing_of(1e6, 1e6),
                         {.datasheet_ops_per_s = 1e12, .datasheet_bytes_per_s = 1e9, .llc_bytes = 1});
  EXPECT_EQ(code(p), "exceeds_bandwidth");
  EXPECT_TRUE(p.flags.empty());
}

}  // namespace
}  // namespace sits
