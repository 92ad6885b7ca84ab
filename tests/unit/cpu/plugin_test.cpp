// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "backends/cpu/isa.h"
#include "backends/cpu/peak_kernels.h"
#include "tests/unit/cpu/abi_fixture.h"

namespace sits::cpu {
namespace {

TEST(CpuPlugin, negotiates_the_smaller_minor_and_refuses_another_major) {
  sits_error error{};
  error.struct_size = sizeof error;
  EXPECT_EQ(sits_backend_entry_v1(SITS_ABI_MAJOR + 1, 0, &error), nullptr);
  EXPECT_NE(std::string(error.message), "");
  EXPECT_EQ(sits_backend_entry_v1(SITS_ABI_MAJOR, 1000, nullptr)->abi_minor, SITS_ABI_MINOR);
  EXPECT_EQ(sits_backend_entry_v1(SITS_ABI_MAJOR, 0, nullptr)->abi_minor, 0u);
}

TEST_F(AbiTest, names_an_unknown_option_and_the_nearest_known) {
  EXPECT_EQ(open({{"thread", "2"}}), SITS_INVALID_ARGUMENT);
  EXPECT_NE(std::string(error_.message).find("'thread'"), std::string::npos) << error_.message;
  EXPECT_NE(std::string(error_.message).find("'threads'"), std::string::npos) << error_.message;
  EXPECT_EQ(session_, nullptr);
}

TEST_F(AbiTest, refuses_bad_option_values) {
  using Options = std::vector<std::pair<std::string, std::string>>;
  for (const Options &options :
       {Options{{"threads", "0"}}, Options{{"threads", "-1"}}, Options{{"threads", "2x"}},
        Options{{"threads", "60000"}}, Options{{"cpus", "3-1"}}, Options{{"cpus", ""}}, Options{{"cpus", "65000"}},
        Options{{"numa", "4096"}}, Options{{"calibrate", "2"}}, Options{{"cpus", "0"}, {"threads", "2"}}}) {
    EXPECT_EQ(open(options), SITS_INVALID_ARGUMENT) << options[0].first << "=" << options[0].second;
    EXPECT_NE(std::string(error_.message).find(options.back().first), std::string::npos) << error_.message;
  }
}

TEST_F(AbiTest, describes_one_cpu_device) {
  ASSERT_EQ(open({{"threads", "1"}}), SITS_OK) << error_.message;
  std::uint32_t count = 0;
  ASSERT_EQ(table_->devices(session_, nullptr, 0, &count, nullptr), SITS_OK);
  ASSERT_EQ(count, 1u);
  sits_device device{};
  device.struct_size = sizeof device;
  ASSERT_EQ(table_->devices(session_, &device, 1, &count, nullptr), SITS_OK);
  EXPECT_EQ(device.flags, std::uint32_t{SITS_DEVICE_CPU});
  EXPECT_EQ(device.compute_units, 1u);
  EXPECT_GE(device.rank_slots, 1u);
  EXPECT_GT(device.memory_bytes, 0u);
  std::vector<std::string> keys;
  for (std::uint32_t i = 0; i < device.property_count; ++i) keys.emplace_back(device.properties[i].key);
  for (const char *key : {"isa", "threads", "cpus", "affinity"})
    EXPECT_EQ(std::count(keys.begin(), keys.end(), key), 1) << key;
}

TEST_F(AbiTest, fills_no_more_of_a_struct_than_its_size_says) {
  sits_info info;
  std::memset(&info, 0x5a, sizeof info);
  info.struct_size = offsetof(sits_info, vendor);
  ASSERT_EQ(table_->describe(&info, nullptr), SITS_OK);
  EXPECT_STREQ(info.name, "cpu");
  const sits_info untouched = [] {
    sits_info all;
    std::memset(&all, 0x5a, sizeof all);
    return all;
  }();
  EXPECT_EQ(std::memcmp(&info.vendor, &untouched.vendor, sizeof info - offsetof(sits_info, vendor)), 0);
  info.struct_size = 2;
  EXPECT_EQ(table_->describe(&info, nullptr), SITS_INVALID_ARGUMENT);
  EXPECT_EQ(table_->describe(nullptr, nullptr), SITS_INVALID_ARGUMENT);
}

TEST_F(AbiTest, refuses_handles_and_ranges_that_do_not_exist) {
  ASSERT_EQ(open({{"threads", "1"}}), SITS_OK) << error_.message;
  const sits_stream_spec spec{sizeof spec, SITS_STREAM_COPY, SITS_F32, 0, 4096};
  const sits_case test_case = make_case(SITS_OP_STREAM, spec);
  support_.struct_size = sizeof support_;
  EXPECT_EQ(table_->query(session_, 1, &test_case, &support_, nullptr), SITS_INVALID_ARGUMENT);
  EXPECT_EQ(table_->query(session_, 0, nullptr, &support_, nullptr), SITS_INVALID_ARGUMENT);
  sits_case without_spec = test_case;
  without_spec.spec = nullptr;
  EXPECT_EQ(query(without_spec), SITS_INVALID_ARGUMENT);
  const AbiWorkload workload = prepare(test_case);
  float value = 0;
  EXPECT_EQ(table_->read(workload.handle(), 9, 0, 0, 1, &value, nullptr), SITS_INVALID_ARGUMENT);
  EXPECT_EQ(table_->read(workload.handle(), 0, 1, 0, 1, &value, nullptr), SITS_INVALID_ARGUMENT);
  EXPECT_EQ(table_->read(workload.handle(), 0, 0, 1024, 1, &value, nullptr), SITS_INVALID_ARGUMENT);
  EXPECT_EQ(table_->read(workload.handle(), 0, 0, 1, UINT64_MAX, &value, nullptr), SITS_INVALID_ARGUMENT);
  EXPECT_EQ(workload.run(0, 1, 0).status, SITS_INVALID_ARGUMENT);
}

TEST_F(AbiTest, run_times_batches_and_reads_gates) {
  ASSERT_EQ(open(), SITS_OK) << error_.message;
  const sits_stream_spec spec{sizeof spec, SITS_STREAM_TRIAD, SITS_F64, 0, 1 << 20};
  const AbiWorkload workload = prepare(make_case(SITS_OP_STREAM, spec));
  const auto result = workload.run(5, 3, SITS_RUN_FLUSH);
  ASSERT_EQ(result.status, SITS_OK) << result.message;
  EXPECT_EQ(result.samples.count, 5u);
  EXPECT_EQ(result.samples.batch, 3u);
  EXPECT_EQ(result.samples.gates_valid, 1u);
  EXPECT_GT(result.samples.cpu_ns, 0);
  EXPECT_GT(result.samples.floor_ns, 0);
  EXPECT_GE(result.samples.resolution_ns, 1);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_GT(result.device_ns[i], 0);
    EXPECT_LE(result.device_ns[i], result.submit_ns[i]);
  }
  EXPECT_NE(std::string(result.samples.provider), "");
}

TEST_F(AbiTest, run_stops_when_the_host_cancels) {
  sits_host host{};
  host.struct_size = sizeof host;
  host.abi_major = SITS_ABI_MAJOR;
  host.should_cancel = [](void *) -> std::int32_t { return 1; };
  ASSERT_EQ(open({{"threads", "1"}}, &host), SITS_OK) << error_.message;
  const sits_stream_spec spec{sizeof spec, SITS_STREAM_READ, SITS_F32, 0, 4096};
  EXPECT_EQ(prepare(make_case(SITS_OP_STREAM, spec)).run(10, 1, 0).status, SITS_CANCELLED);
}

TEST_F(AbiTest, run_stops_at_its_timeout_and_keeps_what_it_has) {
  ASSERT_EQ(open({{"threads", "1"}}), SITS_OK) << error_.message;
  const sits_stream_spec spec{sizeof spec, SITS_STREAM_READ, SITS_F32, 0, 4096};
  const auto result = prepare(make_case(SITS_OP_STREAM, spec)).run(1000, 1, 0, 1);
  EXPECT_EQ(result.status, SITS_TIMEOUT);
  EXPECT_GE(result.samples.count, 1u);
  EXPECT_LT(result.samples.count, 1000u);
}

TEST_F(AbiTest, chase_walks_the_generators_single_cycle_and_goes_on_where_it_stands) {
  ASSERT_EQ(open({{"threads", "1"}}), SITS_OK) << error_.message;
  for (const std::uint32_t lines : {2u, 3u, 1000u}) {
    const sits_memory_latency_spec spec{sizeof spec, 0, lines * 64ull};
    const AbiWorkload workload = prepare(make_case(SITS_OP_MEMORY_LATENCY, spec, SITS_MODE_NONE));
    std::vector<std::uint32_t> next(lines);
    std::iota(next.begin(), next.end(), 0u);
    const std::uint32_t key = tensor_key(kSeed, workload.tensors().at(0).stream);
    for (std::uint32_t i = lines - 1; i > 0; --i) std::swap(next[i], next[cycle_partner(key, i)]);
    std::uint32_t at = 0, length = 0;
    do at = next[at], ++length;
    while (at != 0);
    EXPECT_EQ(length, lines);
    std::uint64_t walked = 0;
    for (int call = 0; call < 3; ++call) {
      const auto result = workload.run(1, 5, SITS_RUN_POISON_BEFORE);
      ASSERT_EQ(result.status, SITS_OK);
      EXPECT_GE(result.samples.batch, 5u);
      EXPECT_EQ(result.samples.threads, 1u);
      for (; walked < result.samples.steps_total; ++walked) at = next[at];
      EXPECT_EQ(workload.bits(0, 0).at(0), at);
    }
  }
  const sits_memory_latency_spec bad{sizeof bad, 0, 100};
  EXPECT_EQ(query(make_case(SITS_OP_MEMORY_LATENCY, bad)), SITS_INVALID_ARGUMENT);
}

TEST_F(AbiTest, peak_ends_at_exactly_two_on_every_thread) {
  ASSERT_EQ(open(), SITS_OK) << error_.message;
  for (const std::uint32_t type : {SITS_F32, SITS_F64, SITS_BF16, SITS_I8}) {
    const sits_peak_spec spec{sizeof spec, SITS_PEAK_FMA, type, 0};
    const sits_case test_case = make_case(SITS_OP_PEAK, spec, SITS_MODE_NONE);
    if (query(test_case) == SITS_UNSUPPORTED) {
      EXPECT_NE(std::string(error_.message).find(dtype_name(type)), std::string::npos) << error_.message;
      continue;
    }
    EXPECT_GT(support_.peak_flops, 0);
    const AbiWorkload workload = prepare(test_case);
    ASSERT_EQ(workload.run(1, 1, SITS_RUN_POISON_BEFORE).status, SITS_OK);
    for (const std::uint64_t bits : workload.bits(0, 0)) EXPECT_EQ(decode(SITS_F64, bits), 2.0) << dtype_name(type);
  }
  const sits_peak_spec matrix{sizeof matrix, SITS_PEAK_MATRIX, SITS_BF16, 0};
  EXPECT_EQ(query(make_case(SITS_OP_PEAK, matrix)), SITS_UNSUPPORTED);
}

TEST(PeakKernels, of_every_level_this_machine_has_end_at_two) {
  Isa isa = detect_isa();
  for (int level = 0; level < 3; ++level) {
    for (const std::uint32_t type : {SITS_F32, SITS_F64, SITS_BF16, SITS_I8}) {
      const PeakKernel *kernel = peak_kernel(isa, type);
      if (kernel == nullptr) continue;
      EXPECT_EQ(kernel->run(100), 2.0) << kernel->name;
    }
    if (level == 0) isa.avx512 = isa.avx512_bf16 = isa.avx512_vnni = isa.avx_vnni = false;
    if (level == 1) isa = {};
  }
}

}  // namespace
}  // namespace sits::cpu
