// SPDX-License-Identifier: Apache-2.0
//
// From what a case gave to the fields of its row: roofs, limits, probes, names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/measure/plausibility.h"
#include "harness/measure/rates.h"
#include "harness/measure/result.h"
#include "harness/plugin/backend.h"
#include "harness/worker/probes.h"

namespace sits::worker {

/// The probes taken beside one case.
struct ProbePair {
  std::optional<ProbeReading> compute, bandwidth;
};

/// Dense datasheet rate of an element type on the device's fastest unit; absent when unknown.
std::optional<double> datasheet_ops_per_s(const plugin::Device &device, std::uint32_t type);

Roofs roofs_of(const plugin::Device &device, std::uint32_t roof_type, const ProbePair &probes);

PhysicalLimits limits_of(const plugin::Device &device, std::uint32_t roof_type,
                         std::optional<double> clock_highest_mhz);

/// Whether the bytes of the case go through memory, so that bandwidth bounds it.
bool moves_through_memory(const microbench::Case &test_case, const microbench::WorkModel &work,
                          std::uint64_t llc_bytes);

/// The probe of the roof that bounds the case, else the one there is.
std::optional<Probe> probe_of(const ProbePair &probes, const std::string &bound, bool is_peak);

/// The backend's JSON list of the providers it did not choose; nothing of it when it does not parse.
std::vector<Alternative> parse_alternatives(const std::string &json_text);

/// "f8 ocp", "bf16".
std::string resolved_type_name(std::uint32_t type);

}  // namespace sits::worker
