// SPDX-License-Identifier: Apache-2.0
//
// Which optional libraries this machine has.
#pragma once

#include "backends/cpu/device.h"

namespace sits::cpu {

/// Per library: its version, or why it cannot be used. Opens them, as a GEMM later would, with the pool's whole mask.
KeyValues library_versions(const Pool &pool);

}  // namespace sits::cpu
