// SPDX-License-Identifier: Apache-2.0
//
// A complete backend in one file: one device (the host's memory), one operation (stream/copy). docs/backends.md walks
// through it. Everything a case needs is in sits/backend.h; failures are thrown and turned into a status by SITS_GUARD.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "backends/sdk/failure.h"
#include "sits/backend.h"
#include "sits/generator.h"

using sits::sdk::Failure;

struct sits_session {
  const sits_host *host;
};

// c = a, with `copies` pairs of arrays that successive iterations rotate through
struct sits_workload {
  const sits_host *host;
  std::uint32_t type = 0;
  std::uint64_t bytes = 0;
  std::vector<std::vector<char>> a, c;
  std::uint32_t next = 0, current = 0;

  void iterate(bool rotate) {
    current = rotate ? next : 0;
    std::memcpy(c[current].data(), a[current].data(), bytes);
    next = (current + 1) % static_cast<std::uint32_t>(a.size());
  }
};

namespace {

constexpr double kResolutionNs = 1.0;

const sits_stream_spec &supported_spec(const sits_case &test_case) {
  if (test_case.op != SITS_OP_STREAM) throw Failure(SITS_UNSUPPORTED, "the example backend offers stream/copy only");
  const auto &spec = *static_cast<const sits_stream_spec *>(test_case.spec);
  if (spec.kind != SITS_STREAM_COPY || sits::bits_of(spec.type) < 8)
    throw Failure(SITS_UNSUPPORTED, "the example backend offers stream/copy of whole bytes only");
  return spec;
}

sits_status describe(sits_info *info, sits_error *) {
  info->name = "example";
  info->vendor = "SITS Bench";
  info->version = "1.0";
  return SITS_OK;
}

sits_status open(const sits_host *host, const sits_options *, sits_session **session, sits_error *error) {
  SITS_GUARD(error, { *session = new sits_session{host}; });
}

void close(sits_session *session) { delete session; }

sits_status devices(sits_session *, sits_device *out, std::uint32_t capacity, std::uint32_t *count, sits_error *) {
  *count = 1;
  if (capacity == 0) return SITS_OK;
  out[0].name = "host memory through memcpy";
  out[0].vendor = "SITS Bench";
  out[0].arch = "host";
  out[0].numa_node = -1;
  out[0].llc_bytes = 32u << 20;
  out[0].compute_units = 1;
  out[0].rank_slots = 1;
  return SITS_OK;
}

sits_status query(sits_session *, std::uint32_t, const sits_case *test_case, sits_support *support, sits_error *error) {
  SITS_GUARD(error, {
    const auto &spec = supported_spec(*test_case);
    support->type_a = support->type_b = support->type_acc = spec.type;
    support->copy_bytes = 2 * spec.bytes;
    support->providers = "memcpy";
  });
}

sits_status prepare(sits_session *session, const sits_prepare *request, sits_workload **workload, sits_error *error) {
  SITS_GUARD(error, {
    const auto &spec = supported_spec(*request->test_case);
    auto copies = std::max<std::uint64_t>(1, (request->rotation_bytes + 2 * spec.bytes - 1) / (2 * spec.bytes));
    if (request->max_copies != 0) copies = std::min<std::uint64_t>(copies, request->max_copies);
    auto made = std::make_unique<sits_workload>();
    made->host = session->host;
    made->type = spec.type;
    made->bytes = spec.bytes;
    const std::uint32_t width = sits::bits_of(spec.type) / 8;
    for (std::uint64_t copy = 0; copy < copies; ++copy) {
      const auto key = sits::tensor_key(request->test_case->seed, copy * SITS_COPY_STRIDE);
      auto &array = made->a.emplace_back(spec.bytes);
      for (std::uint64_t i = 0; i < spec.bytes / width; ++i) {
        const auto bits = sits::generated_bits(spec.type, SITS_FILL_UNIFORM, key, i);
        std::memcpy(array.data() + i * width, &bits, width);  // little-endian
      }
      made->c.emplace_back(spec.bytes);
    }
    *workload = made.release();
  });
}

sits_status tensors(sits_workload *workload, sits_tensor *out, std::uint32_t capacity, std::uint32_t *count,
                    sits_error *) {
  *count = 2;
  for (std::uint32_t i = 0; i < std::min(capacity, 2u); ++i) {
    out[i].name = i == 0 ? "a" : "c";
    out[i].role = i == 0 ? SITS_ROLE_INPUT : SITS_ROLE_OUTPUT;
    out[i].type = workload->type;
    out[i].fill = i == 0 ? SITS_FILL_UNIFORM : SITS_FILL_NONE;
    out[i].count = workload->bytes / (sits::bits_of(workload->type) / 8);
    out[i].stream = i;
    out[i].copies = static_cast<std::uint32_t>(workload->a.size());
  }
  return SITS_OK;
}

sits_status read(sits_workload *workload, std::uint32_t tensor, std::uint32_t copy, std::uint64_t first,
                 std::uint64_t count, void *dst, sits_error *error) {
  SITS_GUARD(error, {
    const std::uint64_t width = sits::bits_of(workload->type) / 8;
    if (tensor > 1 || copy >= workload->a.size() || (first + count) * width > workload->bytes)
      throw Failure(SITS_INVALID_ARGUMENT, "read outside a tensor");
    const auto &from = tensor == 0 ? workload->a[copy] : workload->c[copy];
    std::memcpy(dst, from.data() + first * width, count * width);
  });
}

sits_status run(sits_workload *workload, const sits_run *request, sits_samples *samples, sits_error *error) {
  SITS_GUARD(error, {
    const auto *host = workload->host;
    const bool rotate = (request->flags & SITS_RUN_NO_ROTATE) == 0;
    if ((request->flags & SITS_RUN_POISON_BEFORE) != 0)
      for (auto &output : workload->c) std::memset(output.data(), sits::poison_byte(workload->type), output.size());
    for (std::uint32_t i = 0; i < request->samples; ++i) {
      if (host->should_cancel(host->ctx) != 0) throw Failure(SITS_CANCELLED, "cancelled");
      const auto begin = host->now_ns(host->ctx);
      for (std::uint32_t k = 0; k < request->batch; ++k) workload->iterate(rotate);
      const auto end = host->now_ns(host->ctx);
      samples->device_ns[i] = samples->submit_to_complete_ns[i] = static_cast<double>(end - begin) / request->batch;
    }
    samples->count = request->samples;
    samples->batch = request->batch;
    samples->current_copy = workload->current;
    samples->clock = SITS_CLOCK_HOST;
    samples->resolution_ns = kResolutionNs;
    samples->provider = "memcpy";
  });
}

void release(sits_workload *workload) { delete workload; }

}  // namespace

SITS_EXPORT const sits_backend *sits_backend_entry_v1(std::uint32_t host_major, std::uint32_t host_minor,
                                                      sits_error *error) {
  static sits_backend table = {sizeof(sits_backend),
                               SITS_ABI_MAJOR,
                               SITS_ABI_MINOR,
                               0,
                               describe,
                               open,
                               close,
                               devices,
                               query,
                               prepare,
                               tensors,
                               read,
                               run,
                               release,
                               nullptr,
                               nullptr,
                               nullptr,
                               nullptr};
  if (host_major != SITS_ABI_MAJOR) {
    sits::sdk::write_error(error, "the example backend speaks ABI 1", "", 0);
    return nullptr;
  }
  table.abi_minor = std::min(host_minor, SITS_ABI_MINOR);
  return &table;
}
