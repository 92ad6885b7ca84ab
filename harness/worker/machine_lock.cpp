// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/machine_lock.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <system_error>

namespace sits::worker {
namespace {

struct Address {
  sockaddr_un name{};
  socklen_t length = 0;
};

/// An abstract name: no file, so no permissions to get wrong and nothing to clean up.
Address abstract_address(const std::string &name) {
  Address address;
  address.name.sun_family = AF_UNIX;
  const std::size_t length = std::min(name.size(), sizeof address.name.sun_path - 1);
  std::copy_n(name.begin(), length, address.name.sun_path + 1);
  address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  return address;
}

/// The process that holds the lock, 0 when it cannot be told.
pid_t holder(const Address &address) {
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return 0;
  ucred peer{};
  socklen_t size = sizeof peer;
  const bool known = ::connect(probe, reinterpret_cast<const sockaddr *>(&address.name), address.length) == 0 &&
                     ::getsockopt(probe, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
  ::close(probe);
  return known ? peer.pid : 0;
}

}  // namespace

MachineLock::MachineLock(const std::string &name) {
  const Address address = abstract_address(name);
  fd_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "cannot take the machine lock");
  if (::bind(fd_, reinterpret_cast<const sockaddr *>(&address.name), address.length) == 0 && ::listen(fd_, 8) == 0)
    return;
  const int code = errno;
  ::close(fd_);
  if (code != EADDRINUSE) throw std::system_error(code, std::generic_category(), "cannot take the machine lock");
  const pid_t pid = holder(address);
  throw MachineBusy(
      fmt::format("another run holds this machine (process {}); two at once spoil each other's times. Wait for it, or "
                  "pass --no-lock",
                  pid > 0 ? std::to_string(pid) : "unknown"));
}

MachineLock::~MachineLock() { ::close(fd_); }

}  // namespace sits::worker
