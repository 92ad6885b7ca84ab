// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/gates.h"

#include <gtest/gtest.h>

namespace sits {
namespace {

constexpr double kGate = 10e6;

SampleBatch quiet_batch() {
  SampleBatch batch;
  batch.gates_valid = true;
  batch.threads = 2;
  batch.wall_ns = 20e6;
  batch.cpu_ns = 39e6;
  return batch;
}

TEST(Gates, pass_a_quiet_batch) { EXPECT_FALSE(gate_fault(quiet_batch(), kGate)); }

TEST(Gates, name_what_disturbed_a_batch) {
  SampleBatch batch = quiet_batch();
  batch.minor_faults = 1;
  EXPECT_EQ(gate_fault(batch, kGate), "page_faults");
  batch = quiet_batch();
  batch.involuntary_switches = 1;
  EXPECT_EQ(gate_fault(batch, kGate), "involuntary_switches");
  batch = quiet_batch();
  batch.cpu_ns = 35e6;
  EXPECT_EQ(gate_fault(batch, kGate), "contended");
}

TEST(Gates, allow_a_long_batch_its_housekeeping) {
  SampleBatch batch = quiet_batch();
  batch.wall_ns = 1e9;
  batch.cpu_ns = 2e9;
  batch.involuntary_switches = 20;
  EXPECT_FALSE(gate_fault(batch, kGate));
  batch.involuntary_switches = 21;
  EXPECT_EQ(gate_fault(batch, kGate), "involuntary_switches");
}

TEST(Gates, are_not_judged_on_a_batch_too_short_for_them) {
  SampleBatch batch = quiet_batch();
  batch.wall_ns = 1e6;
  batch.cpu_ns = 0;
  batch.involuntary_switches = 1;
  EXPECT_FALSE(gate_fault(batch, kGate));
  batch.minor_faults = 1;  // a fault is a fault
  EXPECT_EQ(gate_fault(batch, kGate), "page_faults");
}

TEST(Gates, that_were_not_read_say_nothing) {
  SampleBatch batch = quiet_batch();
  batch.gates_valid = false;
  batch.minor_faults = 9;
  EXPECT_FALSE(gate_fault(batch, kGate));
}

TEST(RejectionBudget, refuses_three_batches_then_a_share) {
  RejectionBudget budget(0.5);
  EXPECT_TRUE(budget.refuse(10));
  EXPECT_TRUE(budget.refuse(10));
  EXPECT_TRUE(budget.refuse(10));
  EXPECT_FALSE(budget.refuse(10));  // 40 of 40 would be refused
  EXPECT_FALSE(budget.refuse(10));
  budget.pass(30);                  // 30 of 80 are refused
  EXPECT_TRUE(budget.refuse(10));   // 40 of 90
  EXPECT_TRUE(budget.refuse(10));   // 50 of 100
  EXPECT_FALSE(budget.refuse(10));  // 60 of 110 would be more than half
}

TEST(RejectionBudget, of_nothing_refuses_nothing) {
  RejectionBudget budget(0);
  EXPECT_FALSE(budget.refuse(1));
}

TEST(RejectionBudget, never_refuses_for_ever) {
  RejectionBudget budget(5.0);  // held at 0.9
  int kept = 0;
  for (int i = 0; i < 1000; ++i) kept += !budget.refuse(1);
  EXPECT_GE(kept, 90);
}

}  // namespace
}  // namespace sits
