// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/result.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace sits {
namespace {

constexpr std::array<std::string_view, 12> kStatusNames = {
    "ok",  "not_applicable", "unsupported", "skipped", "incorrect",   "implausible", "failed",
    "oom", "device_lost",    "crashed",     "timeout", "interrupted",
};
static_assert(kStatusNames.size() == static_cast<std::size_t>(Status::interrupted) + 1);

constexpr std::array<std::string_view, 11> kFlagNames = {
    "throttled",     "noisy",      "multimodal", "drift",        "contended",  "not_quiet",
    "above_nominal", "clock_host", "cold_flush", "env_override", "cold_start",
};
static_assert(kFlagNames.size() == static_cast<std::size_t>(Flag::cold_start) + 1);

constexpr std::array<std::string_view, 4> kStopReasonNames = {"converged", "plateau", "max_samples", "time_budget"};
static_assert(kStopReasonNames.size() == static_cast<std::size_t>(StopReason::time_budget) + 1);

template <class Enum, std::size_t N>
std::optional<Enum> find(const std::array<std::string_view, N> &names, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i)
    if (names[i] == name) return static_cast<Enum>(i);
  return std::nullopt;
}

}  // namespace

std::string_view status_name(Status status) { return kStatusNames.at(static_cast<std::size_t>(status)); }
std::optional<Status> parse_status(std::string_view name) { return find<Status>(kStatusNames, name); }

std::string_view flag_name(Flag flag) { return kFlagNames.at(static_cast<std::size_t>(flag)); }
std::optional<Flag> parse_flag(std::string_view name) { return find<Flag>(kFlagNames, name); }

std::string_view stop_reason_name(StopReason reason) { return kStopReasonNames.at(static_cast<std::size_t>(reason)); }
std::optional<StopReason> parse_stop_reason(std::string_view name) { return find<StopReason>(kStopReasonNames, name); }

void drop_numbers(CaseResult &result) {
  result.timing.reset();
  result.rates.reset();
  result.utilization.reset();
  result.probe.reset();
  result.normalized.clear();
  result.device_samples_ns.clear();
  result.submit_samples_ns.clear();
}

}  // namespace sits
