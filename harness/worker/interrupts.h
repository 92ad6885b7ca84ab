// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

namespace sits::worker {

/// While it lives, SIGINT and SIGTERM make fd() readable instead of ending the process. Create it before any thread.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts &) = delete;
  Interrupts &operator=(const Interrupts &) = delete;
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
  sigset_t before_{};
};

/// Takes one pending signal from an Interrupts::fd(); 0 when there is none.
int take_interrupt(int fd);

}  // namespace sits::worker
