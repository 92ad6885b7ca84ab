// SPDX-License-Identifier: Apache-2.0
#include "microbench/words.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "microbench/case.h"
#include "microbench/suite.h"

namespace sits::microbench {
namespace {

constexpr std::array kTypes = {
    Word{"f64", SITS_F64},   Word{"f32", SITS_F32}, Word{"tf32", SITS_TF32},      Word{"f16", SITS_F16},
    Word{"bf16", SITS_BF16}, Word{"f8", SITS_F8},   Word{"f8e5m2", SITS_F8_E5M2}, Word{"i8", SITS_I8},
    Word{"i4", SITS_I4},     Word{"i32", SITS_I32}, Word{"f4", SITS_F4_E2M1},     Word{"e8m0", SITS_E8M0},
    Word{"u8", SITS_U8},
};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Edits (insert, delete, replace, swap neighbours) that turn one word into the other, letters' case ignored.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  std::iota(previous.begin(), previous.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (same ? 0u : 1u)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

/// Bytes of the valid UTF-8 sequence that `text` begins with, 0 when it begins with none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xc2 && first < 0xe0   ? 2
                             : (first & 0xf0) == 0xe0        ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool outside = (first == 0xed && byte(1) >= 0xa0) || (first == 0xf4 && byte(1) >= 0x90);
  return overlong || outside ? 0 : length;
}

std::vector<std::string_view> names_of(Words words) {
  std::vector<std::string_view> names;
  for (const Word &word : words) names.push_back(word.name);
  return names;
}

}  // namespace

Words type_words() { return kTypes; }

std::uint32_t word_value(Words words, std::string_view name, std::string_view what) {
  const auto found = std::ranges::find(words, name, &Word::name);
  if (found == words.end()) throw CaseError(unknown_word(what, name, names_of(words)));
  return found->value;
}

std::string_view word_name(Words words, std::uint32_t value, std::string_view what) {
  const auto found = std::ranges::find(words, value, &Word::value);
  if (found == words.end())
    throw CaseError(std::string(what) + " has no value " + std::to_string(value) + ": use one of sits/backend.h");
  return found->name;
}

std::string unknown_word(std::string_view what, std::string_view word, std::span<const std::string_view> known) {
  std::string text = "unknown " + std::string(what) + " " + shown(word);
  const std::string best = nearest(word, {known.begin(), known.end()});
  if (!best.empty()) text += ": did you mean '" + best + "'?";
  text += best.empty() ? ": known are " : " Known are ";
  for (std::size_t i = 0; i < known.size(); ++i) text += (i == 0 ? "" : ", ") + std::string(known[i]);
  return text;
}

std::string printable(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const std::size_t length = utf8_length(text.substr(at));
    if (length == 0 || byte < 0x20 || byte == 0x7f) {
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
      ++at;
    } else {
      out += text.substr(at, length);
      at += length;
    }
  }
  return out;
}

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  if (text.size() <= kLongest) return "'" + printable(text) + "'";
  std::size_t end = kLongest;
  while (end > kLongest - 4 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not inside a letter
  return "'" + printable(text.substr(0, end)) + "…'";
}

std::string nearest(std::string_view word, const std::vector<std::string> &candidates) {
  constexpr std::size_t kLongest = 64;
  if (word.empty() || word.size() > kLongest) return "";
  std::string best;
  std::size_t least = (word.size() + 2) / 3 + 1;
  for (const std::string &candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

}  // namespace sits::microbench
