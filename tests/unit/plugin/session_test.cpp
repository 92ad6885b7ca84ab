// SPDX-License-Identifier: Apache-2.0
//
// A table made of test functions: what a plugin may hand over, good or bad, and what the host makes of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <thread>

#include "harness/plugin/backend.h"

using ::testing::HasSubstr;

struct sits_session {};
struct sits_workload {};

namespace sits::plugin {
namespace {

/// What the fake plugin answers; reset before each test.
struct Script {
  sits_status status = SITS_OK;
  std::string message, api;
  std::uint32_t device_count = 1, device_write_size = sizeof(sits_device);
  sits_device device{};
  std::uint32_t sample_count = 0, sample_batch = 1, current_copy = 0;  // sample_count 0: as asked
  bool open_without_session = false;
  std::string options;
  std::function<void(const sits_host &)> in_run;
  int closed = 0, released = 0;
};
Script script;
const sits_host *host_of_session = nullptr;

sits_status answer(sits_error *error) {
  if (script.status != SITS_OK && error != nullptr) {
    std::memset(error->message, 'x', sizeof error->message);  // no terminator unless the text brings one
    std::memcpy(error->message, script.message.c_str(), script.message.size() + 1);
    std::memcpy(error->api, script.api.c_str(), script.api.size() + 1);
    error->vendor_code = 7;
  }
  return script.status;
}

sits_status describe_call(sits_info *info, sits_error *error) {
  info->name = "fake";
  return answer(error);
}
sits_status open_call(const sits_host *host, const sits_options *options, sits_session **session, sits_error *error) {
  for (std::uint32_t i = 0; i < options->count; ++i)
    script.options += std::string(options->items[i].key) + "=" + options->items[i].value + ";";
  host_of_session = host;
  if (!script.open_without_session) *session = new sits_session;
  return answer(error);
}
void close_call(sits_session *session) {
  ++script.closed;
  delete session;
}
sits_status devices_call(sits_session *, sits_device *out, std::uint32_t capacity, std::uint32_t *count,
                         sits_error *error) {
  *count = script.device_count;
  const std::size_t stride = capacity > 0 ? out->struct_size : 0;
  for (std::uint32_t i = 0; i < std::min(capacity, script.device_count); ++i) {
    auto *at = reinterpret_cast<char *>(out) + i * stride;
    std::memcpy(at + 4, reinterpret_cast<const char *>(&script.device) + 4, script.device_write_size - 4);
  }
  return answer(error);
}
sits_status query_call(sits_session *, std::uint32_t, const sits_case *, sits_support *support, sits_error *error) {
  support->providers = " one, two ,,three";
  return answer(error);
}
sits_status prepare_call(sits_session *, const sits_prepare *, sits_workload **workload, sits_error *error) {
  *workload = new sits_workload;
  return answer(error);
}
sits_status tensors_call(sits_workload *, sits_tensor *out, std::uint32_t capacity, std::uint32_t *count,
                         sits_error *) {
  *count = 1;
  if (capacity > 0) {
    out->name = "c";
    out->type = SITS_F32;
    out->count = 4;
    out->copies = 2;
  }
  return SITS_OK;
}
sits_status read_call(sits_workload *, std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t count, void *dst,
                      sits_error *) {
  std::memset(dst, 0x5a, count * 4);
  return SITS_OK;
}
sits_status run_call(sits_workload *, const sits_run *request, sits_samples *samples, sits_error *error) {
  if (script.in_run) script.in_run(*host_of_session);
  samples->count = script.sample_count == 0 ? request->samples : script.sample_count;
  samples->batch = script.sample_batch;
  samples->current_copy = script.current_copy;
  samples->device_ns[0] = 5;
  return answer(error);
}
void release_call(sits_workload *workload) {
  ++script.released;
  delete workload;
}
sits_status telemetry_call(sits_session *, std::uint32_t, sits_telemetry *out, sits_error *error) {
  out->valid = SITS_TELEMETRY_CLOCK;
  out->clock_mhz = 1234;
  return answer(error);
}

struct SessionTest : ::testing::Test {
  sits_backend table{};
  microbench::AbiCase test_case{
      microbench::Case{microbench::StreamSpec{SITS_STREAM_COPY, SITS_F32, 16}, microbench::Mode::warm}, 1};

  SessionTest() {
    script = {};
    script.device.numa_node = -1;
    script.device.name = "device";
    table.struct_size = sizeof table;
    table.abi_major = SITS_ABI_MAJOR;
    table.describe = describe_call;
    table.open = open_call;
    table.close = close_call;
    table.devices = devices_call;
    table.query = query_call;
    table.prepare = prepare_call;
    table.tensors = tensors_call;
    table.read = read_call;
    table.run = run_call;
    table.release = release_call;
    table.telemetry = telemetry_call;
  }
  Session open(const KeyValues &options = {}) { return Session(&table, {}, options); }
  Workload prepared(Session &session) { return session.prepare(std::array{0u}, test_case, 0, 0); }

