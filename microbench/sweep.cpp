// SPDX-License-Identifier: Apache-2.0
#include "microbench/sweep.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "microbench/checked.h"
#include "microbench/suite.h"
#include "microbench/words.h"

namespace sits::microbench {
namespace {

using Json = nlohmann::ordered_json;
using nlohmann::json;

/// What one key can be; a choice sets one parameter, or several at once (a shape).
using Axis = std::vector<json>;

std::int64_t bound_of(const Json &range, const char *key, const Place &place) {
  const Json &value = range.at(key);
  if (value.is_string()) try {
      return static_cast<std::int64_t>(parse_bytes(value.get<std::string>()));
    } catch (const CaseError &error) {
      (place / key).fail(error.what());
    }
  const bool fits = value.is_number_integer() &&
                    !(value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX});
  if (!fits || value.get<std::int64_t>() < 1) (place / key).fail("give a whole number of at least 1, or a size");
  return value.get<std::int64_t>();
}

void check_range_keys(const Json &range, const Place &place) {
  const std::vector<std::string_view> known = {"from", "to", "factor", "step"};
  for (const auto &[key, value] : range.items())
    if (std::ranges::find(known, key) == known.end()) (place / key).fail(unknown_word("key", key, known));
  for (const char *key : {"from", "to"})
    if (!range.contains(key)) place.fail("a range needs '" + std::string(key) + "'");
  if (range.contains("factor") == range.contains("step")) place.fail("a range needs either 'factor' or 'step'");
}

std::vector<std::int64_t> range_values(const Json &range, const Place &place) {
  check_range_keys(range, place);
  const std::int64_t from = bound_of(range, "from", place), to = bound_of(range, "to", place);
  if (from > to) place.fail("from " + std::to_string(from) + " is beyond to " + std::to_string(to) + ": swap them");
  const bool multiplies = range.contains("factor");
  const std::int64_t by = bound_of(range, multiplies ? "factor" : "step", place);
  if (multiplies && by < 2) (place / "factor").fail("factor is 1: the range would never end, use at least 2");
  std::vector<std::int64_t> values;
  for (std::int64_t value = from; value <= to;) {
    if (values.size() == kMostCases) place.fail("more than 100000 values: use a larger step");
    values.push_back(value);
    const bool overflow =
        multiplies ? __builtin_mul_overflow(value, by, &value) : __builtin_add_overflow(value, by, &value);
    if (overflow) break;
  }
  return values;
}

/// [m, n, k] or "1024^3".
json shape_of(const Json &shape, const Place &place) {
  constexpr std::string_view kCube = "^3";
  if (shape.is_string()) {
    const auto text = shape.get<std::string>();
    if (!text.ends_with(kCube)) place.fail("shape " + shown(text) + ": write [m, n, k] or \"1024^3\"");
    try {
      const std::int64_t edge = parse_whole(std::string_view(text).substr(0, text.size() - kCube.size()), "shape");
      return {{"m", edge}, {"n", edge}, {"k", edge}};
    } catch (const CaseError &error) {
      place.fail(error.what());
    }
  }
  const bool triple = shape.is_array() && shape.size() == 3 &&
                      std::ranges::all_of(shape, [](const Json &extent) { return extent.is_number_integer(); });
  if (!triple) place.fail("write a shape as [m, n, k] or \"1024^3\"");
  return {{"m", json(shape[0])}, {"n", json(shape[1])}, {"k", json(shape[2])}};
}

Axis axis_of(const std::string &key, const Json &value, const Place &place) {
  Axis axis;
  const auto add = [&](const Json &element, const Place &element_place) {
    axis.push_back(key == "shapes" ? shape_of(element, element_place) : json{{key, json(element)}});
  };
  if (key == "shapes" && !value.is_array()) place.fail("give a list of shapes, each [m, n, k] or \"1024^3\"");
  const bool list_is_one_value = key == "group_m" && value.is_array() && !value.empty() && !value.front().is_array();
  if (value.is_object()) {
    for (const std::int64_t element : range_values(value, place)) add(element, place);
  } else if (value.is_array() && !list_is_one_value) {
    for (std::size_t i = 0; i < value.size(); ++i) add(value[i], place / i);
  } else {
    add(value, place);
  }
  if (axis.empty()) place.fail("the list is empty: give at least one value");
  return axis;
}

}  // namespace

std::vector<json> expand_sweep(const Json &entry, const Place &place) {
  if (entry.contains("shapes"))
    for (const char *extent : {"m", "n", "k"})
      if (entry.contains(extent)) (place / extent).fail("stands beside 'shapes': leave one of them out");
  std::vector<json> combinations = {json::object()};
  for (const auto &[key, value] : entry.items()) {
    const Axis axis = axis_of(key, value, place / key);
    if (combinations.size() > kMostCases / axis.size())
      place.fail("makes more than " + std::to_string(kMostCases) + " cases: split it or use fewer values");
    std::vector<json> longer;
    longer.reserve(combinations.size() * axis.size());
    for (const json &combination : combinations)
      for (const json &choice : axis) longer.emplace_back(combination).update(choice);
    combinations = std::move(longer);
  }
  return combinations;
}

}  // namespace sits::microbench
