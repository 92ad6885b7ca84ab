// SPDX-License-Identifier: Apache-2.0
#include "harness/report/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace sits::report {
namespace {

std::string fixed(double value, int decimals) {
  std::array<char, 400> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, decimals);
  return {buffer.data(), end.ptr};
}

/// `digits` significant digits of a number of at least one, never fewer digits than its whole part.
std::string significant(double value, int digits) {
  int decimals = digits - 1;
  for (double bound = 10; std::abs(value) >= bound - 0.5 * std::pow(10.0, -decimals) && decimals > 0; bound *= 10) {
    --decimals;
  }
  return fixed(value, decimals);
}

struct Scale {
  double factor;
  std::string_view name;
};

/// The largest scale whose rounded figure is at least one.
template <std::size_t N>
std::string scaled(double value, const std::array<Scale, N> &scales, int digits, std::string_view unit) {
  const Scale *chosen = &scales.front();
  for (const Scale &scale : scales) {
    if (std::abs(value) >= scale.factor * 0.99995) chosen = &scale;
  }
  return significant(value / chosen->factor, digits) + " " + std::string(chosen->name) + std::string(unit);
}

}  // namespace

std::string exact_number(double value) {
  std::array<char, 400> buffer;
  const double magnitude = std::abs(value);
  const bool plain = value == 0 || (magnitude >= 1e-5 && magnitude < 1e16);
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 plain ? std::chars_format::fixed : std::chars_format::scientific);
  std::string text(buffer.data(), end.ptr);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string time_text(double ns) {
  static constexpr std::array<Scale, 4> kScales{{{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}}};
  return scaled(ns, kScales, 4, "");
}

std::string rate_text(double per_second, const std::string &unit) {
  static constexpr std::array<Scale, 6> kScales{
      {{1, ""}, {1e3, "K"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}, {1e15, "P"}}};
  return scaled(per_second, kScales, 4, unit);
}

std::string bytes_text(double bytes) {
  static constexpr std::array<Scale, 5> kScales{
      {{1, "B"}, {0x1p10, "KiB"}, {0x1p20, "MiB"}, {0x1p30, "GiB"}, {0x1p40, "TiB"}}};
  return scaled(bytes, kScales, 3, "");
}

std::string percent_text(double fraction) { return fixed(fraction * 100, 1) + " %"; }

std::string ratio_text(double ratio) {
  if (std::abs(ratio) >= 1 || ratio == 0) return significant(ratio, 3);
  const int leading_zeros = static_cast<int>(std::floor(-std::log10(std::abs(ratio))));
  return fixed(ratio, std::min(2 + leading_zeros + 1, 12));
}

}  // namespace sits::report
