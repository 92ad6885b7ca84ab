// SPDX-License-Identifier: Apache-2.0
//
// JSON text, strict both ways: what we write any strict parser reads, and what we read is bounded.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sits::report {

/// Text that is not the JSON we accept. The message names line and column (syntax) or a JSON pointer (content).
struct JsonError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct JsonLimits {
  std::size_t max_bytes = std::size_t{256} << 20U;
  std::size_t max_depth = 64;
};

/// Parses one document. Refused with JsonError: syntax errors, ill-formed UTF-8, NaN and Infinity tokens, numbers out
/// of a double's range, a key twice in one object, more bytes or deeper nesting than `limits`.
nlohmann::json parse_json(std::string_view text, const JsonLimits &limits = {});

/// The document as text, keys in their order, two spaces of indentation and a final newline; `compact`: one line,
/// neither. Doubles are the shortest that read back the same; ill-formed UTF-8 becomes U+FFFD. Throws JsonError naming
/// the JSON pointer of a number that is NaN or infinite.
std::string json_text(const nlohmann::ordered_json &document, bool compact = false);

/// `pointer` extended by one reference token, escaped as RFC 6901 asks.
std::string pointer_to(const std::string &pointer, std::string_view token);

}  // namespace sits::report
