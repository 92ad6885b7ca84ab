// SPDX-License-Identifier: Apache-2.0
//
// The C ABI of the CPU backend: checks what crosses, calls the session, lets no exception out.
#include <algorithm>
#include <limits>
#include <memory>

#include "backends/cpu/session.h"
#include "backends/sdk/failure.h"
#include "backends/sdk/sized.h"
#include "sits/dtype.h"

struct sits_session {
  sits_session(const sits_host *host, const sits_options *options) : session(host, options) {}
  sits::cpu::Session session;
};

struct sits_workload {
  sits::cpu::Session &session;
  std::unique_ptr<sits::cpu::Workload> workload;
  std::uint32_t next_copy = 0;
  std::string provider, alternatives, weights;  // text of the last run
};

namespace {

using sits::sdk::Failure;
using sits::sdk::read_sized;

// Sizes of the first version: what a host of any minor sets at least.
constexpr std::size_t kFirstCase = sizeof(sits_case);

constexpr sits_key_value item(const char *key, const char *value) { return {sizeof(sits_key_value), 0, key, value}; }

constexpr sits_key_value kLibraries[] = {item("libdnnl.so.2", "GEMM: oneDNN 2.x"),
                                         item("libopenblas.so.0", "GEMM: OpenBLAS, f32"),
                                         item("libhwloc.so.15", "cores and caches where sysfs is silent")};
// Large scratch of the libraries on huge pages, their threads on neighbouring cores.
constexpr sits_key_value kEnvironment[] = {item("OMP_PROC_BIND", "close"),
                                           item("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")};

template <typename T>
T *required(T *pointer, const char *what) {
  if (pointer == nullptr) throw Failure(SITS_INVALID_ARGUMENT, std::string(what) + " is null");
  return pointer;
}

sits_case read_case(const sits_case *test_case) { return read_sized<sits_case>(test_case, "case", kFirstCase); }

sits_status describe(sits_info *info, sits_error *error) {
  SITS_GUARD(error, {
    sits_info mine{};
    mine.name = "cpu";
    mine.vendor = "SITS Bench";
    mine.version = SITS_VERSION;
    mine.libraries = kLibraries;
    mine.library_count = static_cast<std::uint32_t>(std::size(kLibraries));
    mine.environment = kEnvironment;
    mine.environment_count = static_cast<std::uint32_t>(std::size(kEnvironment));
    sits::sdk::fill_sized(info, mine, "info");
  });
}

sits_status open(const sits_host *host, const sits_options *options, sits_session **session, sits_error *error) {
  SITS_GUARD(error, {
    *required(session, "session") = nullptr;
    *session = std::make_unique<sits_session>(host, options).release();
  });
}

void close(sits_session *session) { std::unique_ptr<sits_session>{session}.reset(); }

sits_status devices(sits_session *session, sits_device *out, std::uint32_t capacity, std::uint32_t *count,
                    sits_error *error) {
  SITS_GUARD(error, {
    required(session, "session");
    sits::sdk::fill_array(out, capacity, count, 1, "devices", [&](std::uint32_t) { return session->session.device(); });
  });
}

void require_device(std::uint32_t device) {
  if (device != 0) throw Failure(SITS_INVALID_ARGUMENT, "device " + std::to_string(device) + " does not exist; only 0");
}

sits_status query(sits_session *session, std::uint32_t device, const sits_case *test_case, sits_support *support,
                  sits_error *error) {
  SITS_GUARD(error, {
    require_device(device);
    sits::sdk::fill_sized(support, required(session, "session")->session.query(read_case(test_case)), "support");
  });
}

sits_status prepare(sits_session *session, const sits_prepare *request, sits_workload **workload, sits_error *error) {
  SITS_GUARD(error, {
    *required(workload, "workload") = nullptr;
    const auto asked = read_sized<sits_prepare>(request, "prepare");
    if (asked.device_count != 1)
      throw Failure(SITS_INVALID_ARGUMENT,
                    "the cpu backend takes one device, not " + std::to_string(asked.device_count));
    require_device(*required(asked.devices, "prepare.devices"));
    const sits_case test_case = read_case(asked.test_case);
    sits::cpu::Session &mine = required(session, "session")->session;
    auto prepared = mine.prepare({&test_case, asked.rotation_bytes, asked.max_copies});
    *workload = std::make_unique<sits_workload>(sits_workload{mine, std::move(prepared), 0, {}, {}, {}}).release();
  });
}

sits_status tensors(sits_workload *workload, sits_tensor *out, std::uint32_t capacity, std::uint32_t *count,
                    sits_error *error) {
  SITS_GUARD(error, {
    const auto &list = required(workload, "workload")->workload->tensors();
    sits::sdk::fill_array(
        out, capacity, count, static_cast<std::uint32_t>(list.size()), "tensors", [&](std::uint32_t i) {
          const sits::cpu::Tensor &t = list[i];
          return sits_tensor{
              sizeof(sits_tensor), t.role, t.name.c_str(), t.type, t.fill, t.count, t.stream, t.copies, 0};
        });
  });
}

sits_status read(sits_workload *workload, std::uint32_t tensor, std::uint32_t copy, std::uint64_t first,
                 std::uint64_t count, void *dst, sits_error *error) {
  SITS_GUARD(error, {
    const auto &list = required(workload, "workload")->workload->tensors();
    if (tensor >= list.size())
      throw Failure(SITS_INVALID_ARGUMENT, "tensor " + std::to_string(tensor) + " does not exist");
    const sits::cpu::Tensor &t = list[tensor];
    if (copy >= t.copies) throw Failure(SITS_INVALID_ARGUMENT, t.name + " has no copy " + std::to_string(copy));
    if (first > t.count || count > t.count - first)
      throw Failure(SITS_INVALID_ARGUMENT, t.name + " has " + std::to_string(t.count) + " elements; asked for " +
                                               std::to_string(count) + " from " + std::to_string(first));
    if (sits::bits_of(t.type) < 8 && first % 2 != 0)
      throw Failure(SITS_INVALID_ARGUMENT, t.name + ": the first element must be even, packed two in a byte");
    if (count > 0) workload->workload->read(tensor, copy, first, count, required(dst, "dst"));
  });
}

/// Fills the caller's struct, whose array pointers and capacity stay as they are.
void finish_run(sits_workload &workload, sits_samples *out, sits_samples &samples) {
  workload.provider = workload.workload->provider();
  workload.alternatives = workload.workload->alternatives_json();
  workload.weights = workload.workload->weights();
  samples.provider = workload.provider.c_str();
  samples.alternatives = workload.alternatives.empty() ? nullptr : workload.alternatives.c_str();
  samples.weights = workload.weights.empty() ? nullptr : workload.weights.c_str();
  sits::sdk::fill_sized(out, samples, "samples");
}

sits_status run(sits_workload *workload, const sits_run *request, sits_samples *out, sits_error *error) {
  SITS_GUARD(error, {
    required(workload, "workload");
    const auto asked = read_sized<sits_run>(request, "run");
    const auto given = read_sized<sits_samples>(out, "samples");
    if (asked.samples == 0) throw Failure(SITS_INVALID_ARGUMENT, "run.samples is 0");
    required(given.device_ns, "samples.device_ns");
    required(given.submit_to_complete_ns, "samples.submit_to_complete_ns");
    if (given.capacity < asked.samples)
      throw Failure(SITS_INVALID_ARGUMENT, "samples.capacity " + std::to_string(given.capacity) +
                                               " is below run.samples " + std::to_string(asked.samples));
    sits_samples samples{};
    samples.capacity = given.capacity;
    samples.device_ns = given.device_ns;
    samples.submit_to_complete_ns = given.submit_to_complete_ns;
    try {
      workload->session.run(*workload->workload, asked, workload->next_copy, samples);
    } catch (const Failure &) {
      finish_run(*workload, out, samples);  // the samples taken before a cancellation or a timeout are good
      throw;
    }
    finish_run(*workload, out, samples);
  });
}

void release(sits_workload *workload) { std::unique_ptr<sits_workload>{workload}.reset(); }

sits_backend make_table() {
  sits_backend table{};
  table.struct_size = sizeof table;
  table.abi_major = SITS_ABI_MAJOR;
  table.abi_minor = SITS_ABI_MINOR;
  table.describe = describe;
  table.open = open;
  table.close = close;
  table.devices = devices;
  table.query = query;
  table.prepare = prepare;
  table.tensors = tensors;
  table.read = read;
  table.run = run;
  table.release = release;
  return table;
}

}  // namespace

extern "C" SITS_EXPORT const sits_backend *sits_backend_entry_v1(std::uint32_t host_abi_major,
                                                                 std::uint32_t host_abi_minor, sits_error *error) {
  if (host_abi_major != SITS_ABI_MAJOR) {
    sits::sdk::write_error(error, "the cpu backend speaks another major version of the contract", "", 0);
    return nullptr;
  }
  static sits_backend table = make_table();
  table.abi_minor = std::min(host_abi_minor, SITS_ABI_MINOR);
  return &table;
}
