// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/machine_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

using ::testing::HasSubstr;

namespace sits::worker {
namespace {

std::string own_name() { return "sits-test-lock-" + std::to_string(::getpid()); }

TEST(MachineLock, is_held_by_one_and_names_its_process) {
  const MachineLock lock(own_name());
  try {
    const MachineLock second(own_name());
    FAIL() << "two hold the lock";
  } catch (const MachineBusy &busy) {
    EXPECT_THAT(busy.what(), HasSubstr("process " + std::to_string(::getpid())));
  }
}

TEST(MachineLock, is_free_again_after_its_scope) {
  { const MachineLock lock(own_name()); }
  EXPECT_NO_THROW(MachineLock{own_name()});
}

TEST(MachineLock, is_released_by_the_death_of_its_process) {
  const std::string name = own_name();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const MachineLock lock(name);
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_NO_THROW(MachineLock{name});
}

}  // namespace
}  // namespace sits::worker
