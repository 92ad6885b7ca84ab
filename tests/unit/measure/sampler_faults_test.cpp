// SPDX-License-Identifier: Apache-2.0
//
// Streams and machines that lie, wander or disturb.
#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <random>

#include "fake_subject.h"
#include "harness/measure/floor_rule.h"

namespace sits {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

FakeSubject constant(double device, double submit) {
  FakeSubject subject;
  subject.device_ns = [device](std::uint64_t) { return device; };
  subject.submit_ns = [submit](double) { return submit; };
  return subject;
}

TEST(Faults, a_stream_without_valid_times_ends_without_statistics) {
  struct Row {
    double ns;
    const char *reason;
  };
  for (const Row &row :
       {Row{kNan, "non_finite"}, Row{kInf, "non_finite"}, Row{0, "zero_time"}, Row{-12, "clock_backwards"}}) {
    FakeSubject subject = constant(row.ns, row.ns);
    Policy policy;
    policy.max_samples = 50;
    const Measurement m = measure(subject, policy, {});
    EXPECT_EQ(m.timing.device_ns.n, 0u) << row.ns;
    EXPECT_EQ(m.timing.stop_reason, StopReason::max_samples) << row.ns;
    EXPECT_EQ(m.timing.device_ns.rejected.at(row.reason), 50u) << row.ns;
    EXPECT_EQ(m.device_samples_ns.size(), 50u) << "the raw values are kept";
    EXPECT_FALSE(m.timing.device_ns.stdev || m.timing.device_ns.median_ci95);
  }
}

TEST(Faults, a_clock_that_stands_still_does_not_hang_the_sampler) {
  FakeSubject subject = constant(0, 0);
  subject.touch = [&](SampleBatch &) { subject.clock_ns = 1e9; };
  EXPECT_EQ(measure(subject, Policy{}, {}).timing.device_ns.n, 0u);
}

TEST(Faults, a_backend_without_samples_does_not_hang_the_sampler) {
  FakeSubject subject;
  subject.touch = [](SampleBatch &b) { b.device_ns.clear(), b.submit_to_complete_ns.clear(); };
  EXPECT_EQ(measure(subject, Policy{}, {}).timing.device_ns.n, 0u);
}

TEST(Faults, single_bad_samples_are_counted_and_the_rest_stands) {
  FakeSubject subject;
  subject.submit_ns = [&](double device) { return subject.samples % 10 == 0 ? -5.0 : device + 1; };
  const Measurement m = measure(subject, Policy{}, {});
  EXPECT_GE(m.timing.device_ns.n, 20u);
  EXPECT_GT(m.timing.device_ns.rejected.at("clock_backwards"), 0u);
  EXPECT_EQ(m.timing.device_ns.median, 1e6);
}

TEST(Faults, a_huge_time_is_a_time) {
  FakeSubject subject = constant(1e15, 1e15);
  const Measurement m = measure(subject, Policy{}, {});
  EXPECT_EQ(m.timing.device_ns.median, 1e15);
  EXPECT_EQ(m.timing.device_ns.n, 1u);
}

TEST(Faults, a_device_clock_beyond_the_hosts_is_replaced) {
  FakeSubject subject = constant(1.1e6, 1e6);
  const Measurement m = measure(subject, Policy{}, {});
  EXPECT_EQ(m.timing.clock, "host");
  EXPECT_TRUE(has(m, Flag::clock_host));
  EXPECT_EQ(m.timing.device_ns.median, 1e6);
  EXPECT_EQ(m.timing.device_ns.rejected.at("device_clock"), m.timing.device_ns.n);
}

TEST(Faults, a_device_clock_within_2_percent_and_a_tick_is_kept) {
  FakeSubject subject = constant(1.02e6 + 1, 1e6);
  const Measurement m = measure(subject, Policy{}, {});
  EXPECT_EQ(m.timing.clock, "device");
  EXPECT_FALSE(has(m, Flag::clock_host));
}

TEST(Faults, a_device_clock_that_reads_nothing_is_replaced) {
  for (const double device : {0.0, kNan, -1.0}) {
    FakeSubject subject = constant(device, 1e6);
    const Measurement m = measure(subject, Policy{}, {});
    EXPECT_TRUE(has(m, Flag::clock_host)) << device;
    EXPECT_EQ(m.timing.device_ns.median, 1e6) << device;
  }
}

TEST(Faults, a_device_clock_that_fails_now_and_then_is_kept) {
  FakeSubject subject;
  subject.device_ns = [](std::uint64_t n) { return n % 20 == 3 ? 0 : 1e6; };
  subject.submit_ns = [](double) { return 1.1e6; };
  const Measurement m = measure(subject, Policy{}, {});
  EXPECT_EQ(m.timing.clock, "device");
  EXPECT_EQ(m.timing.device_ns.median, 1e6);
  EXPECT_GT(m.timing.device_ns.rejected.at("device_clock"), 0u);
}

TEST(Faults, a_hosts_own_clock_is_not_a_replacement) {
  FakeSubject subject;
  subject.host_clock = true;
  const Measurement m = measure(subject, Policy{}, {});
  EXPECT_EQ(m.timing.clock, "host");
  EXPECT_FALSE(has(m, Flag::clock_host));
}

TEST(Faults, disturbed_batches_are_rejected_by_name) {
  FakeSubject subject;
  subject.device_ns = [](std::uint64_t) { return 2e6; };
  subject.touch = [&](SampleBatch &b) {
    if (subject.takes == 6) b.minor_faults = 7;
    if (subject.takes == 7) b.involuntary_switches = 3;
    if (subject.takes == 8) b.cpu_ns = 0.5 * b.wall_ns * b.threads;
  };
  const Measurement m = measure(subject, Policy{}, {});
  EXPECT_EQ(m.timing.device_ns.rejected.at("page_faults"), 5u);  // 5 samples of 2 ms in a batch of 10 ms
  EXPECT_EQ(m.timing.device_ns.rejected.at("involuntary_switches"), 5u);
  EXPECT_EQ(m.timing.device_ns.rejected.at("contended"), 5u);
  EXPECT_EQ(m.timing.device_ns.n, 20u);
  EXPECT_FALSE(has(m, Flag::contended));
}

TEST(Faults, rejection_is_bounded_and_then_flagged) {
  FakeSubject subject;
  subject.device_ns = [](std::uint64_t) { return 2e6; };
  subject.touch = [](SampleBatch &b) { b.cpu_ns = 0.5 * b.wall_ns * b.threads; };
  const Measurement m = measure(subject, Policy{}, {});
  const std::uint64_t rejected = m.timing.device_ns.rejected.at("contended");
  EXPECT_GE(m.timing.device_ns.n, 20u);
  EXPECT_LE(rejected, std::max<std::uint64_t>(15, (m.timing.device_ns.n + rejected) / 2));
  EXPECT_TRUE(has(m, Flag::contended));
  EXPECT_NEAR(m.cpu_utilization.value(), 0.5, 1e-9);
}

TEST(Faults, disturbed_samples_are_kept_when_they_are_all_there_is) {
  FakeSubject subject;
  subject.device_ns = [](std::uint64_t) { return 400e6; };
  subject.touch = [](SampleBatch &b) { b.cpu_ns = 0.5 * b.wall_ns * b.threads; };
  Policy policy;
  policy.budget_ns = 2.6e9;  // sizing, three to warm up, two samples
  const Measurement m = measure(subject, policy, {});
  EXPECT_EQ(m.timing.device_ns.n, 2u);
  EXPECT_EQ(m.timing.device_ns.rejected.count("contended"), 0u);
  EXPECT_TRUE(has(m, Flag::contended));
}

TEST(Faults, an_operation_that_always_faults_is_measured_and_flagged) {
  FakeSubject subject;
  subject.touch = [](SampleBatch &b) { b.minor_faults = 1; };
  const Measurement m = measure(subject, Policy{}, {});
  EXPECT_GE(m.timing.device_ns.n, 20u);
  EXPECT_TRUE(has(m, Flag::cold_start));
}

TEST(Faults, two_modes_are_flagged_and_end_as_a_plateau) {
  FakeSubject subject;
  subject.device_ns = [](std::uint64_t n) { return n % 2 == 0 ? 10e6 : 13e6; };
  Policy policy;
  policy.budget_ns = 1e12;
  const Measurement m = measure(subject, policy, {});
  EXPECT_TRUE(has(m, Flag::multimodal));
  EXPECT_TRUE(has(m, Flag::noisy));
  EXPECT_EQ(m.timing.stop_reason, StopReason::plateau);
}

TEST(Faults, a_drifting_stream_is_flagged) {
  FakeSubject subject;
  subject.device_ns = [](std::uint64_t n) { return 10e6 * (1 + 0.004 * static_cast<double>(n)); };
  const Measurement m = measure(subject, Policy{}, {});
  EXPECT_TRUE(has(m, Flag::drift));
  EXPECT_GT(m.timing.device_ns.drift_per_100.value(), 0.2);
}

TEST(Faults, a_step_of_the_clock_is_flagged) {
  FakeSubject subject;
  subject.device_ns = [](std::uint64_t n) { return n < 34 ? 10e6 : 12e6; };
  Policy policy;
  policy.min_samples = 60;
  policy.budget_ns = 1e12;
  const Measurement m = measure(subject, policy, {});
  EXPECT_TRUE(has(m, Flag::multimodal) || has(m, Flag::drift));
}

TEST(Faults, a_quiet_normal_stream_has_no_flag) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> noise(1, 0.01);
  FakeSubject subject;
  subject.device_ns = [&](std::uint64_t) { return 5e6 * noise(random); };
  EXPECT_TRUE(measure(subject, Policy{}, {}).flags.empty());
}

TEST(Faults, an_operation_too_short_for_any_batch_ends_without_a_number) {
  FakeSubject subject = constant(0, 0);
  subject.resolution_ns = 1e6;
  Policy policy;
  policy.max_samples = 20;
  const Measurement m = measure(subject, policy, {});
  EXPECT_EQ(m.timing.device_ns.n, 0u);
  EXPECT_LE(subject.iterations, 40u * kLargestBatch);
}

TEST(Faults, samples_and_statistics_are_the_same_set) {
  std::mt19937_64 random(3);
  std::lognormal_distribution<double> noise(0, 0.05);
  FakeSubject subject;
  subject.device_ns = [&](std::uint64_t n) { return n % 25 == 0 ? kNan : 1e6 * noise(random); };
  subject.submit_ns = [](double) { return 3e6; };
  const Measurement m = measure(subject, Policy{}, {});
  ASSERT_EQ(m.device_samples_ns.size(), m.timing.device_ns.n);
  const double sum = std::accumulate(m.device_samples_ns.begin(), m.device_samples_ns.end(), 0.0);
  EXPECT_NEAR(m.timing.device_ns.mean * static_cast<double>(m.timing.device_ns.n), sum, 1e-6 * sum);
}

}  // namespace
}  // namespace sits
