// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/unit/plugin/temporary_folder.h"
#include "tests/unit/worker/null_plan.h"

using ::testing::HasSubstr;

namespace sits::worker {
namespace {

FinishedCase row_of(const RunPlan &plan, std::size_t item, Status status = Status::unsupported) {
  FinishedCase finished;
  finished.row.id = plan.cases[plan.items[item].test_case].id;
  finished.row.device = plan.devices[plan.items[item].device].id;
  finished.row.run_index = plan.items[item].run_index;
  finished.row.order_index = plan.items[item].order_index;
  finished.row.status = status;
  finished.row.reason = Reason{"code", "message"};
  finished.row.device_samples_ns = {1, 2, 3};
  return finished;
}

struct JournalTest : ::testing::Test {
  sits::testing::TemporaryFolder folder;
  RunPlan plan = sits::testing::null_plan();
  std::string hash = plan_hash(plan);
  std::string path = folder / "report.json.journal";
  Journal create() { return Journal::create(path, {"id", "2026-01-01T00:00:00Z", hash, {{"--threads", "2"}}}, false); }
  std::string text() const {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string refusal() const {
    try {
      Journal::resume(path, hash);
    } catch (const JournalError &error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(JournalTest, gives_back_what_was_finished_and_what_remains) {
  {
    Journal journal = create();
    journal.append(row_of(plan, 0));
    journal.append(row_of(plan, 1, Status::interrupted));
  }
  const Journal resumed = Journal::resume(path, hash);
  EXPECT_EQ(resumed.header().run_id, "id");
  EXPECT_EQ(resumed.header().options.at("--threads"), "2");
  ASSERT_EQ(resumed.finished().size(), 1u);
  EXPECT_EQ(resumed.finished()[0].row.device_samples_ns, (std::vector<double>{1, 2, 3}));
  const auto rest = remaining_items(plan, resumed.finished());
  ASSERT_EQ(rest.size(), 2u);
  EXPECT_EQ(rest[0].order_index, 1u);
  EXPECT_EQ(rest[1].order_index, 2u);
}

TEST_F(JournalTest, cuts_a_torn_last_line_off_and_goes_on_after_it) {
  {
    Journal journal = create();
    journal.append(row_of(plan, 0));
    journal.append(row_of(plan, 1));
  }
  const std::string whole = text();
  folder.write("report.json.journal", whole.substr(0, whole.size() - 20));
  {
    Journal resumed = Journal::resume(path, hash);
    EXPECT_EQ(resumed.finished().size(), 1u);
    resumed.append(row_of(plan, 2));
  }
  EXPECT_EQ(Journal::resume(path, hash).finished().size(), 2u);
}

TEST_F(JournalTest, refuses_the_journal_of_another_plan) {
  create();
  plan.seed = 2;
  hash = plan_hash(plan);
  EXPECT_THAT(refusal(), HasSubstr("another plan"));
}

TEST_F(JournalTest, refuses_what_is_missing_damaged_or_no_journal) {
  EXPECT_THAT(refusal(), HasSubstr("no journal"));
  for (const char *content : {"", "torn", "{\"schema\":\"sits.report\"}\n", "text\n", "[1]\n"}) {
    folder.write("report.json.journal", content);
    EXPECT_THAT(refusal(), HasSubstr("not a journal")) << content;
  }
  { std::filesystem::remove(path), create().append(row_of(plan, 0)); }
  std::string damaged = text();
  damaged.insert(damaged.find('\n') + 1, "{}\n");
  folder.write("report.json.journal", damaged);
  EXPECT_THAT(refusal(), HasSubstr("line 2"));
}

TEST_F(JournalTest, does_not_overwrite_what_a_killed_run_left) {
  create().append(row_of(plan, 0));
  EXPECT_THROW(create(), JournalError);
  EXPECT_EQ(Journal::resume(path, hash).finished().size(), 1u);
  Journal::create(path, {"new", "", hash, {}}, true);
  EXPECT_TRUE(Journal::resume(path, hash).finished().empty());
}

TEST_F(JournalTest, says_when_a_full_disk_takes_no_row) {
  std::filesystem::create_symlink("/dev/full", path);
  EXPECT_THROW(Journal::create(path, {"id", "", hash, {}}, true), JournalError);
}

TEST_F(JournalTest, goes_when_it_has_served) {
  Journal journal = create();
  journal.remove();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(JournalTest, stands_beside_the_report_or_in_the_state_folder) {
  EXPECT_EQ(journal_path("out/r.json", hash), "out/r.json.journal");
  ::setenv("XDG_STATE_HOME", (folder / "state").c_str(), 1);
  const std::string state = journal_path("-", hash);
  ::unsetenv("XDG_STATE_HOME");
  EXPECT_THAT(state, HasSubstr((folder / "state") + "/sits/sits-" + hash.substr(0, 12)));
  EXPECT_TRUE(std::filesystem::is_directory(folder / "state/sits"));
}

TEST_F(JournalTest, hashes_whatever_decides_what_is_measured) {
  const auto changed = [&](auto &&change) {
    RunPlan other = sits::testing::null_plan();
    change(other);
    return plan_hash(other) != hash;
  };
  EXPECT_FALSE(changed([](RunPlan &) {}));
  EXPECT_TRUE(changed([](RunPlan &p) { p.provider = "one"; }));
  EXPECT_TRUE(changed([](RunPlan &p) { p.items.pop_back(); }));
  EXPECT_TRUE(changed([](RunPlan &p) { p.items[0].run_index = 1; }));
  EXPECT_TRUE(changed([](RunPlan &p) { p.cases[0].policy.budget_ns += 1; }));
  EXPECT_TRUE(changed([](RunPlan &p) { p.devices[0].options = {{"threads", "1"}}; }));
}

}  // namespace
}  // namespace sits::worker
