// SPDX-License-Identifier: Apache-2.0
//
// The side file of raw samples (docs/report.md gives its layout, byte by byte).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/model.h"

namespace sits::report {

inline constexpr std::uint32_t kSamplesVersion = 1;

/// Bytes that are not a samples file we can read. The message names the offset.
struct SamplesError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Latency : std::uint32_t { device = 0, submit_to_complete = 1 };

/// Raw samples of one row, nanoseconds per iteration, in order of time.
struct SampleSeries {
  std::string device, case_id;
  std::uint32_t run_index = 0;
  Latency latency = Latency::device;
  std::vector<double> values_ns;
  bool operator==(const SampleSeries &) const = default;
};

std::string encode_samples(const std::vector<SampleSeries> &series);

/// Throws SamplesError: wrong magic, newer version, truncated, lengths beyond the bytes, bytes left over.
std::vector<SampleSeries> decode_samples(std::string_view bytes);

/// The raw samples of the report's rows; rows without any give no series.
std::vector<SampleSeries> samples_of(const Report &report);

/// Puts series back into the rows they belong to. Throws SamplesError on a series without a row or one that stands
/// twice.
void attach_samples(Report &report, std::vector<SampleSeries> series);

}  // namespace sits::report
