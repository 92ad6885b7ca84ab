// SPDX-License-Identifier: Apache-2.0
#include "microbench/suite.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "microbench/json_text.h"
#include "microbench/sweep.h"
#include "microbench/words.h"

namespace sits::microbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 7> kEffortKeys = {
    "min_samples", "max_samples", "warmup_iterations", "exact_iterations", "ci_relative", "budget", "soak"};
constexpr std::array<std::string_view, 8> kSuiteKeys = {"schema",      "schema_version", "name",     "version",
                                                        "description", "runs",           "defaults", "cases"};

void refuse_unknown_keys(const Json &object, std::span<const std::string_view> known, const Place &place) {
  for (const auto &[key, value] : object.items())
    if (std::ranges::find(known, key) == known.end()) (place / key).fail(unknown_word("key", key, known));
}

std::string text_at(const Json &object, const char *key, const Place &place) {
  if (!object.contains(key)) place.fail("key '" + std::string(key) + "' is missing");
  const Json &value = object.at(key);
  if (!value.is_string() || value.get_ref<const std::string &>().empty()) (place / key).fail("give a text, not empty");
  return value.get<std::string>();
}

std::optional<std::uint32_t> count_at(const Json &object, const char *key, std::uint32_t most, const Place &place) {
  if (!object.contains(key)) return std::nullopt;
  const Json &value = object.at(key);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() < 1 || value.get<std::uint64_t>() > most)
    (place / key).fail("give a whole number from 1 to " + std::to_string(most));
  return value.get<std::uint32_t>();
}

std::optional<double> duration_at(const Json &object, const char *key, const Place &place) {
  if (!object.contains(key)) return std::nullopt;
  const Json &value = object.at(key);
  if (!value.is_string()) (place / key).fail("give a duration with its unit, such as \"10s\"");
  try {
    const double ns = parse_duration(value.get<std::string>());
    if (ns == 0) (place / key).fail("is 0: give a duration above it");
    return ns;
  } catch (const CaseError &error) {
    (place / key).fail(error.what());
  }
}

/// The effort that `object` asks for, over `base`.
Effort effort_of(const Json &object, Effort base, const Place &place) {
  constexpr std::uint32_t kMostSamples = 10'000'000;
  const auto set = [](auto &target, const auto &given) {
    if (given) target = given;
  };
  set(base.min_samples, count_at(object, "min_samples", kMostSamples, place));
  set(base.max_samples, count_at(object, "max_samples", kMostSamples, place));
  set(base.warmup_iterations, count_at(object, "warmup_iterations", kMostSamples, place));
  set(base.exact_iterations, count_at(object, "exact_iterations", kMostSamples, place));
  set(base.budget_ns, duration_at(object, "budget", place));
  set(base.soak_ns, duration_at(object, "soak", place));
  if (object.contains("ci_relative")) {
    const Json &value = object.at("ci_relative");
    if (!value.is_number() || !(value.get<double>() > 0) || !(value.get<double>() < 1))
      (place / "ci_relative").fail("give a number between 0 and 1, such as 0.01 for ±1 %");
    base.ci_relative = value.get<double>();
  }
  if (base.min_samples && base.max_samples && *base.min_samples > *base.max_samples)
    place.fail("min_samples " + std::to_string(*base.min_samples) + " is more than max_samples " +
               std::to_string(*base.max_samples));
  return base;
}

bool required_of(const Json &entry, const Place &place) {
  if (!entry.contains("required")) return false;
  if (!entry.at("required").is_boolean()) (place / "required").fail("give true or false");
  return entry.at("required").get<bool>();
}

