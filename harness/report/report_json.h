// SPDX-License-Identifier: Apache-2.0
//
// report.json: the report as a document and back (docs/report.md, results_schema/report.schema.json).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "harness/report/json_text.h"
#include "harness/report/model.h"

namespace sits::report {

/// Keys in the order of docs/report.md; unknown is null; no raw samples.
nlohmann::ordered_json to_json(const Report &report);
nlohmann::ordered_json to_json(const HostInfo &host);
nlohmann::ordered_json to_json(const DeviceInfo &device);

/// The text of report.json. Throws JsonError naming the JSON pointer of a number that is NaN or infinite.
std::string write_report(const Report &report);

/// Inverse of write_report: writing what was read gives the same bytes. Unknown keys are ignored. Throws JsonError:
/// what parse_json refuses, another kind of document, a newer schema_version, a missing or ill-typed key (with its
/// JSON pointer), a device id that stands twice.
Report read_report(std::string_view text, const JsonLimits &limits = {});

}  // namespace sits::report
