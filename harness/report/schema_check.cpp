// SPDX-License-Identifier: Apache-2.0
#include "harness/report/schema_check.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "harness/report/json_text.h"
#include "harness/report/text.h"

namespace sits::report {
namespace {

using nlohmann::json;
using Adapter = valijson::adapters::NlohmannJsonAdapter;

constexpr std::string_view kPrefix = "sits.";

// std::regex recurses once per character; beyond this a pattern could exhaust the stack.
constexpr std::size_t kMaxPatternText = 16384;

/// First string longer than a pattern may be given, as a pointer; "" when there is none.
std::string find_long_string(const json &value, const std::string &pointer) {
  if (value.is_string() && value.get_ref<const std::string &>().size() > kMaxPatternText) return pointer;
  if (!value.is_structured()) return {};
  for (const auto &item : value.items()) {
    if (item.key().size() > kMaxPatternText) return pointer;
    std::string found = find_long_string(item.value(), pointer_to(pointer, item.key()));
    if (!found.empty()) return found;
  }
  return {};
}

bool has_pattern(const json &schema) {
  if (schema.is_object() && (schema.contains("pattern") || schema.contains("patternProperties"))) return true;
  return schema.is_structured() && std::any_of(schema.begin(), schema.end(), has_pattern);
}

/// valijson's context: "<root>", then "[key]" or "[3]".
std::string pointer_of(const std::vector<std::string> &context) {
  std::string out;
  for (std::size_t i = 1; i < context.size(); ++i) {
    const std::string &step = context[i];
    const bool bracketed = step.size() >= 2 && step.front() == '[' && step.back() == ']';
    out = pointer_to(out, bracketed ? step.substr(1, step.size() - 2) : step);
  }
  return out.empty() ? "/" : out;
}

/// A failure inside is repeated by every level around it, which says only where to look; those repetitions go.
bool repeats_inner(const std::string &description) {
  return description.starts_with("Failed to validate item #") ||
         description.starts_with("Failed to validate against schema associated with property");
}

std::vector<std::string> apply(const json &schema_document, const json &document, std::size_t max_errors) {
  valijson::Schema schema;
  valijson::SchemaParser parser;
  parser.populateSchema(Adapter(schema_document), schema);
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(schema, Adapter(document), &results)) return {};
  std::vector<std::string> errors;
  std::set<std::string> seen;
  for (const auto &error : results) {
    if (errors.size() == max_errors) break;
    const std::string line = one_line(pointer_of(error.context) + ": " + error.description);
    if (!repeats_inner(error.description) && seen.insert(line).second) errors.push_back(shorten(line, 400));
  }
  if (errors.empty()) errors.push_back("/: does not match the schema");
  return errors;
}

std::string known_kinds(const Schemas &schemas) {
  std::string out;
  for (const auto &[name, text] : schemas) {
    out += (out.empty() ? "\"" : ", \"") + std::string(kPrefix) + name + "\"";
  }
  return out;
}

}  // namespace

SchemaCheck check_document(std::string_view text, const Schemas &schemas, std::size_t max_errors) {
  json document;
  try {
    document = parse_json(text);
  } catch (const JsonError &error) {
    return {"", {error.what()}};
  }
  const auto kind = document.is_object() ? document.find("schema") : document.end();
  if (!document.is_object() || kind == document.end() || !kind->is_string()) {
    return {"", {"/schema: says which kind of document this is, one of " + known_kinds(schemas)}};
  }
  const std::string name = kind->get<std::string>();
  const auto found = name.starts_with(kPrefix) ? schemas.find(name.substr(kPrefix.size())) : schemas.end();
  if (found == schemas.end()) {
    return {"",
            {"/schema: \"" + shorten(one_line(name), 80) + "\" is not known, expected one of " + known_kinds(schemas)}};
  }
  const json schema = parse_json(found->second);
  if (has_pattern(schema)) {
    if (const std::string pointer = find_long_string(document, ""); !pointer.empty()) {
      return {found->first,
              {shorten(one_line(pointer), 200) + ": longer than " + std::to_string(kMaxPatternText) + " bytes"}};
    }
  }
  return {found->first, apply(schema, document, max_errors)};
}

}  // namespace sits::report
