// SPDX-License-Identifier: Apache-2.0
//
// The samples of one measurement: which are valid, and which of the two clocks is to be believed.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/measure/result.h"
#include "harness/measure/sampler.h"

namespace sits {

/// What the device's time may exceed the host's by: 2 % and one tick.
bool device_within_submit(double device_ns, double submit_ns, double tick_ns);

class SampleStore {
 public:
  /// Keeps the valid samples of a batch and counts the others by name: "non_finite", "clock_backwards" (negative),
  /// "zero_time" of the host's clock refuse the sample; of the device's clock, or a device time longer than the host's,
  /// only its device time, as "device_clock".
  void add(const SampleBatch &batch);
  /// Counts a whole batch refused for a named reason.
  void reject(const SampleBatch &batch, const std::string &reason);

  /// Valid and invalid samples, without those of rejected batches.
  std::uint64_t attempted() const { return attempted_; }
  /// The device's times are used: at least nine tenths of the valid samples have one that can be.
  bool device_trusted() const;
  /// In order of time: the device's, or the host's when the device is not trusted.
  std::span<const double> device_ns() const { return device_trusted() ? device_ : submit_; }
  std::span<const double> submit_ns() const { return submit_; }
  /// Device times as read, of the samples that were refused.
  std::span<const double> refused_ns() const { return refused_; }
  const std::map<std::string, std::uint64_t> &rejected() const { return rejected_; }

 private:
  std::vector<double> device_, submit_, refused_;
  std::map<std::string, std::uint64_t> rejected_;
  std::uint64_t attempted_ = 0;
};

/// Time of one iteration for planning: the median of the batch's usable device times, else of its host times; NaN when
/// neither can be used.
double iteration_ns(const SampleBatch &batch);

}  // namespace sits
