// SPDX-License-Identifier: Apache-2.0
//
// The floor rule (docs/method.md §2): a sample must be long against the timer's floor and tick.
#pragma once

#include <cstdint>

namespace sits {

inline constexpr double kFloorMultiple = 20;
inline constexpr double kTickMultiple = 100;
inline constexpr std::uint32_t kLargestBatch = 1u << 20;

/// Shortest sample that may be trusted: 20 × the time of an empty measurement, and 100 ticks. 0 when neither is known.
double shortest_sample_ns(double floor_ns, double resolution_ns);

/// Whether a sample of `batch` iterations keeps the rule.
bool keeps_floor_rule(double iteration_ns, double batch, double floor_ns, double resolution_ns);

/// Iterations in one sample so that it keeps the rule with a margin of a quarter, at least min_batch.
/// iteration_ns <= 0 or not finite (too short to be timed): ten times `current`.
std::uint32_t batch_for(double iteration_ns, std::uint32_t current, double floor_ns, double resolution_ns,
                        std::uint32_t min_batch);

}  // namespace sits
