// SPDX-License-Identifier: Apache-2.0
//
// A subject with a fake clock and a programmed stream of times.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "harness/measure/sampler.h"

namespace sits {

class FakeSubject : public Subject {
 public:
  /// Device time per iteration of the n-th sample ever taken (from 0).
  std::function<double(std::uint64_t)> device_ns = [](std::uint64_t) { return 1e6; };
  /// Host time of a sample from its device time per iteration.
  std::function<double(double)> submit_ns = [](double device) { return device + 1000; };
  /// What the operating system and the backend add to a batch; called before it is returned.
  std::function<void(SampleBatch &)> touch = [](SampleBatch &) {};
  double floor_ns = 100, resolution_ns = 1;
  bool host_clock = false;
  std::uint64_t cancel_after_takes = ~std::uint64_t{0};

  std::uint64_t samples = 0, takes = 0, iterations = 0;
  double clock_ns = 1e9;

  SampleBatch take(std::uint32_t count, std::uint32_t batch) override {
    ++takes;
    SampleBatch out;
    out.batch = batch;
    out.host_clock = host_clock;
    out.resolution_ns = resolution_ns;
    out.floor_ns = floor_ns;
    out.gates_valid = true;
    out.threads = 2;
    for (std::uint32_t i = 0; i < count; ++i) {
      const double device = device_ns(samples++);
      const double submit = submit_ns(device);
      out.device_ns.push_back(device);
      out.submit_to_complete_ns.push_back(submit);
      iterations += batch;
      const double spent = std::isfinite(submit) && submit > 0 ? submit * batch : 100;
      clock_ns += spent;
      out.wall_ns += spent;
    }
    out.cpu_ns = out.wall_ns * out.threads;
    touch(out);
    return out;
  }
  double now_ns() override { return clock_ns; }
  bool cancelled() override { return takes >= cancel_after_takes; }
};

inline bool has(const Measurement &m, Flag flag) {
  return std::find(m.flags.begin(), m.flags.end(), flag) != m.flags.end();
}

}  // namespace sits
