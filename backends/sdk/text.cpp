// SPDX-License-Identifier: Apache-2.0
#include "backends/sdk/text.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

namespace sits::sdk {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; }

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::size_t utf8_prefix(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text.size();
  std::size_t end = limit;
  while (end > 0 && is_continuation(text[end])) --end;
  return end;
}

void copy_text(char *out, std::size_t capacity, std::string_view text) {
  const std::size_t length = utf8_prefix(text, capacity - 1);
  std::memcpy(out, text.data(), length);
  out[length] = '\0';
}

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t best_distance = name.size() / 2 + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string unknown_name(std::string_view what, std::string_view name, std::span<const std::string_view> candidates) {
  std::string text = "unknown ";
  text.append(what).append(" '").append(name).append("'");
  if (const std::string_view near = nearest_name(name, candidates); !near.empty())
    return text.append("; did you mean '").append(near).append("'?");
  text.append("; known:");
  for (const std::string_view candidate : candidates) text.append(" ").append(candidate);
  return text;
}

}  // namespace sits::sdk
