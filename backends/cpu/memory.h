// SPDX-License-Identifier: Apache-2.0
//
// Memory for operands: allocated once on huge pages where the system allows, 64-byte aligned, zero-filled by the
// kernel, first touched by the thread that uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace sits::cpu {

class Buffer {
 public:
  Buffer() = default;
  /// Anonymous mapping, aligned to 2 MiB from 2 MiB on, MADV_HUGEPAGE. Throws sdk::Failure{SITS_OUT_OF_MEMORY} when the
  /// kernel refuses or when `bytes` exceeds what is available (MemAvailable and the cgroup limit, less 5 %): Linux
  /// would promise the memory and kill the process on touch.
  explicit Buffer(std::size_t bytes);
  ~Buffer();
  Buffer(Buffer &&other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        mapped_(std::exchange(other.mapped_, 0)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  Buffer &operator=(Buffer &&other) noexcept {
    std::swap(data_, other.data_);
    std::swap(mapped_, other.mapped_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  void *data() { return data_; }
  const void *data() const { return data_; }
  template <typename T>
  T *as() {
    return static_cast<T *>(data_);
  }
  template <typename T>
  const T *as() const {
    return static_cast<const T *>(data_);
  }
  std::size_t bytes() const { return bytes_; }

 private:
  void *data_ = nullptr;
  std::size_t mapped_ = 0;
  std::size_t bytes_ = 0;
};

/// Bytes this process can still have: min(MemAvailable, cgroup limit - usage).
std::uint64_t available_bytes();

}  // namespace sits::cpu
