// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/rates.h"

#include <gtest/gtest.h>

#include <limits>

namespace sits {
namespace {

microbench::WorkModel triad() {
  microbench::WorkModel w;
  w.flops = 2e6;
  w.bytes_read = 8e6;
  w.bytes_written = 4e6;
  w.bytes_counted = 12e6;
  w.bytes_convention = "read+write";
  return w;
}

TEST(Rates, count_both_conventions) {
  const Rates r = rates_of(triad(), 1e6);  // 1 ms
  EXPECT_DOUBLE_EQ(r.bytes_per_s.value(), 12e9);
  EXPECT_DOUBLE_EQ(r.bytes_per_s_one_way.value(), 8e9);
  EXPECT_DOUBLE_EQ(r.flops_per_s.value(), 2e9);
  EXPECT_FALSE(r.busbw_bytes_per_s);
}

TEST(Rates, of_a_collective_have_a_bus_bandwidth) {
  microbench::WorkModel w;
  w.bytes_counted = 128.0 * 1024 * 1024;
  w.bus_factor = 2.0 * 7 / 8;
  w.bytes_convention = "algorithm";
  const Rates r = rates_of(w, 1e6);
  EXPECT_DOUBLE_EQ(r.busbw_bytes_per_s.value(), 134217728e3 * 1.75);
  EXPECT_FALSE(r.bytes_per_s_one_way);
  EXPECT_FALSE(r.flops_per_s);
}

TEST(Rates, of_a_time_that_is_none_are_absent) {
  for (const double ns :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const Rates r = rates_of(triad(), ns);
    EXPECT_FALSE(r.flops_per_s || r.bytes_per_s || r.bytes_per_s_one_way) << ns;
  }
}

TEST(Utilization, names_the_roof_that_takes_longer) {
  const Roofs roofs{.measured_ops_per_s = 4e9, .measured_bytes_per_s = 15e9};
  const Utilization u = utilization_of(triad(), 1e6, roofs, true);
  EXPECT_DOUBLE_EQ(u.compute.value(), 0.5);
  EXPECT_DOUBLE_EQ(u.bandwidth.value(), 0.8);
  EXPECT_EQ(u.bound, "bandwidth");
  EXPECT_EQ(u.roof, "measured");
}

TEST(Utilization, without_memory_traffic_is_of_compute_alone) {
  const Roofs roofs{.measured_ops_per_s = 4e9, .measured_bytes_per_s = 1e9};
  const Utilization u = utilization_of(triad(), 1e6, roofs, false);
  EXPECT_FALSE(u.bandwidth);
  EXPECT_EQ(u.bound, "compute");
}

TEST(Utilization, never_mixes_measured_and_datasheet) {
  const Roofs roofs{.measured_ops_per_s = 4e9, .datasheet_ops_per_s = 8e9, .datasheet_bytes_per_s = 24e9};
  const Utilization u = utilization_of(triad(), 1e6, roofs, true);
  EXPECT_EQ(u.roof, "datasheet");
  EXPECT_DOUBLE_EQ(u.compute.value(), 0.25);
  EXPECT_DOUBLE_EQ(u.bandwidth.value(), 0.5);
}

TEST(Utilization, of_a_time_that_no_roof_explains_is_latency) {
  const Roofs roofs{.measured_ops_per_s = 4e12, .measured_bytes_per_s = 15e12};
  EXPECT_EQ(utilization_of(triad(), 1e6, roofs, true).bound, "latency");
}

TEST(Utilization, without_any_roof_is_absent) {
  const Utilization u = utilization_of(triad(), 1e6, {}, true);
  EXPECT_FALSE(u.compute || u.bandwidth);
  EXPECT_EQ(u.bound, "");
  EXPECT_EQ(u.roof, "");
}

TEST(Work, without_operations_has_none_rather_than_zero) {
  microbench::WorkModel w;
  w.bytes_read = 5;
  EXPECT_FALSE(work_of(w).flops);
  EXPECT_EQ(work_of(triad()).flops, 2e6);
}

}  // namespace
}  // namespace sits
