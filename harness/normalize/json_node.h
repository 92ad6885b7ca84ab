// SPDX-License-Identifier: Apache-2.0
//
// A JSON value together with its pointer, so that every complaint about a baseline names the place and the value.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "harness/normalize/baseline.h"

namespace sits::normalize {

class JsonNode {
 public:
  JsonNode(const nlohmann::json &value, std::string pointer) : value_(&value), pointer_(std::move(pointer)) {}

  [[noreturn]] void fail(const std::string &what) const {
    throw BaselineError((pointer_.empty() ? "/" : pointer_) + ": " + what);
  }

  bool has(const char *key) const { return value_->is_object() && value_->contains(key); }

  JsonNode operator[](const char *key) const {
    if (!value_->is_object()) fail("is " + shown() + ", must be an object");
    const auto found = value_->find(key);
    if (found == value_->end()) fail("has no " + std::string(key));
    return {*found, pointer_ + "/" + key};
  }

  std::string text() const {
    if (!value_->is_string()) fail("is " + shown() + ", must be text");
    return value_->get<std::string>();
  }
  std::string text_or_empty(const char *key) const { return has(key) ? (*this)[key].text() : std::string(); }

  double positive() const {
    if (!value_->is_number()) fail("is " + shown() + ", must be a number above 0");
    const double number = value_->get<double>();
    if (!std::isfinite(number) || number <= 0) fail("is " + shown() + ", must be a number above 0");
    return number;
  }
  /// Above 0 and at most 1.
  double share() const {
    const double number = positive();
    if (number > 1) fail("is " + shown() + ", must be above 0 and at most 1");
    return number;
  }
  double finite() const {
    if (!value_->is_number() || !std::isfinite(value_->get<double>())) fail("is " + shown() + ", must be a number");
    return value_->get<double>();
  }
  std::uint64_t count() const {
    if (!value_->is_number_unsigned() || value_->get<std::uint64_t>() == 0)
      fail("is " + shown() + ", must be a whole number above 0");
    return value_->get<std::uint64_t>();
  }

  template <class Visit>  // visit(JsonNode)
  void each_element(Visit visit) const {
    if (!value_->is_array()) fail("is " + shown() + ", must be a list");
    for (std::size_t i = 0; i < value_->size(); ++i) visit(JsonNode((*value_)[i], pointer_ + "/" + std::to_string(i)));
  }
  template <class Visit>  // visit(key, JsonNode)
  void each_member(Visit visit) const {
    if (!value_->is_object()) fail("is " + shown() + ", must be an object");
    for (const auto &item : value_->items()) visit(item.key(), JsonNode(item.value(), pointer_ + "/" + item.key()));
  }

  /// The value as JSON, cut to a line.
  std::string shown() const {
    const std::string all = value_->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return all.size() <= 60 ? all : all.substr(0, 57) + "...";
  }

 private:
  const nlohmann::json *value_;
  std::string pointer_;
};

}  // namespace sits::normalize
