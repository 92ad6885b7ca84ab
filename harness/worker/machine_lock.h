// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace sits::worker {

/// Another run holds the machine; the message names its process.
struct MachineBusy : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Keeps two runs on one host from spoiling each other: one lock for every user of the machine (of the network
/// namespace, in containers), released by the death of its process. Throws MachineBusy, or std::system_error.
class MachineLock {
 public:
  explicit MachineLock(const std::string &name = "sits-bench-lock");
  ~MachineLock();
  MachineLock(const MachineLock &) = delete;
  MachineLock &operator=(const MachineLock &) = delete;

 private:
  int fd_ = -1;
};

}  // namespace sits::worker
