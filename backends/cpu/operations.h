// SPDX-License-Identifier: Apache-2.0
//
// The table of operations.
#pragma once

#include <vector>

#include "backends/cpu/workload.h"

namespace sits::cpu {

std::vector<OperationEntry> all_operations();

/// Throws Failure{SITS_UNSUPPORTED} when a case pins a provider other than this backend's own kernels.
void require_own_provider(const sits_case &test_case);

inline constexpr const char *kOwnProvider = "sits";

}  // namespace sits::cpu
