// SPDX-License-Identifier: Apache-2.0
#include "harness/report/samples_file.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "sample_report.h"

namespace sits::report {
namespace {

std::vector<SampleSeries> two_series() {
  return {{"cpu:0", "stream/copy/f32/1gib/cold", 0, Latency::device, {1.5, -0.0, 3e9}},
          {"cpu:0", "stream/copy/f32/1gib/cold", 1, Latency::submit_to_complete, {}}};
}

std::string error_of(std::string_view bytes) {
  try {
    decode_samples(bytes);
  } catch (const SamplesError &error) {
    return error.what();
  }
  return "accepted";
}

TEST(SamplesFile, gives_back_every_bit) {
  EXPECT_EQ(decode_samples(encode_samples(two_series())), two_series());
  EXPECT_TRUE(decode_samples(encode_samples({})).empty());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto odd = decode_samples(encode_samples({{"d", "c", 0, Latency::device, {nan}}}));
  EXPECT_TRUE(std::isnan(odd[0].values_ns[0])) << "raw samples are kept as they were";
}

TEST(SamplesFile, is_little_endian_with_its_layout_fixed) {
  const std::string bytes = encode_samples({{"d", "c", 2, Latency::submit_to_complete, {1.0}}});
  const std::string expected =
      std::string("SITSSMP1") + std::string("\x01\0\0\0", 4) + std::string("\x01\0\0\0\0\0\0\0", 8) +
      std::string("\x01\0\0\0d", 5) + std::string("\x01\0\0\0c", 5) + std::string("\x02\0\0\0", 4) +
      std::string("\x01\0\0\0", 4) + std::string("\x01\0\0\0\0\0\0\0", 8) + std::string("\0\0\0\0\0\0\xF0\x3F", 8);
  EXPECT_EQ(bytes, expected);
}

TEST(SamplesFile, refuses_every_truncation_and_anything_added) {
  const std::string bytes = encode_samples(two_series());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_NE(error_of(std::string_view(bytes).substr(0, length)), "accepted") << length;
  }
  EXPECT_NE(error_of(bytes + "x").find("1 bytes after the last series"), std::string::npos);
}

TEST(SamplesFile, refuses_other_files_and_other_versions) {
  EXPECT_NE(error_of("SITSSMP2").find("does not start with SITSSMP1"), std::string::npos);
  std::string newer = encode_samples({});
  newer[8] = 2;
  EXPECT_NE(error_of(newer).find("version 2, this program reads 1"), std::string::npos);
}

TEST(SamplesFile, believes_no_length_beyond_the_bytes) {
  std::string bytes = encode_samples({{"d", "c", 0, Latency::device, {}}});
  for (std::size_t at = bytes.size() - 8; at < bytes.size(); ++at) bytes[at] = '\xFF';
  EXPECT_NE(error_of(bytes).find("truncated"), std::string::npos);
  bytes = encode_samples({});
  for (std::size_t at = 12; at < 20; ++at) bytes[at] = '\xFF';
  EXPECT_NE(error_of(bytes).find("truncated"), std::string::npos);
}

TEST(SamplesFile, is_not_crashed_by_flipped_bytes) {
  const std::string bytes = encode_samples(two_series());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[at] ^= static_cast<char>(1U << bit);
      error_of(damaged);
    }
  }
}

TEST(SamplesFile, puts_samples_back_into_their_rows) {
  Report report = testing::example_report();
  report.results[0].device_samples_ns = {1, 2, 3};
  report.results[1].submit_samples_ns = {4};
  const auto series = samples_of(report);
  ASSERT_EQ(series.size(), 2U);
  Report bare = testing::example_report();
  attach_samples(bare, series);
  EXPECT_EQ(bare.results[0].device_samples_ns, report.results[0].device_samples_ns);
  EXPECT_EQ(bare.results[1].submit_samples_ns, report.results[1].submit_samples_ns);
  EXPECT_THROW(attach_samples(bare, series), SamplesError) << "twice";
}

TEST(SamplesFile, refuses_samples_of_a_row_that_is_not_there) {
  Report report = testing::example_report();
  EXPECT_THROW(attach_samples(report, {{"sim:0", report.results[0].id, 7, Latency::device, {1}}}), SamplesError);
}

TEST(SamplesFile, keeps_ten_equal_samples) {
  const std::vector<double> equal(10, 5.0);
  EXPECT_EQ(decode_samples(encode_samples({{"d", "c", 0, Latency::device, equal}}))[0].values_ns, equal);
}

}  // namespace
}  // namespace sits::report