/// Keys of an entry that are parameters, after all keys were seen to be known.
Json parameters_of(const Json &entry, const Place &place) {
  std::vector<std::string> names = {"op", "mode", "required"};
  if (entry.contains("id")) names = {"id", "required"};
  names.insert(names.end(), kEffortKeys.begin(), kEffortKeys.end());
  if (entry.contains("op") && !entry.contains("id")) {
    if (!entry.at("op").is_string()) (place / "op").fail("give one operation's name, such as \"gemm\"");
    try {
      const Op op = parse_op(entry.at("op").get<std::string>());
      if (op == Op::gemm) names.emplace_back("shapes");
      std::ranges::copy(parameter_names(op), std::back_inserter(names));
    } catch (const CaseError &error) {
      (place / "op").fail(error.what());
    }
  } else if (!entry.contains("id")) {
    place.fail("has neither 'op' nor 'id': name an operation with its parameters, or a case");
  }
  refuse_unknown_keys(entry, std::vector<std::string_view>(names.begin(), names.end()), place);
  Json parameters = entry;
  for (const std::string_view key : kEffortKeys) parameters.erase(std::string(key));
  parameters.erase("required");
  return parameters;
}

/// Collects cases and sees that none comes twice.
class Collector {
 public:
  explicit Collector(const Effort &defaults) : defaults_(defaults) {}

  void add_entry(const Json &entry, const Place &place) {
    if (!entry.is_object()) place.fail("give an object with the case's parameters");
    const Effort effort = effort_of(entry, defaults_, place);
    const bool required = required_of(entry, place);
    for (const nlohmann::json &parameters : expand_sweep(parameters_of(entry, place), place)) {
      SuiteCase added{case_of(parameters, place), "", effort, required};
      added.id = canonical_id(added.test_case);
      const auto [first, is_new] = origin_.emplace(added.id, place.pointer());
      if (!is_new) place.fail("makes case " + added.id + " again, first made by " + first->second);
      if (cases_.size() == kMostCases) place.fail("more than " + std::to_string(kMostCases) + " cases in all");
      cases_.push_back(std::move(added));
    }
  }
  std::vector<SuiteCase> take() { return std::move(cases_); }

 private:
  static Case case_of(const nlohmann::json &parameters, const Place &place) {
    try {
      return from_parameters(parameters);
    } catch (const CaseError &error) {
      place.fail(error.what());
    }
  }

  Effort defaults_;
  std::map<std::string, std::string> origin_;
  std::vector<SuiteCase> cases_;
};

void check_schema(const Json &document, const Place &root) {
  if (text_at(document, "schema", root) != "sits.suite")
    (root / "schema").fail("is " + shown(text_at(document, "schema", root)) + ": a suite says \"sits.suite\"");
  if (!document.contains("schema_version")) root.fail("key 'schema_version' is missing: write 1");
  if (document.at("schema_version") != 1)
    (root / "schema_version").fail("is " + document.at("schema_version").dump() + ": this program reads version 1");
}

}  // namespace

Suite parse_suite(std::string_view text, const std::string &name) {
  const Place root(name);
  const Json document = parse_json_text(text, name);
  if (!document.is_object()) root.fail("a suite is one JSON object");
  refuse_unknown_keys(document, kSuiteKeys, root);
  check_schema(document, root);
  Suite suite;
  suite.name = text_at(document, "name", root);
  suite.version = text_at(document, "version", root);
  if (document.contains("description")) suite.description = text_at(document, "description", root);
  suite.sha256 = sha256(text);
  suite.runs = count_at(document, "runs", 1000, root).value_or(1);
  if (document.contains("defaults")) {
    const Place place = root / "defaults";
    if (!document.at("defaults").is_object()) place.fail("give an object with min_samples, budget …");
    refuse_unknown_keys(document.at("defaults"), kEffortKeys, place);
    suite.effort = effort_of(document.at("defaults"), {}, place);
  }
  if (!document.contains("cases")) root.fail("key 'cases' is missing");
  const Json &cases = document.at("cases");
  if (!cases.is_array() || cases.empty()) (root / "cases").fail("give a list of at least one case");
  Collector collector(suite.effort);
  for (std::size_t i = 0; i < cases.size(); ++i) collector.add_entry(cases[i], root / "cases" / i);
  suite.cases = collector.take();
  return suite;
}

}  // namespace sits::microbench
