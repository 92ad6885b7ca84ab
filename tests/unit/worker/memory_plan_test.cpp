// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/memory_plan.h"

#include <gtest/gtest.h>

namespace sits::worker {
namespace {

constexpr auto kCold = microbench::Mode::cold;

struct MemoryPlanTest : ::testing::Test {
  plugin::Support support;
  plugin::Device device;
  AvailableMemory available;
  MemoryPlanTest() {
    support.copy_bytes = 100;
    device.llc_bytes = 1000;
    available.device = 100'000;
    available.host = 1'000'000;
  }
  MemoryPlan plan(microbench::Mode mode = kCold) const { return plan_memory(support, mode, device, available); }
};

TEST_F(MemoryPlanTest, rotates_through_three_times_the_cache) {
  EXPECT_EQ(plan().rotation_bytes, 3000u);
  EXPECT_EQ(plan().max_copies, 30u);
  EXPECT_FALSE(plan().flush);
}

TEST_F(MemoryPlanTest, rotates_between_two_even_when_one_is_larger_than_that) {
  support.copy_bytes = 5000;
  EXPECT_EQ(plan().max_copies, 2u);
}

TEST_F(MemoryPlanTest, takes_one_copy_that_evicts_itself_where_two_do_not_fit) {
  support.copy_bytes = 60'000;
  EXPECT_TRUE(plan().fits);
  EXPECT_EQ(plan().rotation_bytes, 0u);
  EXPECT_FALSE(plan().flush);
}

TEST_F(MemoryPlanTest, flushes_where_the_copies_do_not_fit) {
  support.copy_bytes = 900;
  available.device = 2000;
  EXPECT_TRUE(plan().fits);
  EXPECT_TRUE(plan().flush);
  EXPECT_EQ(plan().rotation_bytes, 0u);
}

TEST_F(MemoryPlanTest, needs_one_copy_when_warm) {
  EXPECT_EQ(plan(microbench::Mode::warm).rotation_bytes, 0u);
  EXPECT_FALSE(plan(microbench::Mode::warm).flush);
}

TEST_F(MemoryPlanTest, says_what_is_needed_and_what_there_is) {
  support.copy_bytes = 99'000;
  support.fixed_bytes = 2000;
  EXPECT_FALSE(plan().fits);
  EXPECT_EQ(plan().needed, 101'000u);
  EXPECT_EQ(plan().available, 100'000u);
  EXPECT_EQ(plan().which, "device");
  support.fixed_bytes = 0;
  support.host_bytes = 2'000'000;
  EXPECT_EQ(plan().which, "host");
}

TEST_F(MemoryPlanTest, tries_where_nobody_can_tell_how_much_there_is) {
  available = {};
  support.copy_bytes = std::uint64_t{1} << 50;
  EXPECT_TRUE(plan().fits);
}

TEST_F(MemoryPlanTest, counts_host_bytes_once_on_a_cpu) {
  device.flags = SITS_DEVICE_CPU;
  available.host = available.device = 1000;
  support.host_bytes = 950;
  EXPECT_FALSE(plan().fits);
  EXPECT_EQ(plan().needed, 1050u);
}

}  // namespace
}  // namespace sits::worker
