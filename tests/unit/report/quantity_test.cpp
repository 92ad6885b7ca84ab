// SPDX-License-Identifier: Apache-2.0
#include "harness/report/quantity.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

namespace sits::report {
namespace {

TEST(Quantity, writes_the_shortest_number_that_reads_back) {
  EXPECT_EQ(exact_number(0.1), "0.1");
  EXPECT_EQ(exact_number(3), "3.0");
  EXPECT_EQ(exact_number(-0.0), "-0.0");
  EXPECT_EQ(exact_number(1e22), "1e+22");
  EXPECT_EQ(exact_number(1e-9), "1e-09");
  EXPECT_EQ(exact_number(1234567.5), "1234567.5");
  EXPECT_EQ(exact_number(5e-324), "5e-324");
}

TEST(Quantity, reads_back_bit_for_bit) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const auto value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    const double back = std::strtod(exact_number(value).c_str(), nullptr);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(back), std::bit_cast<std::uint64_t>(value)) << exact_number(value);
  }
}

TEST(Quantity, scales_times_for_people) {
  EXPECT_EQ(time_text(0.4), "0.400 ns") << "less than a nanosecond is not nothing";
  EXPECT_EQ(time_text(812.34), "812.3 ns");
  EXPECT_EQ(time_text(1234.5678), "1.235 µs");
  EXPECT_EQ(time_text(999.99), "1.000 µs") << "rounding does not give 1000 ns";
  EXPECT_EQ(time_text(999949), "999.9 µs");
  EXPECT_EQ(time_text(98765432.0), "98.77 ms");
  EXPECT_EQ(time_text(9.9996e9), "10.00 s");
  EXPECT_EQ(time_text(3.6e12), "3600 s");
  EXPECT_EQ(time_text(0), "0.000 ns");
}

TEST(Quantity, scales_rates_by_thousands_and_sizes_by_1024) {
  EXPECT_EQ(rate_text(1.5, "B/s"), "1.500 B/s");
  EXPECT_EQ(rate_text(32614910250.0, "B/s"), "32.61 GB/s");
  EXPECT_EQ(rate_text(1.9e18, "FLOP/s"), "1900 PFLOP/s");
  EXPECT_EQ(bytes_text(32768), "32.0 KiB");
  EXPECT_EQ(bytes_text(1.5 * 0x1p30), "1.50 GiB");
}

TEST(Quantity, shows_ratios_and_shares) {
  EXPECT_EQ(percent_text(0.87349), "87.3 %");
  EXPECT_EQ(ratio_text(33.25), "33.2");
  EXPECT_EQ(ratio_text(0.875), "0.875");
  EXPECT_EQ(ratio_text(0.00123456), "0.00123");
  EXPECT_EQ(ratio_text(1234.6), "1235");
}

}  // namespace
}  // namespace sits::report
