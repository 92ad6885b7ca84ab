// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "harness/measure/plausibility.h"

namespace sits {
namespace {

using microbench::Case;
using microbench::Mode;

constexpr double kMib = 1024.0 * 1024;

SweepPoint copy_of(double bytes, double ns, Mode mode = Mode::cold, const std::string &device = "cpu:0") {
  SweepPoint p;
  p.test_case = {microbench::StreamSpec{.kind = SITS_STREAM_COPY, .bytes = static_cast<std::uint64_t>(bytes)}, mode};
  p.work.bytes_read = p.work.bytes_written = bytes;
  p.device = device;
  p.median_ns = ns;
  return p;
}

TEST(Sweep, of_times_that_grow_is_good) {
  EXPECT_TRUE(check_sweeps(std::vector{copy_of(kMib, 1e4), copy_of(64 * kMib, 6e5), copy_of(512 * kMib, 5e6)}).empty());
}

TEST(Sweep, of_one_time_for_every_size_is_a_timer_that_does_not_wait) {
  const auto faults =
      check_sweeps(std::vector{copy_of(kMib, 5000), copy_of(64 * kMib, 5010), copy_of(512 * kMib, 5100)});
  ASSERT_EQ(faults.size(), 1u);  // 128 MiB moved may hide behind the launch, 1 GiB may not
  EXPECT_EQ(faults[0].point, 2u);
  EXPECT_EQ(faults[0].reason.code, "time_does_not_grow");
}

TEST(Sweep, of_small_sizes_may_be_flat) {
  EXPECT_TRUE(check_sweeps(std::vector{copy_of(64, 5000), copy_of(65536, 5000)}).empty());
}

TEST(Sweep, needs_64_times_the_work) {
  EXPECT_TRUE(check_sweeps(std::vector{copy_of(256 * kMib, 5000), copy_of(8192 * kMib, 5000)}).empty());
}

TEST(Sweep, is_of_one_device_and_one_kind_of_case) {
  EXPECT_TRUE(check_sweeps(std::vector{copy_of(kMib, 5000), copy_of(512 * kMib, 5000, Mode::warm)}).empty());
  EXPECT_TRUE(check_sweeps(std::vector{copy_of(kMib, 5000), copy_of(512 * kMib, 5000, Mode::cold, "cuda:0")}).empty());
}

SweepPoint gemm(std::int64_t m, std::int64_t nk, double ns) {
  SweepPoint p;
  microbench::GemmSpec spec;
  spec.m = m;
  spec.n = spec.k = nk;
  p.test_case = {spec, Mode::warm};
  const auto rows = static_cast<double>(m), side = static_cast<double>(nk);
  p.work.flops = 2 * rows * side * side;
  p.work.bytes_read = 2 * (rows * side + side * side);
  p.work.bytes_written = 2 * rows * side;
  p.device = "cuda:0";
  p.median_ns = ns;
  return p;
}

TEST(Sweep, of_gemms_counts_operations) {
  EXPECT_EQ(check_sweeps(std::vector{gemm(512, 512, 8000), gemm(4096, 4096, 8000)}).size(), 1u);
  EXPECT_TRUE(check_sweeps(std::vector{gemm(512, 512, 8000), gemm(4096, 4096, 200000)}).empty());
}

TEST(Sweep, of_gemms_that_read_the_same_weights_may_be_flat) {
  EXPECT_TRUE(check_sweeps(std::vector{gemm(1, 16384, 200000), gemm(128, 16384, 201000)}).empty());
}

TEST(Sweep, does_not_exist_for_a_pointer_chase) {
  const auto chase = [](std::uint64_t bytes, double footprint) {
    SweepPoint p;
    p.test_case = {microbench::MemoryLatencySpec{bytes}, Mode::none};
    p.work.bytes_read = footprint;
    p.median_ns = 80;
    return p;
  };
  EXPECT_TRUE(check_sweeps(std::vector{chase(1 << 20, 1e6), chase(1 << 30, 1e9)}).empty());
}

}  // namespace
}  // namespace sits
