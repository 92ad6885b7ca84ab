// SPDX-License-Identifier: Apache-2.0
//
// Real worker processes over the null backend: each fault costs the case it happens in and nothing else.
#include "harness/worker/supervisor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <set>

#include "harness/worker/interrupts.h"
#include "tests/unit/worker/null_plan.h"

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

namespace sits::worker {
namespace {

using sits::testing::null_plan;
using sits::testing::test_worker;

std::vector<Status> statuses(const RunOutcome &outcome) {
  std::vector<Status> out;
  for (const FinishedCase &finished : outcome.finished) out.push_back(finished.row.status);
  return out;
}

std::string told(const RunOutcome &outcome) {
  std::string text;
  for (const FinishedCase &f : outcome.finished) {
    text += f.row.id + " " + std::string(status_name(f.row.status));
    if (f.row.reason) text += " " + f.row.reason->code + ": " + f.row.reason->message;
    text += '\n';
  }
  return text;
}

TEST(Supervisor, measures_and_verifies_every_case) {
  const RunOutcome outcome = run(null_plan(), {}, test_worker());
  ASSERT_EQ(outcome.finished.size(), 3u);
  EXPECT_FALSE(outcome.interrupted);
  for (const FinishedCase &finished : outcome.finished) {
    const CaseResult &row = finished.row;
    ASSERT_EQ(row.status, Status::ok) << told(outcome);
    EXPECT_EQ(row.device, "null:0");
    EXPECT_TRUE(row.simulated);
    EXPECT_EQ(row.provider, "null 1.0");
    ASSERT_TRUE(row.verification && row.timing && row.rates && row.work);
    EXPECT_EQ(row.verification->mismatches, 0u);
    EXPECT_GT(row.verification->checked, 0u);
    EXPECT_GE(row.timing->device_ns.n, 20u);
    EXPECT_EQ(row.device_samples_ns.size(), row.timing->device_ns.n);
    EXPECT_THAT(row.reproduce, AllOf(HasSubstr("--case " + row.id), HasSubstr("--device null:0")));
    ASSERT_EQ(row.alternatives.size(), 2u);
    EXPECT_EQ(row.alternatives[1].reason, "not built");
    ASSERT_TRUE(row.telemetry);
    EXPECT_EQ(row.telemetry->clock_mhz, 1000);
    EXPECT_FALSE(row.telemetry->power_w) << "a reading that is not valid is absent";
  }
  EXPECT_EQ(outcome.finished[1].row.timing->cold_method, "rotate");
  EXPECT_GE(outcome.finished[1].row.timing->copies, 2u);
  EXPECT_NEAR(outcome.finished[2].measured_peaks.at("peak/fma/f32"), 1e12, 0.01e12);
  EXPECT_NEAR(outcome.finished[0].measured_peaks.at("stream/read"), 80e9, 2e9);
}

TEST(Supervisor, starts_the_worker_with_the_environment_that_the_backend_needs) {
  const auto mark = [](const RunOutcome &outcome) { return outcome.devices.at("null:0").properties.at(0).second; };
  ::unsetenv("SITS_NULL_MARK");
  EXPECT_EQ(mark(run(null_plan(), {}, test_worker())), "set by the host");
  ::setenv("SITS_NULL_MARK", "the user's", 1);
  const RunOutcome overridden = run(null_plan(), {}, test_worker());
  ::unsetenv("SITS_NULL_MARK");
  EXPECT_EQ(mark(overridden), "the user's");
  EXPECT_THAT(overridden.finished[0].row.flags, Contains(Flag::env_override));
}

struct Fault {
  const char *name;
  Status status;
  const char *code, *message;
};
std::ostream &operator<<(std::ostream &out, const Fault &fault) { return out << fault.name; }

class SupervisorFault : public ::testing::TestWithParam<Fault> {};

TEST_P(SupervisorFault, costs_its_own_case_only) {
  const Fault &fault = GetParam();
  const RunOutcome outcome = run(null_plan(fault.name, "triad"), {}, test_worker());
  ASSERT_EQ(statuses(outcome), (std::vector{Status::ok, fault.status, Status::ok})) << told(outcome);
  if (fault.status == Status::ok) return;
  const CaseResult &row = outcome.finished[1].row;
  EXPECT_EQ(row.id, "stream/triad/f32/64kib/cold");
  ASSERT_TRUE(row.reason);
  EXPECT_EQ(row.reason->code, fault.code) << row.reason->message;
  EXPECT_THAT(row.reason->message, HasSubstr(fault.message));
  EXPECT_FALSE(row.rates);
}

INSTANTIATE_TEST_SUITE_P(
    All, SupervisorFault,
    ::testing::Values(Fault{"crash", Status::crashed, "signal", "SIGSEGV"},
                      Fault{"abort", Status::crashed, "signal", "SIGABRT"},
                      Fault{"exit0", Status::crashed, "exited", "exit code 0"},
                      Fault{"oom", Status::oom, "out_of_memory", "no room for 42 bytes (nullMalloc returned 2)"},
                      Fault{"device_lost", Status::device_lost, "device_lost", "fell off the bus"},
                      Fault{"vendor_error", Status::failed, "vendor_error", "launch failed (nullLaunch returned 700)"},
                      Fault{"wrong", Status::incorrect, "wrong_output", "before timing"},
                      Fault{"stale", Status::incorrect, "wrong_output", "after the last timed batch"},
                      Fault{"nan", Status::implausible, "non_finite", ""},
                      Fault{"zero", Status::implausible, "below_floor", ""},
                      Fault{"negative", Status::implausible, "clock_backwards", ""},
                      Fault{"no_samples", Status::failed, "vendor_error", "reports 0"},
                      Fault{"too_many_samples", Status::failed, "vendor_error", "samples and reports"},
                      Fault{"noise", Status::ok, "", ""}),
    [](const auto &param) { return std::string(param.param.name); });

TEST(Supervisor, falls_back_to_the_host_clock_where_the_device_claims_more_than_passed) {
  const RunOutcome outcome = run(null_plan("device_beyond_host", "triad"), {}, test_worker());
  ASSERT_EQ(outcome.finished[1].row.status, Status::ok) << told(outcome);
  EXPECT_EQ(outcome.finished[1].row.timing->clock, "host");
  EXPECT_THAT(outcome.finished[1].row.flags, Contains(Flag::clock_host));
  EXPECT_THAT(outcome.finished[0].row.flags, Not(Contains(Flag::clock_host)));
}

TEST(Supervisor, passes_the_drivers_chatter_on_capped) {
  std::size_t lines = 0, bytes = 0;
  RunEvents events;
  events.log = [&](const std::string &device, const std::string &line) {
    EXPECT_EQ(device, "null:0");
    ++lines;
    bytes += line.size();
  };
  run(null_plan("noise", ""), events, test_worker());
  EXPECT_GT(lines, 2u);
  EXPECT_LT(bytes, 100'000u);
}

TEST(Supervisor, kills_a_worker_that_hangs_and_goes_on) {
  RunPlan plan = null_plan("hang", "triad");
  plan.hang_floor_ns = 4e9;  // far above what a good case takes, sanitizers and a busy machine included
  for (PlannedCase &test : plan.cases) test.policy.budget_ns = 20e6;
  const RunOutcome outcome = run(plan, {}, test_worker());
  EXPECT_EQ(statuses(outcome), (std::vector{Status::ok, Status::timeout, Status::ok})) << told(outcome);
  EXPECT_EQ(outcome.finished[1].row.reason->code, "deadline");
}

TEST(Supervisor, gives_a_device_up_after_three_losses_in_a_row) {
  const std::vector<std::string> cases = {"stream/copy/f32/4kib/warm", "stream/scale/f32/4kib/warm",
                                          "stream/add/f32/4kib/warm", "stream/write/f32/4kib/warm"};
  const RunOutcome outcome = run(null_plan("crash", "", cases), {}, test_worker());
  EXPECT_EQ(statuses(outcome), (std::vector{Status::crashed, Status::crashed, Status::crashed, Status::device_lost}));
}

TEST(Supervisor, reports_a_device_that_cannot_be_opened_once_per_case) {
  const RunOutcome outcome = run(null_plan("unavailable"), {}, test_worker());
  EXPECT_EQ(statuses(outcome), (std::vector{Status::unsupported, Status::unsupported, Status::unsupported}));
  EXPECT_EQ(outcome.finished[0].row.reason->code, "unavailable");
  EXPECT_THAT(outcome.finished[0].row.reason->message, HasSubstr("libnulldriver.so.1"));
}

TEST(Supervisor, survives_a_crash_while_opening_and_while_closing) {
  EXPECT_EQ(statuses(run(null_plan("crash_open"), {}, test_worker())).front(), Status::crashed);
  const RunOutcome closing = run(null_plan("crash_close", ""), {}, test_worker());
  EXPECT_EQ(statuses(closing), (std::vector{Status::ok, Status::ok, Status::ok})) << told(closing);
}

TEST(Supervisor, calls_unsupported_what_the_device_cannot_and_skips_what_does_not_fit) {
  const RunOutcome outcome =
      run(null_plan("", "", {"memory_latency/chase/64kib", "stream/copy/f32/4gib/warm"}), {}, test_worker());
  EXPECT_EQ(statuses(outcome), (std::vector{Status::unsupported, Status::skipped})) << told(outcome);
  EXPECT_EQ(outcome.finished[1].row.reason->code, "memory");
  EXPECT_THAT(outcome.finished[1].row.reason->message, HasSubstr("needs 8589934592 bytes"));
}

TEST(Supervisor, skips_a_case_whose_single_iteration_exceeds_the_budget) {
  RunPlan plan = null_plan();
  for (PlannedCase &test : plan.cases) test.policy.budget_ns = 10;
  const RunOutcome outcome = run(plan, {}, test_worker());
  EXPECT_EQ(statuses(outcome).front(), Status::skipped);
  EXPECT_EQ(outcome.finished[0].row.reason->code, "time");
}

TEST(Supervisor, keeps_the_order_of_the_plan_over_runs) {
  RunPlan plan = null_plan();
  for (const std::size_t test : {0u, 1u}) plan.items.push_back({0, test, 1, static_cast<std::uint32_t>(3 + test)});
  std::vector<std::uint32_t> started, finished;
  RunEvents events;
  events.started = [&](const PlanItem &item) { started.push_back(item.order_index); };
  events.finished = [&](const PlanItem &item, const FinishedCase &row) {
    finished.push_back(row.row.order_index);
    EXPECT_EQ(row.row.run_index, item.run_index);
  };
  run(plan, events, test_worker());
  EXPECT_EQ(started, (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(finished, started);
}

TEST(Supervisor, throws_when_no_worker_can_be_started) {
  EXPECT_THROW(run(null_plan(), {}, {"/nonexistent/worker", 1e9}), std::system_error);
}

TEST(Supervisor, ends_the_case_in_flight_at_the_first_interrupt_and_starts_no_other) {
  const Interrupts interrupts;
  RunEvents events;
  events.progress = [](const PlanItem &item, const CaseProgress &now) {
    if (item.test_case == 1 && now.phase == "measure") ::kill(::getpid(), SIGINT);
  };
  RunPlan plan = null_plan("slow", "triad");
  const RunOutcome outcome = run(plan, events, test_worker(), interrupts.fd());
  EXPECT_TRUE(outcome.interrupted);
  EXPECT_EQ(statuses(outcome), (std::vector{Status::ok, Status::interrupted, Status::interrupted})) << told(outcome);
}

TEST(Supervisor, kills_a_worker_that_does_not_heed_at_the_second_interrupt) {
  const Interrupts interrupts;
  RunEvents events;
  int sent = 0;
  events.started = [&](const PlanItem &) {
    if (sent++ == 0) ::kill(::getpid(), SIGINT);
  };
  // the worker hangs in its first case: the first interrupt is asked of it, the second one ends it
  events.progress = [&](const PlanItem &, const CaseProgress &now) {
    if (now.phase == "verify") ::kill(::getpid(), SIGTERM);
  };
  const RunOutcome outcome = run(null_plan("hang", ""), events, test_worker(), interrupts.fd());
  EXPECT_EQ(statuses(outcome), (std::vector{Status::interrupted, Status::interrupted, Status::interrupted}))
      << told(outcome);
}

}  // namespace
}  // namespace sits::worker
