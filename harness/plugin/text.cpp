// SPDX-License-Identifier: Apache-2.0
#include "harness/plugin/text.h"

#include <cstring>

namespace sits::plugin {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

/// Length of the well-formed UTF-8 sequence at the start of `bytes` (Unicode 15, table 3-7); 0 when there is none.
std::size_t sequence_length(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  std::size_t length = 0;
  unsigned low = 0x80, high = 0xbf;  // of the second byte
  if (first >= 0xc2 && first <= 0xdf) {
    length = 2;
  } else if (first >= 0xe0 && first <= 0xef) {
    length = 3;
    if (first == 0xe0) low = 0xa0;
    if (first == 0xed) high = 0x9f;
  } else if (first >= 0xf0 && first <= 0xf4) {
    length = 4;
    if (first == 0xf0) low = 0x90;
    if (first == 0xf4) high = 0x8f;
  } else {
    return 0;
  }
  if (bytes.size() < length || byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
  return length;
}

}  // namespace

std::string sanitized(std::string_view bytes, std::size_t limit) {
  std::string out;
  while (!bytes.empty()) {
    const std::size_t length = sequence_length(bytes);
    const std::string_view piece = length == 0 ? kReplacement : bytes.substr(0, length);
    if (out.size() + piece.size() > limit) break;
    out += piece;
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string text_of(const char *text) {
  if (text == nullptr) return {};
  return sanitized({text, strnlen(text, kMaxText)});
}

}  // namespace sits::plugin
