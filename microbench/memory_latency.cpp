// SPDX-License-Identifier: Apache-2.0
#include "microbench/memory_latency.h"

#include "microbench/checked.h"
#include "microbench/suite.h"

namespace sits::microbench {
namespace {

constexpr std::uint64_t kLineBytes = 64;
constexpr std::uint64_t kMostBytes = kLineBytes << 31;  // a line's number is an i32
constexpr std::array kKinds = {Word{"chase", 0}};

}  // namespace

void MemoryLatencyOperation::validate(const MemoryLatencySpec &s) {
  require_size("working set", s.bytes, kLineBytes);
  if (s.bytes < 2 * kLineBytes || s.bytes > kMostBytes)
    throw CaseError("bytes of the working set is " + std::to_string(s.bytes) + ": use 128 bytes to 128gib");
}

std::string MemoryLatencyOperation::id_parts(const MemoryLatencySpec &s) { return "chase/" + format_bytes(s.bytes); }

MemoryLatencySpec MemoryLatencyOperation::read_id(IdReader &id) {
  word_value(kKinds, id.next("kind"), "memory_latency kind");
  return {.bytes = parse_bytes(id.next("size"))};
}

void MemoryLatencyOperation::list_fields(Fields &fields, MemoryLatencySpec &s) {
  std::uint32_t chase = 0;
  fields.word("variant", chase, kKinds, Presence::optional);
  fields.bytes("bytes", s.bytes);
}

/// One iteration is one step: a line read.
WorkModel MemoryLatencyOperation::work_model(const MemoryLatencySpec &s, double) {
  WorkModel work;
  work.bytes_read = kLineBytes;
  work.footprint_bytes = static_cast<double>(s.bytes);
  return work;
}

std::uint32_t MemoryLatencyOperation::roof_type(const MemoryLatencySpec &) { return SITS_DTYPE_NONE; }

std::shared_ptr<const void> MemoryLatencyOperation::abi_spec(const MemoryLatencySpec &s) {
  auto spec = make_abi_spec<sits_memory_latency_spec>();
  spec->bytes = s.bytes;
  return spec;
}

}  // namespace sits::microbench
