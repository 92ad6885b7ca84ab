// SPDX-License-Identifier: Apache-2.0
#include "harness/plugin/text.h"

#include <gtest/gtest.h>

namespace sits::plugin {
namespace {

constexpr const char *kReplacement = "\xef\xbf\xbd";

TEST(Text, keeps_well_formed_utf8) {
  const std::string text = "a \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80";
  EXPECT_EQ(sanitized(text), text);
}

TEST(Text, replaces_bytes_that_are_no_utf8) {
  EXPECT_EQ(sanitized("\xc0\xaf"), std::string(kReplacement) + kReplacement);         // overlong
  EXPECT_EQ(sanitized("\xed\xa0\x80").substr(0, 3), kReplacement);                    // surrogate
  EXPECT_EQ(sanitized("x\xe2\x82"), std::string("x") + kReplacement + kReplacement);  // cut off
  EXPECT_EQ(sanitized("\xf5\x80\x80\x80").substr(0, 3), kReplacement);                // beyond U+10FFFF
}

TEST(Text, cuts_between_characters) {
  EXPECT_EQ(sanitized("ab\xe2\x82\xac", 4), "ab");
  EXPECT_EQ(sanitized("ab\xe2\x82\xac", 5), "ab\xe2\x82\xac");
}

TEST(Text, reads_null_as_empty) { EXPECT_EQ(text_of(nullptr), ""); }

}  // namespace
}  // namespace sits::plugin
