// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/protocol.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sits::worker {
namespace {

template <typename T>
T round_trip(const T &message) {
  const std::string line = encode(message);
  EXPECT_EQ(line.back(), '\n');
  EXPECT_EQ(line.find('\n'), line.size() - 1) << "one message is one line";
  return std::get<T>(decode(std::string_view(line).substr(0, line.size() - 1)));
}

TEST(Protocol, carries_a_request_unchanged) {
  RunCase request;
  request.case_id = "stream/copy/f32/64kib/warm";
  request.device_id = "null:3";
  request.device = 3;
  request.run_index = 2;
  request.order_index = 17;
  request.required = request.env_override = true;
  request.seed = UINT64_MAX;
  request.provider = "one\n\"two\"";
  request.policy.ci_relative = 0.1;
  request.policy.budget_ns = 1.0 / 3.0;
  request.policy.exact_iterations = 100;
  const RunCase back = round_trip(request);
  EXPECT_EQ(back.case_id, request.case_id);
  EXPECT_EQ(back.device, 3u);
  EXPECT_EQ(back.order_index, 17u);
  EXPECT_TRUE(back.required && back.env_override);
  EXPECT_EQ(back.seed, UINT64_MAX);
  EXPECT_EQ(back.provider, request.provider);
  EXPECT_EQ(back.policy.ci_relative, 0.1);
  EXPECT_EQ(back.policy.budget_ns, 1.0 / 3.0);
  EXPECT_EQ(back.policy.exact_iterations, 100u);
}

TEST(Protocol, carries_raw_samples_that_are_no_numbers) {
  Result result;
  result.finished.row.id = "stream/copy/f32/64kib/warm";
  result.finished.row.device = "null:0";
  result.finished.row.status = Status::oom;
  result.finished.row.reason = Reason{"out_of_memory", "no"};
  result.finished.row.device_samples_ns = {1.5, std::numeric_limits<double>::quiet_NaN()};
  result.finished.measured_peaks = {{"stream/read", 2.5}};
  const FinishedCase back = round_trip(result).finished;
  EXPECT_EQ(back.row.status, Status::oom);
  EXPECT_EQ(back.row.reason, result.finished.row.reason);
  ASSERT_EQ(back.row.device_samples_ns.size(), 2u);
  EXPECT_EQ(back.row.device_samples_ns[0], 1.5);
  EXPECT_TRUE(std::isnan(back.row.device_samples_ns[1]));
  EXPECT_EQ(back.measured_peaks, result.finished.measured_peaks);
}

TEST(Protocol, carries_devices_and_text_that_is_no_utf8) {
  DeviceList list;
  list.devices.push_back({});
  list.devices[0].name = "name";
  list.devices[0].properties = {{"isa", "avx2 fma"}};
  list.devices[0].peaks = {{SITS_F32, SITS_PEAK_FMA, 32, 1e12}};
  const DeviceList back = round_trip(list);
  EXPECT_EQ(back.devices.at(0).properties, list.devices[0].properties);
  EXPECT_EQ(back.devices.at(0).peaks.at(0).ops_per_s, 1e12);
  EXPECT_EQ(round_trip(Log{1, "a\xff"}).text, "a\xef\xbf\xbd");
}

TEST(Protocol, refuses_what_is_no_message) {
  for (const char *line : {"", "{", "[]", "null", "{}", R"({"type":7})", R"({"type":"nonsense"})",
                           R"({"type":"hello"})", R"({"type":"hello","protocol":"1"})", R"({"type":"run_case"})",
                           R"({"type":"result","finished":{"row":{}}})", "{\"type\":\"bye\"} trailing"})
    EXPECT_THROW(decode(line), ProtocolError) << line;
}

TEST(Protocol, refuses_deep_nesting_without_harm) { EXPECT_THROW(decode(std::string(100'000, '[')), ProtocolError); }

TEST(LineBuffer, joins_and_splits_what_arrives_in_pieces) {
  LineBuffer lines;
  lines.feed("on");
  EXPECT_FALSE(lines.next());
  lines.feed("e\ntwo\n\nthr");
  EXPECT_EQ(lines.next(), "one");
  EXPECT_EQ(lines.next(), "two");
  EXPECT_EQ(lines.next(), "");
  EXPECT_FALSE(lines.next());
  EXPECT_EQ(lines.rest(), "thr");
}

TEST(LineBuffer, refuses_a_line_beyond_its_limit_whole_or_not) {
  LineBuffer whole(8), part(8), fitting(8);
  whole.feed("123456789\n");
  EXPECT_THROW(whole.next(), ProtocolError);
  part.feed("123456789");
  EXPECT_THROW(part.next(), ProtocolError);
  fitting.feed("12345678\n1\n");
  EXPECT_EQ(fitting.next(), "12345678");
  EXPECT_EQ(fitting.next(), "1");
}

}  // namespace
}  // namespace sits::worker
