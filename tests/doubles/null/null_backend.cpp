// SPDX-License-Identifier: Apache-2.0
//
// The null backend: one simulated device, and faults on demand. SITS_NULL_FAULT (or the option `fault`) names one,
// SITS_NULL_FAULT_CASE (or `fault_case`) limits it to cases whose id contains a text.
//   open:    crash_open, unavailable, no_devices, many_devices, bad_names
//   prepare: oom
//   run:     crash, abort, exit0, hang, slow, device_lost, vendor_error, wrong, stale, nan, zero, negative,
//            device_beyond_host, no_samples, too_many_samples, noise
//   close:   crash_close
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <thread>

#include "backends/sdk/failure.h"
#include "backends/sdk/sized.h"
#include "null_work.h"
#include "sits/dtype.h"

#ifndef SITS_NULL_MAJOR
#define SITS_NULL_MAJOR SITS_ABI_MAJOR
#endif
#ifndef SITS_NULL_RUN
#define SITS_NULL_RUN run
#endif

using sits::null_backend::NullShape;
using sits::null_backend::NullTensor;
using sits::null_backend::NullWork;
using sits::sdk::Failure;

struct sits_session {
  const sits_host *host = nullptr;
  std::string fault, fault_case, mark;
};

struct sits_workload {
  sits_session *session;
  std::string fault;  // "" when the case is not meant
  NullWork work;
  std::uint32_t next_copy = 0, current_copy = 0, runs = 0;
  std::uint64_t iterations = 0;
};

