// SPDX-License-Identifier: Apache-2.0
//
// The ordinary course of a measurement.
#include "harness/measure/sampler.h"

#include <gtest/gtest.h>

#include <random>

#include "fake_subject.h"
#include "harness/measure/floor_rule.h"

namespace sits {
namespace {

TEST(Sampler, stops_at_the_first_look_of_a_constant_stream) {
  FakeSubject subject;
  const Measurement m = measure(subject, Policy{}, {});
  EXPECT_EQ(m.timing.device_ns.n, 20u);
  EXPECT_EQ(m.timing.device_ns.median, 1e6);
  EXPECT_EQ(m.timing.submit_to_complete_ns.median, 1e6 + 1000);
  EXPECT_EQ(m.timing.stop_reason, StopReason::converged);
  EXPECT_EQ(m.timing.batch, 1u);
  EXPECT_EQ(m.timing.clock, "device");
  EXPECT_EQ(m.device_samples_ns.size(), 20u);
  EXPECT_EQ(m.submit_samples_ns.size(), 20u);
  EXPECT_EQ(m.iterations, 20u);
  EXPECT_TRUE(m.flags.empty());
  EXPECT_DOUBLE_EQ(m.cpu_utilization.value(), 1);
}

TEST(Sampler, discards_the_first_run_and_the_warm_up) {
  FakeSubject subject;
  subject.device_ns = [](std::uint64_t n) { return n == 0 ? 57e6 : n < 9 ? 1.75e6 : 1e6; };
  subject.touch = [&](SampleBatch &b) { b.minor_faults = subject.samples <= 9 ? 533 : 0; };
  const Measurement m = measure(subject, Policy{}, {});
  EXPECT_EQ(m.timing.device_ns.max, 1e6);
  EXPECT_EQ(m.timing.warmup_iterations, 12u);  // 1, then 8 that fault, then 3 that agree
  EXPECT_EQ(m.minor_faults, 9 * 533);
  EXPECT_FALSE(has(m, Flag::cold_start));
}

TEST(Sampler, warms_up_as_long_as_the_policy_asks) {
  FakeSubject subject;
  Policy policy;
  policy.warmup_min = 20;
  EXPECT_EQ(measure(subject, policy, {}).timing.warmup_iterations, 21u);
}

TEST(Sampler, loads_the_device_for_the_time_asked_before_it_warms_up) {
  FakeSubject subject;
  Policy policy;
  policy.soak_ns = 1e9;
  EXPECT_GE(measure(subject, policy, {}).timing.warmup_iterations, 1000u);  // of 1 ms each
}

TEST(Sampler, batches_an_operation_shorter_than_20_floors) {
  FakeSubject subject;
  subject.device_ns = [](std::uint64_t) { return 50.0; };
  subject.submit_ns = [](double device) { return device + 5; };
  const Measurement m = measure(subject, Policy{}, {});
  EXPECT_EQ(m.timing.batch, 50u);  // 1.25 × 20 × 100 ns ÷ 50 ns
  EXPECT_EQ(m.timing.device_ns.median, 50);
  EXPECT_FALSE(m.timing.device_ns.p90 || m.timing.device_ns.p95 || m.timing.device_ns.p99);
  EXPECT_EQ(m.timing.device_ns.percentiles_absent, "batched");
  EXPECT_EQ(m.timing.submit_to_complete_ns.percentiles_absent, "batched");
}

TEST(Sampler, grows_the_batch_until_a_coarse_clock_can_read_it) {
  FakeSubject subject;  // a clock of 1 µs over an operation of 30 ns
  std::uint32_t batch = 1;
  subject.resolution_ns = 1000;
  subject.floor_ns = 0;
  subject.device_ns = [](std::uint64_t) { return 30.0; };
  subject.touch = [&](SampleBatch &b) {
    batch = b.batch;
    for (double &ns : b.device_ns) ns = std::floor(ns * batch / 1000) * 1000 / batch;
    b.submit_to_complete_ns = b.device_ns;
  };
  const Measurement m = measure(subject, Policy{}, {});
  EXPECT_GE(m.timing.device_ns.median * m.timing.batch, 100 * 1000);
  EXPECT_NEAR(m.timing.device_ns.median, 30, 0.3);
}

TEST(Sampler, batches_what_only_its_first_run_made_long) {
  FakeSubject subject;
  subject.device_ns = [](std::uint64_t n) { return n == 0 ? 5e6 : 200.0; };
  const Measurement m = measure(subject, Policy{}, {});
  EXPECT_TRUE(keeps_floor_rule(m.timing.device_ns.median, m.timing.batch, 100, 1));
}

TEST(Sampler, gives_the_same_time_per_iteration_for_any_batch) {
  for (const std::uint32_t batch : {1u, 2u, 64u}) {
    FakeSubject subject;
    const Measurement m = measure(subject, Policy{}, {.min_batch = batch});
    EXPECT_EQ(m.timing.device_ns.median, 1e6);
    EXPECT_EQ(m.timing.batch, batch);
  }
}

TEST(Sampler, believes_the_backend_about_the_batch_it_took) {
  FakeSubject subject;  // a pointer chase that never walks fewer than 4096 steps
  subject.device_ns = [](std::uint64_t) { return 1.5; };
  subject.submit_ns = [](double device) { return device; };
  subject.touch = [](SampleBatch &b) { b.batch = std::max(b.batch, 4096u); };
  EXPECT_EQ(measure(subject, Policy{}, {}).timing.batch, 4096u);
}

TEST(Sampler, leaves_single_iterations_alone_when_told_to) {
  FakeSubject subject;
  subject.device_ns = [](std::uint64_t) { return 500.0; };
  const Measurement m = measure(subject, Policy{}, {.allow_batching = false});
  EXPECT_EQ(m.timing.batch, 1u);
  EXPECT_EQ(m.timing.device_ns.percentiles_absent, "below_floor");
}

TEST(Sampler, takes_exactly_the_iterations_asked_for_unbatched) {
  FakeSubject subject;
  Policy policy;
  policy.exact_iterations = 100;
  const Measurement m = measure(subject, policy, {});
  EXPECT_EQ(m.timing.device_ns.n, 100u);
  EXPECT_EQ(m.timing.stop_reason, StopReason::max_samples);
  EXPECT_EQ(m.timing.batch, 1u);
  EXPECT_TRUE(m.timing.device_ns.p95);
}

TEST(Sampler, batches_exact_iterations_below_the_floor_and_says_why_there_is_no_p95) {
  FakeSubject subject;
  subject.device_ns = [](std::uint64_t) { return 500.0; };
  Policy policy;
  policy.exact_iterations = 100;
  const Measurement m = measure(subject, policy, {});
  EXPECT_GT(m.timing.batch, 1u);
  EXPECT_FALSE(m.timing.device_ns.p95);
  EXPECT_EQ(m.timing.device_ns.percentiles_absent, "below_floor");
}

TEST(Sampler, reads_the_gates_over_batches_of_10_ms) {
  FakeSubject subject;
  subject.device_ns = [](std::uint64_t) { return 100e3; };
  std::size_t longest = 0;
  subject.touch = [&](SampleBatch &b) { longest = std::max(longest, b.device_ns.size()); };
  measure(subject, Policy{}, {});
  EXPECT_EQ(longest, 100u);
}

TEST(Sampler, goes_on_until_the_interval_is_narrow) {
  std::mt19937_64 random(5);
  std::lognormal_distribution<double> noise(0, 0.1);
  FakeSubject subject;
  subject.device_ns = [&](std::uint64_t) { return 20e6 * noise(random); };
  Policy policy;
  policy.budget_ns = 1e12;
  const Measurement m = measure(subject, policy, {});
  EXPECT_EQ(m.timing.stop_reason, StopReason::converged);
  EXPECT_GT(m.timing.device_ns.n, 100u);
  const Interval ci = m.timing.device_ns.median_ci95.value();
  EXPECT_LE(ci.high - ci.low, 2 * 0.01 * m.timing.device_ns.median);
  EXPECT_FALSE(has(m, Flag::noisy));
}

TEST(Sampler, keeps_within_the_time_budget) {
  std::mt19937_64 random(5);
  std::lognormal_distribution<double> noise(0, 0.5);
  FakeSubject subject;
  subject.device_ns = [&](std::uint64_t) { return 50e6 * noise(random); };
  Policy policy;
  policy.budget_ns = 5e9;
  const double start = subject.clock_ns;
  const Measurement m = measure(subject, policy, {});
  EXPECT_EQ(m.timing.stop_reason, StopReason::time_budget);
  EXPECT_LE(subject.clock_ns - start, 5.2e9);
  EXPECT_TRUE(has(m, Flag::noisy));
}

TEST(Sampler, keeps_an_absolute_deadline_over_the_budget) {
  FakeSubject subject;
  subject.device_ns = [](std::uint64_t n) { return 50e6 + 1e6 * static_cast<double>(n % 17); };
  const double deadline = subject.clock_ns + 1e9;
  measure(subject, Policy{}, {.deadline_ns = deadline});
  EXPECT_LE(subject.clock_ns, deadline + 70e6);
}

TEST(Sampler, takes_one_sample_even_when_no_time_is_left) {
  FakeSubject subject;
  subject.device_ns = [](std::uint64_t) { return 20e9; };
  const Measurement m = measure(subject, Policy{}, {});
  EXPECT_EQ(m.timing.device_ns.n, 1u);
  EXPECT_EQ(m.timing.stop_reason, StopReason::time_budget);
  EXPECT_TRUE(has(m, Flag::cold_start));
}

TEST(Sampler, stops_when_cancelled_and_keeps_what_it_has) {
  FakeSubject subject;
  subject.device_ns = [](std::uint64_t) { return 20e6; };
  subject.cancel_after_takes = 10;
  const Measurement m = measure(subject, Policy{}, {});
  EXPECT_TRUE(m.cancelled);
  EXPECT_EQ(subject.takes, 10u);
  EXPECT_EQ(m.timing.device_ns.n, 6u);  // 1 to size, 3 to warm up
}

TEST(Sampler, passes_on_what_the_subject_throws) {
  FakeSubject subject;
  subject.touch = [&](SampleBatch &) {
    if (subject.takes == 6) throw std::runtime_error("device lost");
  };
  EXPECT_THROW(measure(subject, Policy{}, {}), std::runtime_error);
}

TEST(Sampler, hands_on_the_last_batch) {
  FakeSubject subject;
  subject.touch = [&](SampleBatch &b) { b.current_copy = 3, b.steps_total = subject.iterations; };
  const Measurement m = measure(subject, Policy{}, {});
  EXPECT_EQ(m.last.current_copy, 3u);
  EXPECT_EQ(m.last.steps_total, subject.iterations);
}

}  // namespace
}  // namespace sits
