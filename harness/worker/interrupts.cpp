// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/interrupts.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace sits::worker {

Interrupts::Interrupts() {
  sigset_t wanted;
  ::sigemptyset(&wanted);
  ::sigaddset(&wanted, SIGINT);
  ::sigaddset(&wanted, SIGTERM);
  fd_ = ::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "cannot watch for signals");
  ::pthread_sigmask(SIG_BLOCK, &wanted, &before_);
}

Interrupts::~Interrupts() {
  while (take_interrupt(fd_) != 0) {
  }
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  ::close(fd_);
}

int take_interrupt(int fd) {
  signalfd_siginfo info;
  if (::read(fd, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return 0;
  return static_cast<int>(info.ssi_signo);
}

}  // namespace sits::worker
