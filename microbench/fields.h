// SPDX-License-Identifier: Apache-2.0
//
// The parameters of a spec by name. Each operation lists its fields once; the listing both writes and reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "microbench/words.h"

namespace sits::microbench {

enum class Presence { required, optional };

/// Either a writer, which takes the values, or a reader, which sets those that are given and leaves the others.
class Fields {
 public:
  virtual ~Fields() = default;
  virtual void word(std::string_view name, std::uint32_t &value, Words words, Presence presence) = 0;
  virtual void integer(std::string_view name, std::int64_t &value, Presence presence) = 0;
  /// A size: a number of bytes, or text such as "64mib".
  virtual void bytes(std::string_view name, std::uint64_t &value) = 0;
  virtual void flag(std::string_view name, bool &value) = 0;
  /// A list of numbers, written only when it is not empty.
  virtual void list(std::string_view name, std::vector<std::int64_t> &values) = 0;
  /// A text the operation parses itself; what was given, when reading.
  virtual std::optional<std::string> text(std::string_view name, const std::string &value, Presence presence) = 0;
};

}  // namespace sits::microbench
