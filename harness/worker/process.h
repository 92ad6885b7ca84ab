// SPDX-License-Identifier: Apache-2.0
//
// One worker process, seen from the supervisor.
#pragma once

#include <sys/types.h>

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "harness/worker/protocol.h"

namespace sits::worker {

double steady_now_ns();

/// How a worker ended.
struct Ending {
  bool by_signal = false;
  int number = 0;  // of the signal, or the exit code
  /// "SIGSEGV (Segmentation fault)", "exit code 0".
  std::string text() const;
};

struct Closed {};       // the worker closed its control socket: it ended, or is about to
struct TimedOut {};     // nothing came before the deadline
struct Interrupted {};  // the interrupt descriptor became readable
using WorkerEvent = std::variant<Message, Closed, TimedOut, Interrupted>;

class WorkerProcess {
 public:
  struct Setup {
    std::string executable, plugin_path;
    plugin::KeyValues environment;                 // set where the user has not set it
    std::optional<std::int32_t> numa_node;         // run on the processors of this node
    std::function<void(const std::string &)> log;  // a line of the worker's stdout or stderr
  };
  /// Throws std::system_error when the process cannot be started.
  explicit WorkerProcess(Setup setup);
  /// Kills the whole process group and waits for it.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess &) = delete;
  WorkerProcess &operator=(const WorkerProcess &) = delete;

  /// A failed send shows as Closed in the next wait.
  void send(const Message &message);

  /// Waits for the next event; the worker's output is drained meanwhile. Throws ProtocolError.
  WorkerEvent wait(double deadline_ns, int interrupt_fd = -1);

  /// Gives a worker that closed its socket `patience_ns` to end by itself, then kills it.
  Ending reap(double patience_ns);
  void kill_group();

  /// The last line it printed, for the message of a crash; "" when it printed nothing.
  const std::string &last_line() const { return last_line_; }

 private:
  void drain_log();
  bool receive();  // false: end of stream
  void take_log_line(std::string line);

  Setup setup_;
  pid_t pid_ = -1;
  int control_ = -1, log_ = -1;
  bool log_open_ = true;
  LineBuffer incoming_;
  std::string partial_log_, last_line_;
  std::size_t logged_bytes_ = 0;
};

}  // namespace sits::worker
