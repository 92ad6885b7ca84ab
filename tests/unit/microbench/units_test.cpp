// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "microbench/suite.h"
#include "microbench/words.h"

namespace sits::microbench {
namespace {

constexpr std::uint64_t kMib = std::uint64_t{1} << 20;

TEST(ParseBytes, units_are_powers_of_1024_in_any_case) {
  for (const char *text : {"32m", "32M", "32mb", "32MiB", "32mib", "33554432", "33554432b", "32768k"})
    EXPECT_EQ(parse_bytes(text), 32 * kMib) << text;
  EXPECT_EQ(parse_bytes("1.5k"), 1536u);
  EXPECT_EQ(parse_bytes("1T"), std::uint64_t{1} << 40);
  EXPECT_EQ(parse_bytes("7p"), std::uint64_t{7} << 50);
  EXPECT_EQ(parse_bytes("0"), 0u);
  EXPECT_EQ(parse_bytes("9223372036854775807"), std::uint64_t{INT64_MAX});
}

TEST(ParseBytes, anything_else_is_refused) {
  for (const char *text : {"",
                           " ",
                           "-1",
                           "+1",
                           "k",
                           "1 k",
                           " 1k",
                           "1k ",
                           "1x",
                           "1kk",
                           "1kibi",
                           "1.5",
                           "0.3k",
                           "1.",
                           ".5k",
                           "1.k",
                           "1e3",
                           "0x10",
                           "9223372036854775808",
                           "8192p",
                           "99999999999999999999",
                           "8388608t",
                           "1,5k",
                           "\xff",
                           "1.00001k",
                           "nan",
                           "inf"})
    EXPECT_THROW(parse_bytes(text), CaseError) << text;
  EXPECT_THROW(parse_bytes(std::string_view("1\0", 2)), CaseError);
}

TEST(FormatBytes, takes_the_largest_unit_that_leaves_a_whole_number) {
  EXPECT_EQ(format_bytes(65536), "64kib");
  EXPECT_EQ(format_bytes(1536), "1536b");
  EXPECT_EQ(format_bytes(1536 * 1024), "1536kib");
  EXPECT_EQ(format_bytes(1), "1b");
  EXPECT_EQ(format_bytes(0), "0b");
  EXPECT_EQ(format_bytes(std::uint64_t{5} << 50), "5120tib");
  for (std::uint64_t bytes = 1; bytes < (std::uint64_t{1} << 62); bytes = bytes * 3 + 1)
    EXPECT_EQ(parse_bytes(format_bytes(bytes)), bytes);
}

TEST(ParseDuration, needs_a_unit) {
  EXPECT_EQ(parse_duration("500ms"), 500e6);
  EXPECT_EQ(parse_duration("60s"), 60e9);
  EXPECT_EQ(parse_duration("1.5m"), 90e9);
  EXPECT_EQ(parse_duration("1h"), 3600e9);
  EXPECT_EQ(parse_duration("3us"), 3e3);
  EXPECT_EQ(parse_duration("7ns"), 7);
  for (const char *text :
       {"", "60", "-1s", "s", "1 s", "1S", "1sec", "1e3s", "nan", "infs", "1.s", "99999999999999h", "1,5s"})
    EXPECT_THROW(parse_duration(text), CaseError) << text;
}

TEST(Nearest, finds_a_misspelt_word_within_a_third_of_its_length) {
  const std::vector<std::string> words = {"stream", "gemm", "attention", "bias_silu"};
  EXPECT_EQ(nearest("steram", words), "stream");
  EXPECT_EQ(nearest("GEMM", words), "gemm");
  EXPECT_EQ(nearest("atention", words), "attention");
  EXPECT_EQ(nearest("transfer", words), "");
  EXPECT_EQ(nearest("", words), "");
  EXPECT_EQ(nearest("gemm", {}), "");
  EXPECT_EQ(nearest(std::string(100000, 'g'), words), "");
}

TEST(Sha256, matches_the_published_digests) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Shown, escapes_what_a_terminal_or_a_json_file_must_not_see) {
  EXPECT_EQ(shown("a\tb\x7f"), "'a\\x09b\\x7f'");
  EXPECT_EQ(shown("grün"), "'grün'");
  EXPECT_EQ(shown("\xc3"), "'\\xc3'");
  EXPECT_EQ(shown("\xed\xa0\x80"), "'\\xed\\xa0\\x80'");  // a surrogate
  EXPECT_EQ(shown("\xc0\xaf"), "'\\xc0\\xaf'");           // overlong
  EXPECT_EQ(shown(std::string(79, 'a') + "ü"), "'" + std::string(79, 'a') + "…'");
}

}  // namespace
}  // namespace sits::microbench