namespace {

constexpr double kFloorNs = 50, kResolutionNs = 1, kHostNs = 500;

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string fault_of(const sits_session &session, const sits_case &test_case) {
  const std::string id = test_case.id == nullptr ? "" : test_case.id;
  return id.find(session.fault_case) == std::string::npos ? "" : session.fault;
}

void die_if(const std::string &fault, const char *crash) {
  if (fault == crash) std::raise(SIGSEGV);
}

/// Deterministic, within 0.5 % of the nominal time, without trend.
double virtual_ns(double nominal, std::uint64_t iteration) {
  std::uint64_t x = (iteration + 1) * 0x9e3779b97f4a7c15ull;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 32;
  return nominal * (1.0 + 0.005 * static_cast<double>(x % 1001) / 1000.0);
}

sits_status describe(sits_info *out, sits_error *error) {
  static constexpr sits_key_value kEnvironment[] = {{sizeof(sits_key_value), 0, "SITS_NULL_MARK", "set by the host"}};
  SITS_GUARD(error, {
    sits_info info{};
    info.name = "null";
    info.vendor = "SITS Bench";
    info.version = "1.0";
    info.environment = kEnvironment;
    info.environment_count = 1;
    sits::sdk::fill_sized(out, info, "info");
  });
}

sits_status open(const sits_host *host, const sits_options *options, sits_session **session, sits_error *error) {
  SITS_GUARD(error, {
    auto made = std::make_unique<sits_session>();
    made->host = host;
    made->fault = environment("SITS_NULL_FAULT");
    made->fault_case = environment("SITS_NULL_FAULT_CASE");
    made->mark = environment("SITS_NULL_MARK");
    for (std::uint32_t i = 0; i < options->count; ++i) {
      const sits_key_value &item = *sits::sdk::element_at(options->items, i);
      if (std::strcmp(item.key, "fault") == 0) {
        made->fault = item.value;
      } else if (std::strcmp(item.key, "fault_case") == 0) {
        made->fault_case = item.value;
      } else {
        throw Failure(SITS_INVALID_ARGUMENT, std::string("the null backend has no option '") + item.key + "'");
      }
    }
    die_if(made->fault, "crash_open");
    if (made->fault == "unavailable") throw Failure(SITS_UNAVAILABLE, "libnulldriver.so.1 not found");
    *session = made.release();
  });
}

void close(sits_session *session) {
  die_if(session->fault, "crash_close");
  delete session;
}

sits_device device_of(const sits_session &session, const sits_key_value *mark) {
  static constexpr sits_peak_rate kPeaks[] = {{sizeof(sits_peak_rate), SITS_F32, SITS_PEAK_FMA, 0, 1250, 1.25e12}};
  sits_device device{};
  device.flags = SITS_DEVICE_SIMULATED;
  device.name = session.fault == "bad_names" ? "null \xff device" : "null device";
  device.vendor = "SITS Bench";
  device.arch = "virtual";
  device.uuid = "null-0000";
  device.memory_bytes = 256u << 20;
  device.llc_bytes = 1u << 18;
  device.numa_node = -1;
  device.compute_units = 1;
  device.clock_max_mhz = 1000;
  device.bandwidth_bytes_per_s = 100e9;
  device.rank_slots = 1;
  device.peaks = kPeaks;
  device.peak_count = 1;
  device.properties = mark;
  device.property_count = 1;
  return device;
}

sits_status devices(sits_session *session, sits_device *out, std::uint32_t capacity, std::uint32_t *count,
                    sits_error *error) {
  SITS_GUARD(error, {
    static sits_key_value mark;
    mark = {sizeof(sits_key_value), 0, "mark", session->mark.c_str()};
    const std::uint32_t available = session->fault == "no_devices" ? 0 : session->fault == "many_devices" ? 100'000 : 1;
    sits::sdk::fill_array(out, capacity, count, available, "devices",
                          [&](std::uint32_t) { return device_of(*session, &mark); });
  });
}

sits_status query(sits_session *, std::uint32_t, const sits_case *test_case, sits_support *out, sits_error *error) {
  SITS_GUARD(error, {
    const NullShape shape = sits::null_backend::shape_of(*test_case);
    sits_support support{};
    support.type_acc = SITS_F32;
    support.copy_bytes = shape.copy_bytes();
    support.predicted_ns = shape.iteration_ns;
    support.peak_flops = shape.peak_flops;
    support.providers = "null";
    sits::sdk::fill_sized(out, support, "support");
  });
}

sits_status prepare(sits_session *session, const sits_prepare *request, sits_workload **workload, sits_error *error) {
  SITS_GUARD(error, {
    const std::string fault = fault_of(*session, *request->test_case);
    if (fault == "oom") throw Failure(SITS_OUT_OF_MEMORY, "no room for 42 bytes", "nullMalloc", 2);
    const std::uint64_t bytes = sits::null_backend::shape_of(*request->test_case).copy_bytes();
    std::uint64_t copies = request->rotation_bytes == 0 ? 1 : (request->rotation_bytes + bytes - 1) / bytes;
    if (request->rotation_bytes != 0) copies = std::max<std::uint64_t>(copies, 2);
    if (request->max_copies != 0) copies = std::min<std::uint64_t>(copies, request->max_copies);
    *workload = new sits_workload{session, fault, NullWork(*request->test_case, static_cast<std::uint32_t>(copies))};
  });
}

sits_status tensors(sits_workload *workload, sits_tensor *out, std::uint32_t capacity, std::uint32_t *count,
                    sits_error *error) {
  SITS_GUARD(error, {
    const auto &list = workload->work.shape().tensors;
    sits::sdk::fill_array(out, capacity, count, static_cast<std::uint32_t>(list.size()), "tensors",
                          [&](std::uint32_t i) {
                            sits_tensor tensor{};
                            tensor.role = list[i].role;
                            tensor.name = list[i].name.c_str();
                            tensor.type = list[i].type;
                            tensor.fill = list[i].fill;
                            tensor.count = list[i].count;
                            tensor.stream = list[i].stream;
                            tensor.copies = workload->work.copies();
                            return tensor;
                          });
  });
}

sits_status read(sits_workload *workload, std::uint32_t tensor, std::uint32_t copy, std::uint64_t first,
                 std::uint64_t count, void *dst, sits_error *error) {
  SITS_GUARD(error, {
    const std::uint32_t type = workload->work.shape().tensors[tensor].type;
    std::memcpy(dst, workload->work.bytes(tensor, copy) + sits::bytes_of(type, first), sits::bytes_of(type, count));
  });
}

/// Faults that never come back, or come back with a status.
void fail_in_run(const sits_workload &workload) {
  const std::string &fault = workload.fault;
  die_if(fault, "crash");
  if (fault == "abort") std::abort();
  if (fault == "exit0") std::exit(0);
  if (fault == "device_lost") throw Failure(SITS_DEVICE_LOST, "the null device fell off the bus", "nullLaunch", 79);
  if (fault == "vendor_error") throw Failure(SITS_INTERNAL, "launch failed", "nullLaunch", 700);
  while (fault == "hang") std::this_thread::sleep_for(std::chrono::seconds(1));
  const sits_host &host = *workload.session->host;
  for (int i = 0; fault == "slow" && i < 10; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (host.should_cancel(host.ctx) != 0) throw Failure(SITS_CANCELLED, "cancelled");
  }
  if (fault == "noise") {
    std::printf("{\"type\":\"result\",\"fake\":true}\n%s\n", std::string(3000, 'x').c_str());
    std::fprintf(stderr, "null driver: something loud\n");
  }
}

void iterate(sits_workload &workload, const sits_run &request) {
  const std::uint64_t iterations = std::uint64_t{request.samples} * request.batch;
  const bool rotate = (request.flags & SITS_RUN_NO_ROTATE) == 0;
  const std::uint64_t touched = rotate ? std::min<std::uint64_t>(iterations, workload.work.copies()) : 1;
  const std::uint64_t last = workload.next_copy + iterations - 1;
  workload.current_copy = rotate ? static_cast<std::uint32_t>(last % workload.work.copies()) : 0;
  workload.next_copy = (workload.current_copy + 1) % workload.work.copies();
  const bool stale = workload.fault == "stale" && workload.runs > 3;
  for (std::uint64_t back = 0; back < touched && !stale; ++back)
    workload.work.compute((workload.current_copy + workload.work.copies() - static_cast<std::uint32_t>(back)) %
                          workload.work.copies());
  if (workload.fault == "wrong") workload.work.zero_outputs();
}

void take_times(sits_workload &workload, const sits_run &request, sits_samples &samples) {
  const std::string &fault = workload.fault;
  for (std::uint32_t i = 0; i < samples.count; ++i) {
    double ns = virtual_ns(workload.work.shape().iteration_ns, workload.iterations);
    workload.iterations += request.batch;
    if (fault == "nan") ns = std::numeric_limits<double>::quiet_NaN();
    if (fault == "zero") ns = 0;
    if (fault == "negative") ns = -ns;
    samples.device_ns[i] = ns;
    samples.submit_to_complete_ns[i] = ns + kHostNs / request.batch;
    if (fault == "device_beyond_host") samples.submit_to_complete_ns[i] = ns / 2;
  }
}

[[maybe_unused]] sits_status run(sits_workload *workload, const sits_run *request, sits_samples *out,
                                 sits_error *error) {
  SITS_GUARD(error, {
    fail_in_run(*workload);
    if ((request->flags & SITS_RUN_POISON_BEFORE) != 0) workload->work.poison();
    ++workload->runs;
    iterate(*workload, *request);
    auto samples = sits::sdk::read_sized<sits_samples>(out, "samples");
    samples.count = std::min(request->samples, samples.capacity);
    samples.batch = request->batch;
    samples.current_copy = workload->current_copy;
    samples.clock = SITS_CLOCK_DEVICE;
    samples.resolution_ns = kResolutionNs;
    samples.floor_ns = kFloorNs;
    samples.provider = "null 1.0";
    samples.alternatives = R"([{"provider":"slower","median_ns":1e6},{"provider":"absent","reason":"not built"}])";
    take_times(*workload, *request, samples);
    if (workload->fault == "no_samples") samples.count = 0;
    if (workload->fault == "too_many_samples") samples.count = request->samples + 1;
    sits::sdk::fill_sized(out, samples, "samples");
  });
}

void release(sits_workload *workload) { delete workload; }

sits_status telemetry(sits_session *, std::uint32_t, sits_telemetry *out, sits_error *error) {
  SITS_GUARD(error, {
    sits_telemetry reading{};
    reading.valid = SITS_TELEMETRY_CLOCK | SITS_TELEMETRY_MEMORY_USED;
    reading.clock_mhz = 1000;
    reading.memory_used_bytes = 1u << 20;
    reading.power_w = -1;  // a vendor's "not available": its bit is not set
    sits::sdk::fill_sized(out, reading, "telemetry");
  });
}

}  // namespace

extern "C" SITS_EXPORT const sits_backend *sits_backend_entry_v1(std::uint32_t, std::uint32_t, sits_error *) {
  static const sits_backend table = [] {
    sits_backend t{};
    t.struct_size = sizeof t;
    t.abi_major = SITS_NULL_MAJOR;
    t.abi_minor = SITS_ABI_MINOR;
    t.describe = describe;
    t.open = open;
    t.close = close;
    t.devices = devices;
    t.query = query;
    t.prepare = prepare;
    t.tensors = tensors;
    t.read = read;
    t.run = SITS_NULL_RUN;
    t.release = release;
    t.telemetry = telemetry;
    return t;
  }();
  return &table;
}
