// SPDX-License-Identifier: Apache-2.0
//
// Sweeps: parameters given as lists or ranges, and every combination of them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "microbench/json_text.h"

namespace sits::microbench {

inline constexpr std::size_t kMostCases = 100'000;

/// All combinations of an entry's parameters, each an object for from_parameters. The first key of the entry varies
/// slowest. A value may be a list, a range {"from", "to", "factor" or "step"}, and for gemm "shapes" stands for m, n
/// and k. Throws SuiteError.
std::vector<nlohmann::json> expand_sweep(const nlohmann::ordered_json &entry, const Place &place);

}  // namespace sits::microbench
