// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "harness/plugin/text.h"
#include "harness/worker/affinity.h"

namespace sits::worker {
namespace {

constexpr int kControlFd = 3;              // its number in the worker
constexpr std::size_t kLogCap = 64 << 10;  // of one worker; a driver in a loop must not fill the disk
constexpr std::size_t kLogLineCap = 1024;

[[noreturn]] void throw_errno(const char *what, int code = errno) {
  throw std::system_error(code, std::generic_category(), what);
}

class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  Fd(Fd &&other) noexcept : fd_(other.release()) {}
  Fd &operator=(Fd &&) = delete;
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

/// The same file above the numbers that the worker's own descriptors take.
Fd raised(int fd) {
  const Fd original(fd);
  Fd copy(::fcntl(fd, F_DUPFD_CLOEXEC, kControlFd + 1));
  if (copy.get() < 0) throw_errno("cannot duplicate a descriptor");
  return copy;
}

std::array<Fd, 2> control_pair() {
  std::array<int, 2> fds{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) != 0) throw_errno("cannot make a socket pair");
  Fd second(fds[1]);
  Fd first = raised(fds[0]);
  return {std::move(first), raised(second.release())};
}

std::array<Fd, 2> log_pipe() {
  std::array<int, 2> fds{};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0) throw_errno("cannot make a pipe");
  Fd second(fds[1]);
  Fd first = raised(fds[0]);
  if (::fcntl(first.get(), F_SETFL, O_NONBLOCK) != 0) throw_errno("cannot make a pipe non-blocking");
  return {std::move(first), raised(second.release())};
}

/// posix_spawn's two attribute objects, released with the scope.
struct SpawnSettings {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  SpawnSettings() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings &) = delete;
  SpawnSettings &operator=(const SpawnSettings &) = delete;
};

