// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sits::cli {

extern const char *const kVersion;  // "0.1.0"
extern const char *const kGit;      // "1a2b3c4", "1a2b3c4-dirty" or "unknown"

}  // namespace sits::cli
