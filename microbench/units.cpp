// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "microbench/suite.h"
#include "microbench/words.h"

namespace sits::microbench {
namespace {

struct Unit {
  std::string_view name;
  double scale;
};

/// A decimal number without sign or exponent, and what follows it.
struct Quantity {
  std::string_view whole, fraction, unit;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<Quantity> split_quantity(std::string_view text) {
  const auto digits_at = [&](std::size_t from) {
    std::size_t end = from;
    while (end < text.size() && is_digit(text[end])) ++end;
    return text.substr(from, end - from);
  };
  Quantity quantity;
  quantity.whole = digits_at(0);
  if (quantity.whole.empty()) return std::nullopt;
  std::size_t at = quantity.whole.size();
  if (at < text.size() && text[at] == '.') {
    quantity.fraction = digits_at(at + 1);
    if (quantity.fraction.empty()) return std::nullopt;
    at += 1 + quantity.fraction.size();
  }
  quantity.unit = text.substr(at);
  return quantity;
}

/// The power of two that a size's unit stands for: k, kb and kib are 10; nothing for an unknown unit.
std::optional<unsigned> shift_of(std::string_view unit) {
  constexpr std::string_view kPrefixes = "kmgtp";
  std::string lower(unit);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (lower.empty() || lower == "b") return 0;
  const std::size_t prefix = kPrefixes.find(lower.front());
  const std::string_view rest = std::string_view(lower).substr(1);
  if (prefix == std::string_view::npos || (rest != "" && rest != "b" && rest != "ib")) return std::nullopt;
  return static_cast<unsigned>(10 * (prefix + 1));
}

[[noreturn]] void refuse_size(std::string_view text, std::string_view why) {
  throw CaseError("size " + shown(text) + " " + std::string(why) +
                  ": write whole bytes, or a number with k, m, g or t "
                  "(powers of 1024), such as 64mib");
}

}  // namespace

std::uint64_t parse_bytes(std::string_view text) {
  const auto quantity = split_quantity(text);
  if (!quantity) refuse_size(text, "is not a size");
  const auto shift = shift_of(quantity->unit);
  if (!shift) refuse_size(text, "has an unknown unit");
  constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
  constexpr std::uint64_t kMostDecimals = 10'000;
  std::uint64_t whole = 0;
  const std::string_view digits = quantity->whole;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), whole).ec != std::errc{} ||
      whole > kLargest >> *shift)
    refuse_size(text, "is beyond 2^63 - 1 bytes");
  // the fraction in exact arithmetic, so that 1.5k passes and 1.3k is refused
  const std::uint64_t bytes = whole << *shift;
  std::uint64_t numerator = 0, denominator = 1;
  for (const char digit : quantity->fraction) {
    if (denominator == kMostDecimals) refuse_size(text, "has more than four decimals");
    numerator = numerator * 10 + static_cast<std::uint64_t>(digit - '0');
    denominator *= 10;
  }
  const std::uint64_t scaled = numerator << *shift;  // below 10^4 * 2^50, which is below 2^64
  if (scaled % denominator != 0) refuse_size(text, "is not a whole number of bytes");
  const std::uint64_t part = scaled / denominator;
  if (part > kLargest - bytes) refuse_size(text, "is beyond 2^63 - 1 bytes");
  return bytes + part;
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"b", "kib", "mib", "gib", "tib"};
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes) + std::string(kUnits[unit]);
}

double parse_duration(std::string_view text) {
  constexpr std::array<Unit, 6> kUnits = {Unit{"ns", 1},  Unit{"us", 1e3}, Unit{"ms", 1e6},
                                          Unit{"s", 1e9}, Unit{"m", 60e9}, Unit{"h", 3600e9}};
  constexpr std::string_view kRemedy = ": write a number with ns, us, ms, s, m or h, such as 500ms";
  const auto quantity = split_quantity(text);
  if (!quantity) throw CaseError("duration " + shown(text) + " is not a duration" + std::string(kRemedy));
  const auto unit = std::ranges::find(kUnits, quantity->unit, &Unit::name);
  if (unit == kUnits.end()) throw CaseError("duration " + shown(text) + " has no known unit" + std::string(kRemedy));
  double value = 0;
  const char *end = quantity->unit.data();
  if (std::from_chars(text.data(), end, value).ec != std::errc{} || value * unit->scale > 1e18)
    throw CaseError("duration " + shown(text) + " is beyond 30 years" + std::string(kRemedy));
  return value * unit->scale;
}

}  // namespace sits::microbench
