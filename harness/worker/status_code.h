// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "harness/measure/result.h"
#include "sits/backend.h"

namespace sits::worker {

/// Reason code of a backend's status: "unavailable", "out_of_memory", "vendor_error" …
std::string_view code_of(sits_status status);

/// What a row becomes when a call fails with that status.
Status row_status(sits_status status);

}  // namespace sits::worker
