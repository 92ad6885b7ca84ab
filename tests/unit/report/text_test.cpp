// SPDX-License-Identifier: Apache-2.0
#include "harness/report/text.h"

#include <gtest/gtest.h>

namespace sits::report {
namespace {

TEST(Text, keeps_valid_utf8_as_it_is) {
  const std::string text = "é ∑ 漢 😀 \xF4\x8F\xBF\xBF";
  EXPECT_EQ(clean_utf8(text), text);
}

TEST(Text, replaces_each_ill_formed_sequence_by_one_mark) {
  EXPECT_EQ(clean_utf8("a\xFFz"), "a\uFFFDz");
  EXPECT_EQ(clean_utf8("a\xE2\x82z"), "a\uFFFDz") << "a truncated character is one sequence";
  EXPECT_EQ(clean_utf8("\xC0\xAF"), "\uFFFD\uFFFD") << "overlong";
  EXPECT_EQ(clean_utf8("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD") << "surrogate";
  EXPECT_EQ(clean_utf8("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD") << "above U+10FFFF";
  EXPECT_EQ(clean_utf8("end\xE2"), "end\uFFFD");
}

TEST(Text, keeps_control_characters_out_of_a_terminal) {
  EXPECT_EQ(one_line("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(one_line("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
  EXPECT_EQ(one_line("\u202Etxt"), "\\u202etxt") << "a right-to-left override would turn the line around";
  EXPECT_EQ(one_line("\u0085"), "\\x85");
}

TEST(Text, measures_columns_not_bytes) {
  EXPECT_EQ(display_width("µs"), 2U);
  EXPECT_EQ(display_width("漢字"), 4U);
  EXPECT_EQ(display_width("e\u0301"), 1U);
  EXPECT_EQ(display_width("😀"), 2U);
  EXPECT_EQ(display_width("± × …"), 5U);
}

TEST(Text, shortens_at_characters_and_says_so) {
  EXPECT_EQ(shorten("abcdef", 6), "abcdef");
  EXPECT_EQ(shorten("abcdef", 4), "abc…");
  EXPECT_EQ(shorten("漢字漢字", 4), "漢…") << "half a wide character does not fit";
  EXPECT_EQ(shorten("abc", 0), "");
}

TEST(Text, pads_by_columns) {
  EXPECT_EQ(pad("µs", 4, true), "  µs");
  EXPECT_EQ(pad("漢", 4, false), "漢  ");
  EXPECT_EQ(pad("too long", 3, true), "too long");
}

}  // namespace
}  // namespace sits::report
