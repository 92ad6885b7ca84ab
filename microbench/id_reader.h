// SPDX-License-Identifier: Apache-2.0
//
// Reads the parts of a canonical id from left to right.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sits::microbench {

class IdReader {
 public:
  /// Throws CaseError on an empty part, or on text longer than 4096 bytes.
  explicit IdReader(std::string_view id);

  /// The next part, which must be there; `what` names it for the message, e.g. "shape".
  std::string_view next(std::string_view what);
  /// Takes the next part when it is this word.
  bool option(std::string_view word);
  /// Takes the next part when it is `prefix` and more; returns what follows the prefix.
  std::optional<std::string_view> prefixed(std::string_view prefix);
  /// Takes the next part when it is `prefix` and a digit; returns the number.
  std::optional<std::int64_t> numbered(std::string_view prefix);
  /// Parts not yet taken.
  std::size_t left() const { return parts_.size() - at_; }

 private:
  std::vector<std::string_view> parts_;
  std::size_t at_ = 0;
};

/// "m16n14336k4096" with names m, n, k -> 16, 14336, 4096. Throws CaseError.
std::vector<std::int64_t> parse_shape(std::string_view text, std::initializer_list<std::string_view> names);

/// Text split at every `separator`; never empty.
std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace sits::microbench
