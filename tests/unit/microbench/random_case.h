// SPDX-License-Identifier: Apache-2.0
//
// Random valid cases of every operation, for property tests.
#pragma once

#include <random>

#include "microbench/case.h"

namespace sits::microbench {

Case random_case(std::mt19937_64 &random);

}  // namespace sits::microbench
