// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <thread>

#include "harness/worker/protocol.h"

namespace sits::worker {

/// A worker's incoming messages, read by a thread of its own, so that a cancel is seen while a case runs and the
/// process ends when the supervisor is gone, even while a call into the plugin hangs.
class Inbox {
 public:
  explicit Inbox(int socket);
  ~Inbox();
  Inbox(const Inbox &) = delete;
  Inbox &operator=(const Inbox &) = delete;

  /// The next request; waits for it. A Cancel is not a request: see cancelled().
  Message take();
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

 private:
  void read_all();

  int socket_;
  int wake_;  // eventfd, counts queued messages
  std::atomic<bool> cancelled_{false}, closing_{false};
  std::mutex mutex_;
  std::deque<Message> queue_;
  std::thread reader_;
};

}  // namespace sits::worker
