// SPDX-License-Identifier: Apache-2.0
//
// Structs that carry their own size (backend.h, rule 1): reading one whose writer knew fewer fields, filling one whose
// owner knows fewer or more, and walking arrays strided by the struct_size of element 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "backends/sdk/failure.h"

namespace sits::sdk {

/// A copy of the caller's struct, missing tail zero. Throws SITS_INVALID_ARGUMENT when the pointer is null or the size
/// is below `first_size`, the size of the struct's first version.
template <typename T>
T read_sized(const void *from, const char *what, std::size_t first_size = sizeof(std::uint32_t)) {
  static_assert(std::is_trivially_copyable_v<T> && std::is_standard_layout_v<T>);
  if (from == nullptr) throw Failure(SITS_INVALID_ARGUMENT, std::string(what) + " is null");
  std::uint32_t size = 0;
  std::memcpy(&size, from, sizeof size);
  if (size < first_size)
    throw Failure(SITS_INVALID_ARGUMENT, std::string(what) + ".struct_size is " + std::to_string(size) +
                                             ", expected at least " + std::to_string(first_size));
  T value{};
  std::memcpy(static_cast<void *>(&value), from, std::min<std::size_t>(size, sizeof(T)));
  return value;
}

/// Writes `value` into the caller's struct within its struct_size, which stays as the caller set it; bytes beyond what
/// this side knows are zeroed. Throws SITS_INVALID_ARGUMENT when the pointer is null or the size is below `first_size`.
template <typename T>
void fill_sized(T *out, const T &value, const char *what, std::size_t first_size = sizeof(std::uint32_t)) {
  static_assert(std::is_trivially_copyable_v<T> && std::is_standard_layout_v<T>);
  if (out == nullptr) throw Failure(SITS_INVALID_ARGUMENT, std::string(what) + " is null");
  const std::size_t size = out->struct_size;
  if (size < first_size)
    throw Failure(SITS_INVALID_ARGUMENT, std::string(what) + ".struct_size is " + std::to_string(size) +
                                             ", expected at least " + std::to_string(first_size));
  constexpr std::size_t kHeader = sizeof(std::uint32_t);
  const std::size_t known = std::min(size, sizeof(T));
  auto *bytes = reinterpret_cast<std::byte *>(out);
  std::memcpy(bytes + kHeader, reinterpret_cast<const std::byte *>(&value) + kHeader, known - kHeader);
  if (size > known) std::memset(bytes + known, 0, size - known);
}

/// Element `index` of an array strided by the struct_size of its element 0.
template <typename T>
T *element_at(T *array, std::size_t index) {
  using Byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
  return reinterpret_cast<T *>(reinterpret_cast<Byte *>(array) + index * array->struct_size);
}

/// The two-call idiom: *count becomes `available`; the first min(capacity, available) elements are filled by
/// make(index). Each element's struct_size must be set, as that of element 0.
template <typename T, typename Make>
void fill_array(T *out, std::uint32_t capacity, std::uint32_t *count, std::uint32_t available, const char *what,
                Make &&make) {
  if (count == nullptr) throw Failure(SITS_INVALID_ARGUMENT, std::string(what) + ": count is null");
  *count = available;
  if (capacity == 0) return;
  if (out == nullptr) throw Failure(SITS_INVALID_ARGUMENT, std::string(what) + " is null but capacity is not 0");
  const std::uint32_t stride = out->struct_size;
  for (std::uint32_t i = 0; i < std::min(capacity, available); ++i) {
    T *element = element_at(out, i);
    element->struct_size = stride;
    fill_sized(element, make(i), what);
  }
}

}  // namespace sits::sdk
