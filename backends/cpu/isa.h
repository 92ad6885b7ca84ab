// SPDX-License-Identifier: Apache-2.0
//
// Which instruction sets this process may use, from cpuid and what the operating system saves.
#pragma once

#include <string>

#include "backends/cpu/workload.h"

namespace sits::cpu {

Isa detect_isa();

/// "x86-64-v3", "aarch64": the psABI level, for sits_device.arch.
std::string arch_name(const Isa &isa);

/// Operations per clock and core of the widest unit for one element type, multiply and add counting 1 each; 0 where the
/// core's number of units is not known from its ISA and vendor. An upper bound for the plausibility gate.
double ops_per_clock(const Isa &isa, std::uint32_t type);

}  // namespace sits::cpu
