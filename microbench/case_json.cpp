// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "microbench/case.h"
#include "microbench/operation.h"
#include "microbench/suite.h"

namespace sits::microbench {
namespace {

using nlohmann::json;

class JsonWriter : public Fields {
 public:
  explicit JsonWriter(json &object) : object_(object) {}
  void word(std::string_view name, std::uint32_t &value, Words words, Presence) override {
    object_[name] = word_name(words, value, name);
  }
  void integer(std::string_view name, std::int64_t &value, Presence) override { object_[name] = value; }
  void bytes(std::string_view name, std::uint64_t &value) override { object_[name] = value; }
  void flag(std::string_view name, bool &value) override { object_[name] = value; }
  void list(std::string_view name, std::vector<std::int64_t> &values) override {
    if (!values.empty()) object_[name] = values;
  }
  std::optional<std::string> text(std::string_view name, const std::string &value, Presence) override {
    object_[name] = value;
    return std::nullopt;
  }

 private:
  json &object_;
};

[[noreturn]] void refuse(std::string_view name, const json &value, std::string_view wanted) {
  throw CaseError(std::string(name) + " is " + shown(value.dump(-1, ' ', true, json::error_handler_t::replace)) +
                  ": give " + std::string(wanted));
}

std::int64_t integer_of(std::string_view name, const json &value) {
  if (!value.is_number_integer()) refuse(name, value, "a whole number");
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX})
    refuse(name, value, "a number of at most 2^63 - 1");
  return value.get<std::int64_t>();
}

std::string text_of(std::string_view name, const json &value) {
  if (!value.is_string()) refuse(name, value, "text");
  return value.get<std::string>();
}

class JsonReader : public Fields {
 public:
  explicit JsonReader(const json &object) : object_(object) {}

  void word(std::string_view name, std::uint32_t &value, Words words, Presence presence) override {
    if (const json *given = find(name, presence)) value = word_value(words, text_of(name, *given), name);
  }
  void integer(std::string_view name, std::int64_t &value, Presence presence) override {
    if (const json *given = find(name, presence)) value = integer_of(name, *given);
  }
  void bytes(std::string_view name, std::uint64_t &value) override {
    const json *given = find(name, Presence::required);
    if (given->is_string()) {
      value = parse_bytes(text_of(name, *given));
      return;
    }
    const std::int64_t number = integer_of(name, *given);
    if (number < 0) refuse(name, *given, "a size that is not negative, such as 64mib");
    value = static_cast<std::uint64_t>(number);
  }
  void flag(std::string_view name, bool &value) override {
    const json *given = find(name, Presence::optional);
    if (given == nullptr) return;
    if (!given->is_boolean()) refuse(name, *given, "true or false");
    value = given->get<bool>();
  }
  void list(std::string_view name, std::vector<std::int64_t> &values) override {
    const json *given = find(name, Presence::optional);
    if (given == nullptr) return;
    if (!given->is_array() || given->empty()) refuse(name, *given, "a list of whole numbers");
    for (const json &element : *given) values.push_back(integer_of(name, element));
  }
  std::optional<std::string> text(std::string_view name, const std::string &, Presence presence) override {
    const json *given = find(name, presence);
    if (given == nullptr) return std::nullopt;
    return text_of(name, *given);
  }

 private:
  const json *find(std::string_view name, Presence presence) {
    const auto found = object_.find(name);
    if (found != object_.end()) return &*found;
    if (presence == Presence::required) throw CaseError("key '" + std::string(name) + "' is missing");
    return nullptr;
  }

  const json &object_;
};

/// Collects the names alone.
class NameCollector : public Fields {
 public:
  std::vector<std::string> names;
  void word(std::string_view name, std::uint32_t &, Words, Presence) override { names.emplace_back(name); }
  void integer(std::string_view name, std::int64_t &, Presence) override { names.emplace_back(name); }
  void bytes(std::string_view name, std::uint64_t &) override { names.emplace_back(name); }
  void flag(std::string_view name, bool &) override { names.emplace_back(name); }
  void list(std::string_view name, std::vector<std::int64_t> &) override { names.emplace_back(name); }
  std::optional<std::string> text(std::string_view name, const std::string &, Presence) override {
    names.emplace_back(name);
    return std::nullopt;
  }
};

const Operation &operation_named(Op op) { return *std::ranges::find(operations(), op, &Operation::op); }

void refuse_unknown_keys(const json &object, Op op) {
  std::vector<std::string> names = parameter_names(op);
  for (const char *common : {"op", "mode", "id"}) names.emplace_back(common);
  const std::vector<std::string_view> known(names.begin(), names.end());
  for (const auto &[key, value] : object.items())
    if (std::ranges::find(known, key) == known.end()) throw CaseError(unknown_word("key", key, known));
}

Case from_named_parameters(const json &object) {
  if (!object.contains("op")) throw CaseError("key 'op' is missing: name the operation, or give an id");
  const Op op = parse_op(text_of("op", object.at("op")));
  const Operation &operation = operation_named(op);
  refuse_unknown_keys(object, op);
  Case c{operation.blank(), operation.modes.front()};
  JsonReader reader(object);
  operation.list_fields(reader, c.spec);
  if (object.contains("mode")) c.mode = parse_mode(text_of("mode", object.at("mode")));
  validate(c);
  return c;
}

}  // namespace

std::vector<std::string> parameter_names(Op op) {
  const Operation &operation = operation_named(op);
  NameCollector collector;
  Spec spec = operation.blank();
  operation.list_fields(collector, spec);
  return collector.names;
}

json parameters(const Case &c) {
  const Operation &operation = operation_of(c.spec);
  json object = {{"id", canonical_id(c)}, {"op", operation.name}, {"mode", mode_name(c.mode)}};
  JsonWriter writer(object);
  Spec spec = c.spec;
  operation.list_fields(writer, spec);
  return object;
}

Case from_parameters(const json &object) {
  if (!object.is_object()) refuse("case", object, "an object with the case's parameters");
  const auto id = object.find("id");
  if (id == object.end()) return from_named_parameters(object);
  Case named = parse_id(text_of("id", *id));
  if (object.size() > 1 && from_named_parameters(object) != named)
    throw CaseError("id " + shown(id->get<std::string>()) +
                    " and the parameters beside it name different cases: " + "leave one of them out");
  return named;
}

}  // namespace sits::microbench
