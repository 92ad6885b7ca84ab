// SPDX-License-Identifier: Apache-2.0
//
// Text that crosses the contract: UTF-8 that is never cut inside a character, and the nearest known name for messages.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace sits::sdk {

/// Length of the longest prefix of `text` of at most `limit` bytes that does not end inside a UTF-8 sequence.
std::size_t utf8_prefix(std::string_view text, std::size_t limit);

/// Copies as much of `text` as fits into `capacity` bytes, cut at a character, always NUL-terminated (capacity > 0).
void copy_text(char *out, std::size_t capacity, std::string_view text);

/// The candidate with the smallest edit distance to `name`, or "" when none is closer than half of its length.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates);

/// "unknown option 'thread'; did you mean 'threads'?" or, when nothing is near, the list of what there is.
std::string unknown_name(std::string_view what, std::string_view name, std::span<const std::string_view> candidates);

}  // namespace sits::sdk
