// SPDX-License-Identifier: Apache-2.0
//
// Strict reading of a JSON document written by a person.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace sits::microbench {

/// A file and a place in it, for messages: "quick.json: /cases/3/bytes".
class Place {
 public:
  explicit Place(std::string_view file);
  Place operator/(std::string_view key) const;
  Place operator/(std::size_t index) const;
  /// Throws SuiteError naming the place.
  [[noreturn]] void fail(std::string_view message) const;
  std::string text() const;
  const std::string &pointer() const { return pointer_; }

 private:
  std::string file_, pointer_;
};

/// Parses a whole document, keys in file order. Throws SuiteError: syntax and encoding with line and column, a key
/// given twice, nesting deeper than 32, text beyond 16 MiB.
nlohmann::ordered_json parse_json_text(std::string_view text, const std::string &name);

}  // namespace sits::microbench
