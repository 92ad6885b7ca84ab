// SPDX-License-Identifier: Apache-2.0
#include "harness/report/text.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace sits::report {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

struct CodePoint {
  char32_t value = kReplacement;
  std::size_t bytes = 1;
  bool valid = false;
};

bool continuation(unsigned char byte) { return (byte & 0xC0U) == 0x80U; }

/// First code point of non-empty `text`; an ill-formed one spans the bytes that one U+FFFD stands for.
CodePoint decode(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = at(0);
  if (lead < 0x80U) return {lead, 1, true};
  const std::size_t length = lead >= 0xF0U ? 4 : lead >= 0xE0U ? 3 : 2;
  if (lead < 0xC2U || lead > 0xF4U) return {};
  // Bounds of the second byte: no overlong forms, no surrogates, nothing above U+10FFFF.
  const unsigned char low = lead == 0xE0U ? 0xA0U : lead == 0xF0U ? 0x90U : 0x80U;
  const unsigned char high = lead == 0xEDU ? 0x9FU : lead == 0xF4U ? 0x8FU : 0xBFU;
  char32_t value = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const bool good = i < text.size() && continuation(at(i)) && (i > 1 || (at(1) >= low && at(1) <= high));
    if (!good) return {kReplacement, i, false};
    value = (value << 6U) | (at(i) & 0x3FU);
  }
  return {value, length, true};
}

struct Range {
  char32_t first, last;
};

template <std::size_t N>
bool within(const std::array<Range, N> &ranges, char32_t c) {
  return std::any_of(ranges.begin(), ranges.end(), [c](const Range &r) { return c >= r.first && c <= r.last; });
}

// Blocks, not single characters: a column may be one space too wide for a rare script, never a broken document.
constexpr std::array<Range, 9> kZeroWidth{{{0x0300, 0x036F},
                                           {0x0483, 0x0489},
                                           {0x0591, 0x05BD},
                                           {0x064B, 0x065F},
                                           {0x1AB0, 0x1AFF},
                                           {0x200B, 0x200F},
                                           {0x20D0, 0x20FF},
                                           {0xFE00, 0xFE0F},
                                           {0xFE20, 0xFE2F}}};
constexpr std::array<Range, 10> kWide{{{0x1100, 0x115F},
                                       {0x2E80, 0x303E},
                                       {0x3041, 0xA4CF},
                                       {0xAC00, 0xD7A3},
                                       {0xF900, 0xFAFF},
                                       {0xFE30, 0xFE6F},
                                       {0xFF00, 0xFF60},
                                       {0xFFE0, 0xFFE6},
                                       {0x1F300, 0x1FAFF},
                                       {0x20000, 0x3FFFD}}};
constexpr std::array<Range, 5> kControl{
    {{0x00, 0x1F}, {0x7F, 0x9F}, {0x2028, 0x2029}, {0x202A, 0x202E}, {0x2066, 0x2069}}};

std::size_t width_of(char32_t c) {
  if (within(kZeroWidth, c)) return 0;
  return within(kWide, c) ? 2 : 1;
}

std::string escape(char32_t c) {
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  if (c == '\r') return "\\r";
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = c > 0xFF ? "\\u" : "\\x";
  for (int shift = c > 0xFF ? 12 : 4; shift >= 0; shift -= 4) {
    out += kHex[(static_cast<std::uint32_t>(c) >> static_cast<unsigned>(shift)) & 0xFU];
  }
  return out;
}

}  // namespace

std::string clean_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = decode(text);
    if (c.valid) {
      out.append(text.substr(0, c.bytes));
    } else {
      out += "\xEF\xBF\xBD";
    }
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::string one_line(std::string_view text) {
  const std::string clean = clean_utf8(text);
  std::string out;
  out.reserve(clean.size());
  std::string_view rest = clean;
  while (!rest.empty()) {
    const CodePoint c = decode(rest);
    if (within(kControl, c.value)) {
      out += escape(c.value);
    } else {
      out.append(rest.substr(0, c.bytes));
    }
    rest.remove_prefix(c.bytes);
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const CodePoint c = decode(text);
    width += width_of(c.value);
    text.remove_prefix(c.bytes);
  }
  return width;
}

std::string shorten(std::string_view text, std::size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  std::size_t width = 0;
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const CodePoint c = decode(text.substr(bytes));
    if (width + width_of(c.value) > columns - 1) break;
    width += width_of(c.value);
    bytes += c.bytes;
  }
  return std::string(text.substr(0, bytes)) + "…";
}

std::string pad(std::string_view text, std::size_t columns, bool right) {
  const std::size_t width = display_width(text);
  const std::string fill(columns > width ? columns - width : 0, ' ');
  return right ? fill + std::string(text) : std::string(text) + fill;
}

}  // namespace sits::report
