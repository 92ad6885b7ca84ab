// SPDX-License-Identifier: Apache-2.0
//
// The operation's own struct behind sits_case.spec, read within its size.
#pragma once

#include "backends/sdk/sized.h"
#include "sits/backend.h"

namespace sits::cpu {

template <typename Spec>
Spec spec_of(const sits_case &test_case) {
  return sdk::read_sized<Spec>(test_case.spec, "case.spec");
}

}  // namespace sits::cpu
