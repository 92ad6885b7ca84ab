// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/exit_code.h"

#include <gtest/gtest.h>

#include <vector>

namespace sits {
namespace {

struct Row {
  std::vector<Status> statuses;
  bool interrupted;
  int code;
};

TEST(ExitCode, follows_the_table) {
  using enum Status;
  const std::vector<Row> table = {
      {{ok}, false, 0},
      {{ok, unsupported, skipped, not_applicable}, false, 0},
      {{}, false, 5},
      {{unsupported}, false, 5},
      {{skipped, not_applicable}, false, 5},
      {{incorrect}, false, 3},
      {{implausible}, false, 3},
      {{ok, incorrect}, false, 3},
      {{failed}, false, 4},
      {{oom}, false, 4},
      {{device_lost}, false, 4},
      {{crashed}, false, 4},
      {{timeout}, false, 4},
      {{ok, timeout}, false, 4},
      {{crashed, unsupported}, false, 4},
      {{failed, incorrect}, false, 3},
      {{ok, failed, implausible, skipped}, false, 3},
      {{interrupted}, false, 130},
      {{ok, incorrect, interrupted}, false, 130},
      {{ok}, true, 130},
      {{}, true, 130},
  };
  for (const Row &row : table) {
    EXPECT_EQ(exit_code_of(row.statuses, row.interrupted), row.code) << "row " << &row - table.data();
  }
}

TEST(ExitCode, is_never_a_count) {
  EXPECT_EQ(exit_code_of(std::vector<Status>(256, Status::incorrect), false), 3);
  EXPECT_EQ(exit_code_of(std::vector<Status>(256, Status::failed), false), 4);
}

TEST(ExitCode, is_read_from_rows) {
  std::vector<CaseResult> rows(2);
  rows[0].status = Status::ok;
  rows[1].status = Status::oom;
  EXPECT_EQ(exit_code_of(rows, false), 4);
}

}  // namespace
}  // namespace sits
