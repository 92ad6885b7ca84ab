// SPDX-License-Identifier: Apache-2.0
#include "microbench/checked.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <vector>

#include "microbench/case.h"
#include "sits/dtype.h"

namespace sits::microbench {
namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();

std::string joined(const std::vector<std::uint64_t> &factors) {
  std::string text;
  for (const std::uint64_t factor : factors) text += (text.empty() ? "" : " x ") + std::to_string(factor);
  return text;
}

std::uint64_t product_of(std::string_view what, const std::vector<std::uint64_t> &factors) {
  std::uint64_t product = 1;
  for (const std::uint64_t factor : factors)
    if (__builtin_mul_overflow(product, factor, &product) || product > kLargest)
      throw CaseError(std::string(what) + " of " + joined(factors) + " bytes is beyond 2^63 - 1: choose smaller sizes");
  return product;
}

}  // namespace

void require_positive(std::string_view name, std::int64_t value) {
  if (value >= 1) return;
  throw CaseError(std::string(name) + (value == 0 ? " is missing or 0" : " is " + std::to_string(value)) +
                  ": give a whole number of at least 1");
}

void require_type(std::string_view what, std::uint32_t type, std::initializer_list<std::uint32_t> allowed) {
  if (std::ranges::find(allowed, type) != allowed.end()) return;
  std::string text;
  for (const std::uint32_t candidate : allowed)
    text += (text.empty() ? "" : ", ") + std::string(word_name(type_words(), candidate, "type"));
  const bool encoding =
      type == SITS_F8_E4M3 || type == SITS_F8_E4M3_FNUZ || type == SITS_F8_E4M3_GAUDI2 || type == SITS_F8_E5M2_FNUZ;
  throw CaseError(std::string(what) + " cannot be " +
                  (encoding ? "a fixed f8 encoding (the device chooses it)" : std::string(dtype_name(type))) +
                  ": use one of " + text);
}

void require_size(std::string_view what, std::uint64_t bytes, std::uint64_t unit) {
  if (bytes == 0) throw CaseError("bytes of the " + std::string(what) + " is missing or 0: give a size such as 64mib");
  if (bytes > kLargest)
    throw CaseError("bytes of the " + std::string(what) + " is " + std::to_string(bytes) + ": at most 2^63 - 1");
  if (bytes % unit != 0)
    throw CaseError("bytes of the " + std::string(what) + " is " + std::to_string(bytes) + ": must be a multiple of " +
                    std::to_string(unit));
}

std::uint64_t checked_product(std::string_view what, std::initializer_list<std::uint64_t> factors) {
  return product_of(what, factors);
}

std::uint64_t tensor_bytes(std::string_view what, std::uint32_t type, std::initializer_list<std::int64_t> extents) {
  std::vector<std::uint64_t> factors;
  for (const std::int64_t extent : extents) factors.push_back(static_cast<std::uint64_t>(extent));
  const std::uint32_t bits = bits_of(type);
  if (bits < 8) {
    const std::uint64_t elements = product_of(what, factors);
    return elements / 8 * bits + (elements % 8 * bits + 7) / 8;
  }
  factors.push_back(bits / 8);
  return product_of(what, factors);
}

std::uint64_t element_bytes(std::uint32_t type) { return bits_of(type) / 8; }

std::int64_t parse_whole(std::string_view digits, std::string_view what) {
  std::int64_t value = 0;
  const bool only_digits = !digits.empty() && std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  if (!only_digits)
    throw CaseError(std::string(what) + " " + shown(digits) + " is not a whole number: use digits only");
  if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc{})
    throw CaseError(std::string(what) + " " + shown(digits) + " is beyond 2^63 - 1: choose a smaller one");
  return value;
}

}  // namespace sits::microbench