void configure(SpawnSettings &settings, int control, int log) {
  ::posix_spawn_file_actions_addopen(&settings.actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&settings.actions, log, 1);
  ::posix_spawn_file_actions_adddup2(&settings.actions, log, 2);
  ::posix_spawn_file_actions_adddup2(&settings.actions, control, kControlFd);
  sigset_t none, all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  // the supervisor blocks SIGINT and SIGTERM for its own use; a worker starts with nothing blocked or ignored
  ::posix_spawnattr_setsigmask(&settings.attributes, &none);
  ::posix_spawnattr_setsigdefault(&settings.attributes, &all);
  ::posix_spawnattr_setpgroup(&settings.attributes, 0);
  ::posix_spawnattr_setflags(&settings.attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

std::vector<std::string> environment_with(const plugin::KeyValues &additions) {
  std::vector<std::string> out;
  for (char **variable = ::environ; *variable != nullptr; ++variable) out.emplace_back(*variable);
  for (const auto &[key, value] : additions)
    if (std::getenv(key.c_str()) == nullptr) out.push_back(key + "=" + value);
  return out;
}

std::vector<char *> pointers(std::vector<std::string> &strings) {
  std::vector<char *> out;
  for (std::string &text : strings) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

double steady_now_ns() {
  using namespace std::chrono;
  return duration<double, std::nano>(steady_clock::now().time_since_epoch()).count();
}

std::string Ending::text() const {
  if (!by_signal) return fmt::format("exit code {}", number);
  const char *name = ::sigabbrev_np(number);
  return fmt::format("SIG{} ({})", name == nullptr ? std::to_string(number) : name, ::strsignal(number));
}

WorkerProcess::WorkerProcess(Setup setup) : setup_(std::move(setup)) {
  auto [control, control_child] = control_pair();
  auto [log, log_child] = log_pipe();
  SpawnSettings settings;
  configure(settings, control_child.get(), log_child.get());
  std::vector<std::string> arguments = {"sits",     "worker",          "--fd", std::to_string(kControlFd),
                                        "--plugin", setup_.plugin_path};
  std::vector<std::string> environment = environment_with(setup_.environment);
  const AffinityGuard affinity(setup_.numa_node);  // inherited by the worker
  const int code = ::posix_spawn(&pid_, setup_.executable.c_str(), &settings.actions, &settings.attributes,
                                 pointers(arguments).data(), pointers(environment).data());
  if (code != 0) throw_errno(("cannot start a worker: " + setup_.executable).c_str(), code);
  control_ = control.release();
  log_ = log.release();
}

WorkerProcess::~WorkerProcess() {
  if (pid_ > 0) reap(0);
  ::close(control_);
  ::close(log_);
}

void WorkerProcess::send(const Message &message) { send_all(control_, encode(message)); }

void WorkerProcess::take_log_line(std::string line) {
  if (logged_bytes_ >= kLogCap) return;
  logged_bytes_ += line.size() + 1;
  last_line_ = plugin::sanitized(line, kLogLineCap);
  if (setup_.log) setup_.log(last_line_);
  if (logged_bytes_ >= kLogCap && setup_.log) setup_.log(fmt::format("(output beyond {} bytes is dropped)", kLogCap));
}

void WorkerProcess::drain_log() {
  std::array<char, 16384> chunk;
  for (int reads = 0; reads < 16; ++reads) {  // bounded: a flood must not starve the control socket
    const ssize_t got = ::read(log_, chunk.data(), chunk.size());
    if (got == 0) log_open_ = false;
    if (got <= 0) break;
    partial_log_.append(chunk.data(), static_cast<std::size_t>(got));
    for (std::size_t end; (end = partial_log_.find('\n')) != std::string::npos;) {
      take_log_line(partial_log_.substr(0, end));
      partial_log_.erase(0, end + 1);
    }
    if (partial_log_.size() > kLogLineCap) take_log_line(std::exchange(partial_log_, {}));
  }
}

bool WorkerProcess::receive() {
  std::array<char, 65536> chunk;
  const ssize_t got = ::recv(control_, chunk.data(), chunk.size(), MSG_DONTWAIT);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  incoming_.feed({chunk.data(), static_cast<std::size_t>(got)});
  return got > 0;
}

WorkerEvent WorkerProcess::wait(double deadline_ns, int interrupt_fd) {
  for (;;) {
    if (const std::optional<std::string> line = incoming_.next()) return decode(*line);
    const double left_ms = (deadline_ns - steady_now_ns()) / 1e6;
    std::array<pollfd, 3> fds = {
        {{control_, POLLIN, 0}, {log_open_ ? log_ : -1, POLLIN, 0}, {interrupt_fd, POLLIN, 0}}};
    const int ready = ::poll(fds.data(), fds.size(), static_cast<int>(std::clamp(std::ceil(left_ms), 0.0, 60e3)));
    if (ready < 0 && errno != EINTR) throw_errno("poll failed");
    if (ready <= 0) {
      if (steady_now_ns() >= deadline_ns) return TimedOut{};
      continue;
    }
    if (fds[1].revents != 0) drain_log();
    if ((fds[2].revents & POLLIN) != 0) return Interrupted{};
    if (fds[0].revents != 0 && !receive()) {
      drain_log();
      return Closed{};
    }
    if (fds[0].revents == 0 && steady_now_ns() >= deadline_ns) return TimedOut{};  // only chatter comes
  }
}

void WorkerProcess::kill_group() { ::kill(-pid_, SIGKILL); }

Ending WorkerProcess::reap(double patience_ns) {
  const double until = steady_now_ns() + patience_ns;
  bool killed = false;
  for (;;) {
    siginfo_t info{};
    // WNOWAIT: as long as the process is not reaped, nobody else can have its group's number
    const int code = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | (killed ? 0 : WNOHANG));
    if ((code == 0 && info.si_pid == pid_) || (code != 0 && errno != EINTR)) break;
    drain_log();
    if (!killed && steady_now_ns() >= until) {
      kill_group();
      killed = true;
    } else if (!killed) {
      ::poll(nullptr, 0, 2);
    }
  }
  kill_group();  // helpers that a driver may have started in the worker's group
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  drain_log();
  if (!partial_log_.empty()) take_log_line(std::exchange(partial_log_, {}));
  return WIFSIGNALED(status) ? Ending{true, WTERMSIG(status)} : Ending{false, WEXITSTATUS(status)};
}

}  // namespace sits::worker
