// SPDX-License-Identifier: Apache-2.0
//
// Text that comes from a plugin or a driver is not to be trusted: it may be NULL, endless or no UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sits::plugin {

inline constexpr std::size_t kMaxText = 4096;

/// `bytes` as valid UTF-8: each byte that belongs to no well-formed sequence becomes U+FFFD; cut at a character
/// boundary to at most `limit` bytes.
std::string sanitized(std::string_view bytes, std::size_t limit = kMaxText);

/// A C string of a plugin, read to at most kMaxText bytes and sanitised; "" for NULL.
std::string text_of(const char *text);

}  // namespace sits::plugin
