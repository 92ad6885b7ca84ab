// SPDX-License-Identifier: Apache-2.0
//
// Reading what a plugin hands over: strides by struct_size, bounded counts, statuses turned into exceptions.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "harness/plugin/backend.h"
#include "harness/plugin/text.h"

namespace sits::plugin {

/// More elements than this in any array of a plugin is a broken plugin, not a big machine.
inline constexpr std::uint32_t kMaxElements = 4096;

[[noreturn]] inline void throw_broken(const std::string &message) { throw BackendError(SITS_INTERNAL, message, {}, 0); }

/// A struct of the contract, zeroed, with its size stamped.
template <typename T>
T stamped() {
  T value{};
  value.struct_size = sizeof(T);
  return value;
}

/// Copies an array that the plugin allocated: strided by the struct_size of element 0, a missing tail reads as zero.
template <typename T>
std::vector<T> copied(const T *first, std::uint32_t count, const char *what) {
  if (count == 0 || first == nullptr) return {};
  if (count > kMaxElements)
    throw_broken(fmt::format("the plugin lists {} {}, at most {} make sense", count, what, kMaxElements));
  const std::size_t stride = first->struct_size;
  constexpr std::size_t kLargest = 65536;
  if (stride < sizeof(std::uint32_t) || stride > kLargest || stride % alignof(T) != 0)
    throw_broken(fmt::format("the plugin's list of {} says struct_size {}", what, stride));
  std::vector<T> out(count);
  for (std::uint32_t i = 0; i < count; ++i)
    std::memcpy(&out[i], reinterpret_cast<const char *>(first) + i * stride, std::min(stride, sizeof(T)));
  return out;
}

inline KeyValues key_values(const sits_key_value *first, std::uint32_t count, const char *what) {
  KeyValues out;
  for (const sits_key_value &item : copied(first, count, what))
    out.emplace_back(text_of(item.key), text_of(item.value));
  return out;
}

/// Throws BackendError unless `status` is SITS_OK; a status this host does not know counts as SITS_INTERNAL.
void check(sits_status status, sits_error &error, const char *call);

/// Calls `function(arguments…, &error)` and checks its status.
template <typename Function, typename... Arguments>
void invoke(const char *name, Function function, Arguments... arguments) {
  sits_error error = stamped<sits_error>();
  check(function(arguments..., &error), error, name);
}

/// Whether the optional call at `offset` of the table is there: inside the plugin's struct_size and not NULL.
template <typename Function>
bool present(const sits_backend &table, std::size_t offset, Function sits_backend::*call) {
  return table.struct_size >= offset + sizeof(Function) && table.*call != nullptr;
}

}  // namespace sits::plugin