  template <typename Call>
  BackendError failure(Call &&call) {
    try {
      call();
    } catch (const BackendError &error) {
      return error;
    }
    ADD_FAILURE() << "nothing was thrown";
    return {SITS_OK, "", "", 0};
  }
};

TEST_F(SessionTest, passes_options_and_closes_once) {
  {
    Session session = open({{"threads", "2"}, {"cpus", ""}});
    const Session moved = std::move(session);
  }
  EXPECT_EQ(script.options, "threads=2;cpus=;");
  EXPECT_EQ(script.closed, 1);
}

TEST_F(SessionTest, carries_the_vendors_words_of_a_failure) {
  script.status = SITS_OUT_OF_MEMORY;
  script.message = "needs 3 bytes";
  script.api = "vendorMalloc";
  const BackendError error = failure([&] { open(); });
  EXPECT_EQ(error.status, SITS_OUT_OF_MEMORY);
  EXPECT_STREQ(error.what(), "needs 3 bytes");
  EXPECT_EQ(error.api, "vendorMalloc");
  EXPECT_EQ(error.vendor_code, 7);
  EXPECT_EQ(script.closed, 1) << "a session handed out with a failure is still given back";
}

TEST_F(SessionTest, reads_an_unknown_status_as_internal) {
  for (const sits_status unknown : {99, -1}) {
    script.status = unknown;
    const BackendError error = failure([&] { open(); });
    EXPECT_EQ(error.status, SITS_INTERNAL);
    EXPECT_THAT(error.what(), HasSubstr(std::to_string(unknown)));
  }
}

TEST_F(SessionTest, refuses_success_without_a_session) {
  script.open_without_session = true;
  EXPECT_EQ(failure([&] { open(); }).status, SITS_INTERNAL);
}

TEST_F(SessionTest, cleans_and_cuts_the_names_of_devices) {
  const std::string endless(100'000, 'n');
  script.device.name = "caf\xc3\xa9 \xff\xfe";
  script.device.vendor = endless.c_str();
  script.device.arch = nullptr;
  const Device device = open().devices().at(0);
  EXPECT_EQ(device.name, "caf\xc3\xa9 \xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(device.vendor.size(), 4096u);
  EXPECT_EQ(device.arch, "");
}

TEST_F(SessionTest, reads_what_an_older_plugin_did_not_write_as_unknown) {
  script.device.memory_bytes = 5;
  script.device.property_count = 3;  // beyond what this plugin writes
  script.device_write_size = offsetof(sits_device, llc_bytes);
  const Device device = open().devices().at(0);
  EXPECT_EQ(device.memory_bytes, 5u);
  EXPECT_EQ(device.llc_bytes, 0u);
  EXPECT_EQ(device.numa_node, -1);
  EXPECT_TRUE(device.properties.empty());
}

TEST_F(SessionTest, strides_a_plugins_array_by_its_own_element_size) {
  struct Larger {
    sits_key_value known;
    std::uint64_t appended;
  };
  const Larger list[] = {{{sizeof(Larger), 0, "a", "1"}, ~0ull}, {{sizeof(Larger), 0, "b", "2"}, ~0ull}};
  script.device.properties = &list[0].known;
  script.device.property_count = 2;
  EXPECT_EQ(open().devices().at(0).properties, (KeyValues{{"a", "1"}, {"b", "2"}}));
}

TEST_F(SessionTest, refuses_an_array_with_an_impossible_element_size) {
  const sits_key_value list[] = {{3, 0, "a", "1"}};
  script.device.properties = list;
  script.device.property_count = 1;
  EXPECT_THAT(failure([&] { open().devices(); }).what(), HasSubstr("struct_size 3"));
}

TEST_F(SessionTest, lists_no_device_and_a_thousand_but_not_a_hundred_thousand) {
  script.device_count = 0;
  EXPECT_TRUE(open().devices().empty());
  script.device_count = 1000;
  const auto devices = open().devices();
  ASSERT_EQ(devices.size(), 1000u);
  EXPECT_EQ(devices[999].index, 999u);
  script.device_count = 100'000;
  EXPECT_THAT(failure([&] { open().devices(); }).what(), HasSubstr("100000 devices"));
}

TEST_F(SessionTest, tells_unsupported_from_failed) {
  Session session = open();
  script.status = SITS_UNSUPPORTED;
  script.message = "no f4 here";
  const Support support = session.query(0, test_case);
  EXPECT_FALSE(support.supported);
  EXPECT_EQ(support.reason, "no f4 here");
  script.status = SITS_INTERNAL;
  EXPECT_EQ(failure([&] { session.query(0, test_case); }).status, SITS_INTERNAL);
}

TEST_F(SessionTest, splits_the_list_of_providers) {
  EXPECT_EQ(open().query(0, test_case).providers, (std::vector<std::string>{"one", "two", "three"}));
}

TEST_F(SessionTest, refuses_a_number_of_samples_that_was_not_asked_for) {
  Session session = open();
  Workload workload = prepared(session);
  EXPECT_EQ(workload.run(3, 1, 0, 0).device_ns.size(), 3u);
  script.sample_count = 4;
  EXPECT_THAT(failure([&] { workload.run(3, 1, 0, 0); }).what(), HasSubstr("3 samples and reports 4"));
  script.sample_count = 2;
  EXPECT_EQ(workload.run(3, 1, 0, 0).device_ns.size(), 2u);
  script.sample_batch = 0;
  EXPECT_THAT(failure([&] { workload.run(3, 1, 0, 0); }).what(), HasSubstr("0 iterations"));
  script.sample_batch = 1;
  script.current_copy = 2;
  EXPECT_THAT(failure([&] { workload.run(3, 1, 0, 0); }).what(), HasSubstr("copy 2 of 2"));
}

TEST_F(SessionTest, gives_no_time_for_a_sample_that_was_not_written) {
  Session session = open();
  const Samples samples = prepared(session).run(2, 1, 0, 0);
  EXPECT_EQ(samples.device_ns[0], 5);
  EXPECT_TRUE(std::isnan(samples.device_ns[1]));
}

TEST_F(SessionTest, does_not_read_outside_a_tensor) {
  Session session = open();
  const Workload workload = prepared(session);
  EXPECT_EQ(workload.read(0, 1, 1, 3).size(), 12u);
  EXPECT_EQ(failure([&] { workload.read(0, 0, 1, 4); }).status, SITS_INTERNAL);
  EXPECT_EQ(failure([&] { workload.read(0, 0, UINT64_MAX, 2); }).status, SITS_INTERNAL);
  EXPECT_EQ(failure([&] { workload.read(0, 2, 0, 1); }).status, SITS_INTERNAL);
  EXPECT_EQ(failure([&] { workload.read(1, 0, 0, 1); }).status, SITS_INTERNAL);
}

TEST_F(SessionTest, releases_a_workload_once) {
  Session session = open();
  { const Workload moved = prepared(session); }
  EXPECT_EQ(script.released, 1);
}

TEST_F(SessionTest, has_no_telemetry_where_the_call_is_null_beyond_the_table_or_fails) {
  EXPECT_EQ(open().telemetry(0)->clock_mhz, 1234);
  script.status = SITS_UNSUPPORTED;
  const auto failing = [&] {
    script.status = SITS_OK;
    Session session = open();
    script.status = SITS_UNSUPPORTED;
    return session.telemetry(0).has_value();
  };
  EXPECT_FALSE(failing());
  script.status = SITS_OK;
  table.struct_size = offsetof(sits_backend, telemetry);
  EXPECT_FALSE(open().telemetry(0));
  table.struct_size = sizeof table;
  table.telemetry = nullptr;
  EXPECT_FALSE(open().telemetry(0));
}

TEST_F(SessionTest, lets_no_exception_of_a_host_call_into_the_plugin) {
  HostCalls calls;
  calls.log = [](int, std::string_view) { throw std::runtime_error("log"); };
  calls.should_cancel = []() -> bool { throw std::runtime_error("cancel"); };
  Session session(&table, std::move(calls), {});
  std::int32_t cancelled = 0;
  script.in_run = [&](const sits_host &host) {
    host.log(host.ctx, SITS_LOG_INFO, "text");
    cancelled = host.should_cancel(host.ctx);
    EXPECT_GT(host.now_ns(host.ctx), 0u);
  };
  prepared(session).run(1, 1, 0, 0);
  EXPECT_EQ(cancelled, 1);
}

TEST_F(SessionTest, lets_a_plugin_log_from_its_own_thread) {
  std::string logged;
  HostCalls calls;
  calls.log = [&](int level, std::string_view text) { logged = std::to_string(level) + std::string(text); };
  Session session(&table, std::move(calls), {});
  script.in_run = [](const sits_host &host) {
    std::thread([&] { host.log(host.ctx, SITS_LOG_WARNING, "hot \xff"); }).join();
  };
  prepared(session).run(1, 1, 0, 0);
  EXPECT_EQ(logged, "2hot \xef\xbf\xbd");
}

TEST_F(SessionTest, refuses_a_backend_name_that_could_not_stand_in_a_device_id) {
  EXPECT_EQ(describe(&table).name, "fake");
  table.describe = [](sits_info *info, sits_error *) -> sits_status {
    info->name = "CPU:0";
    return SITS_OK;
  };
  EXPECT_THAT(failure([&] { describe(&table); }).what(), HasSubstr("CPU:0"));
}

}  // namespace
}  // namespace sits::plugin
