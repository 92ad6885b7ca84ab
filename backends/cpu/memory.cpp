// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <string>

#include "backends/cpu/host_facts.h"
#include "backends/sdk/failure.h"

namespace sits::cpu {
namespace {
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kSmallPage = 4096;

std::string mib(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }
}  // namespace

Buffer::Buffer(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  const std::uint64_t available = available_bytes();
  if (bytes > available - available / 20)
    throw sdk::Failure(SITS_OUT_OF_MEMORY,
                       "needs " + mib(bytes) + " of host memory, " + mib(available) + " are available");
  const std::size_t align = bytes >= kHugePage ? kHugePage : kSmallPage;
  mapped_ = (bytes + align - 1) / align * align;
  const std::size_t reserved = align == kHugePage ? mapped_ + kHugePage : mapped_;
  void *raw = mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED) {
    mapped_ = 0;
    throw sdk::Failure(SITS_OUT_OF_MEMORY, "the kernel refused " + mib(bytes) + " of host memory", "mmap");
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(raw);
  const std::uintptr_t aligned = (begin + align - 1) / align * align;
  if (aligned > begin) munmap(raw, aligned - begin);
  if (const std::size_t tail = begin + reserved - (aligned + mapped_); tail > 0)
    munmap(reinterpret_cast<void *>(aligned + mapped_), tail);
  data_ = reinterpret_cast<void *>(aligned);
  if (align == kHugePage) madvise(data_, mapped_, MADV_HUGEPAGE);  // advice: without huge pages it works too
}

Buffer::~Buffer() {
  if (data_ != nullptr) munmap(data_, mapped_);
}

std::uint64_t available_bytes() { return read_available_memory(); }

}  // namespace sits::cpu
