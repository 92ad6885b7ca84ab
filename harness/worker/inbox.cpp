// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/inbox.h"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace sits::worker {
namespace {

constexpr int kSupervisorGone = 70;
constexpr int kProtocolBroken = 76;

}  // namespace

Inbox::Inbox(int socket) : socket_(socket), wake_(::eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE)) {
  if (wake_ < 0) throw std::system_error(errno, std::generic_category(), "cannot make an event descriptor");
  reader_ = std::thread([this] { read_all(); });
}

Inbox::~Inbox() {
  closing_ = true;
  ::shutdown(socket_, SHUT_RD);  // ends the reader's recv
  reader_.join();
  ::close(wake_);
}

Message Inbox::take() {
  std::uint64_t one = 0;
  while (::read(wake_, &one, sizeof one) < 0 && errno == EINTR) {
  }
  const std::lock_guard lock(mutex_);
  Message message = std::move(queue_.front());
  queue_.pop_front();
  return message;
}

void Inbox::read_all() {
  LineBuffer lines;
  std::array<char, 65536> chunk;
  for (;;) {
    const ssize_t got = ::recv(socket_, chunk.data(), chunk.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      if (closing_) return;
      std::_Exit(kSupervisorGone);
    }
    try {
      lines.feed({chunk.data(), static_cast<std::size_t>(got)});
      while (const std::optional<std::string> line = lines.next()) {
        Message message = decode(*line);
        if (std::holds_alternative<Cancel>(message)) {
          cancelled_ = true;
          continue;
        }
        {
          const std::lock_guard lock(mutex_);
          queue_.push_back(std::move(message));
        }
        const std::uint64_t one = 1;
        if (::write(wake_, &one, sizeof one) < 0) std::_Exit(kProtocolBroken);
      }
    } catch (const ProtocolError &error) {
      std::fprintf(stderr, "%s\n", error.what());
      std::_Exit(kProtocolBroken);
    }
  }
}

}  // namespace sits::worker
