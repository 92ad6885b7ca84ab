// SPDX-License-Identifier: Apache-2.0
//
// Validation of our JSON documents against our own JSON Schemas (draft-07).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sits::report {

/// Schema texts by name: "report", "suite" … for results_schema/<name>.schema.json.
using Schemas = std::map<std::string, std::string, std::less<>>;

/// The schemas that were compiled in.
const Schemas &embedded_schemas();

struct SchemaCheck {
  std::string schema;               // the one used, "" when none could be
  std::vector<std::string> errors;  // "12:7: …" for syntax, "/run/seed: …" for content; empty: valid
};

/// Validates `text` against the schema its own key "schema" names ("sits.report" -> "report"). At most `max_errors`.
SchemaCheck check_document(std::string_view text, const Schemas &schemas = embedded_schemas(),
                           std::size_t max_errors = 20);

}  // namespace sits::report
