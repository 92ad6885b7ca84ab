// SPDX-License-Identifier: Apache-2.0
//
// A JSON value together with where it stands, so that every complaint names its JSON pointer. An absent key reads like
// null, which means unknown; a key we do not know is not looked at.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "harness/report/json_text.h"
#include "harness/report/text.h"

namespace sits::report {

class JsonReader {
 public:
  JsonReader(const nlohmann::json &value, std::string pointer) : value_(&value), pointer_(std::move(pointer)) {}

  [[noreturn]] void fail(const std::string &what) const {
    throw JsonError(shorten(one_line((pointer_.empty() ? "/" : pointer_) + ": " + what), 400));
  }

  const std::string &pointer() const { return pointer_; }

  bool is_null() const { return value_->is_null(); }
  const nlohmann::json &json() const { return *value_; }

  /// The member, null when absent. Throws when this is not an object.
  JsonReader member(const char *key) const {
    static const nlohmann::json kNull;
    require(value_->is_object(), "an object");
    const auto found = value_->find(key);
    return {found == value_->end() ? kNull : *found, pointer_to(pointer_, key)};
  }

  std::vector<JsonReader> elements() const {
    std::vector<JsonReader> out;
    if (is_null()) return out;
    require(value_->is_array(), "an array");
    out.reserve(value_->size());
    for (std::size_t i = 0; i < value_->size(); ++i) {
      out.push_back({(*value_)[i], pointer_to(pointer_, std::to_string(i))});
    }
    return out;
  }

  std::map<std::string, JsonReader> members() const {
    std::map<std::string, JsonReader> out;
    if (is_null()) return out;
    require(value_->is_object(), "an object");
    for (const auto &item : value_->items()) {
      out.emplace(item.key(), JsonReader(item.value(), pointer_to(pointer_, item.key())));
    }
    return out;
  }

  /// "" when null.
  std::string text() const { return is_null() ? std::string() : required_text(); }

  std::string required_text() const {
    require(value_->is_string(), "a string");
    return value_->get<std::string>();
  }

  bool boolean() const {
    require(value_->is_boolean(), "true or false");
    return value_->get<bool>();
  }

  double number() const {
    require(value_->is_number(), "a number");
    return value_->get<double>();
  }

  template <class Integer>
  Integer integer() const {
    static_assert(std::is_integral_v<Integer>);
    require(value_->is_number_integer(), "an integer");
    // A negative number does not fit any unsigned type; a large unsigned one fits no signed type.
    if (value_->is_number_unsigned()) {
      const auto wide = value_->get<std::uint64_t>();
      if (wide > static_cast<std::uint64_t>(std::numeric_limits<Integer>::max())) fail_range();
      return static_cast<Integer>(wide);
    }
    const auto wide = value_->get<std::int64_t>();
    if constexpr (std::is_unsigned_v<Integer>) {
      fail_range();
    } else {
      if (wide < static_cast<std::int64_t>(std::numeric_limits<Integer>::min())) fail_range();
      return static_cast<Integer>(wide);
    }
  }

  template <class Integer>
  std::optional<Integer> optional_integer() const {
    return is_null() ? std::nullopt : std::optional(integer<Integer>());
  }

  std::optional<double> optional_number() const { return is_null() ? std::nullopt : std::optional(number()); }

  std::vector<std::string> texts() const {
    std::vector<std::string> out;
    for (const JsonReader &element : elements()) out.push_back(element.required_text());
    return out;
  }

  std::map<std::string, std::string> text_map() const {
    std::map<std::string, std::string> out;
    for (const auto &[key, value] : members()) out.emplace(key, value.required_text());
    return out;
  }

 private:
  void require(bool good, const char *what) const {
    if (!good) fail(std::string("expected ") + what + ", found " + (is_null() ? "nothing" : value_->type_name()));
  }
  [[noreturn]] void fail_range() const { fail(value_->dump() + " is out of range"); }

  const nlohmann::json *value_;
  std::string pointer_;
};

}  // namespace sits::report
