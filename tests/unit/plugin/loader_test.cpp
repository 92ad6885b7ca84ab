// SPDX-License-Identifier: Apache-2.0
#include "harness/plugin/loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/plugin/backend.h"

using ::testing::HasSubstr;

namespace sits::plugin {
namespace {

std::string refusal_of(const std::string &path) {
  try {
    load(path);
  } catch (const LoadError &error) {
    return error.what();
  }
  return "";
}

TEST(Loader, loads_a_plugin_and_asks_its_name) {
  const Info info = describe(load(SITS_NULL_PLUGIN));
  EXPECT_EQ(info.name, "null");
  ASSERT_EQ(info.environment.size(), 1u);
  EXPECT_EQ(info.environment[0].first, "SITS_NULL_MARK");
}

TEST(Loader, loading_twice_gives_the_same_table) { EXPECT_EQ(load(SITS_NULL_PLUGIN), load(SITS_NULL_PLUGIN)); }

TEST(Loader, names_the_version_it_needs_when_the_major_differs) {
  EXPECT_THAT(refusal_of(SITS_NULL_WRONG_MAJOR_PLUGIN), AllOf(HasSubstr("version 2."), HasSubstr("needs 1.x")));
}

TEST(Loader, names_the_call_that_is_missing) {
  EXPECT_THAT(refusal_of(SITS_NULL_MISSING_CALL_PLUGIN), HasSubstr("'run'"));
}

TEST(Loader, names_the_symbol_that_is_missing) {
  EXPECT_THAT(refusal_of(SITS_NULL_NO_ENTRY_PLUGIN), HasSubstr("sits_backend_entry_v1"));
}

TEST(Loader, names_the_file_that_is_missing) { EXPECT_THAT(refusal_of("/nonexistent.so"), HasSubstr("no such file")); }

struct Table : ::testing::Test {
  sits_backend table = *load(SITS_NULL_PLUGIN);
  std::string refusal() const {
    try {
      check_table(table);
    } catch (const LoadError &error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(Table, of_a_newer_minor_and_a_larger_size_is_accepted) {
  table.abi_minor = 99;
  table.struct_size = sizeof table + 256;
  EXPECT_EQ(refusal(), "");
}

TEST_F(Table, that_ends_before_the_optional_calls_is_accepted) {
  table.struct_size = offsetof(sits_backend, telemetry);
  EXPECT_EQ(refusal(), "");
}

TEST_F(Table, that_ends_inside_the_required_calls_is_refused_by_name) {
  table.struct_size = offsetof(sits_backend, run) + 4;
  EXPECT_THAT(refusal(), HasSubstr("'run'"));
}

TEST_F(Table, with_garbage_for_a_size_or_a_version_is_refused) {
  table.struct_size = 0;
  EXPECT_THAT(refusal(), HasSubstr("struct_size 0"));
  table.struct_size = sizeof table;
  table.abi_major = 0;
  EXPECT_THAT(refusal(), HasSubstr("needs 1.x"));
}

}  // namespace
}  // namespace sits::plugin
