// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/supervisor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <system_error>

#include "harness/measure/probes.h"
#include "harness/worker/host_facts.h"
#include "harness/worker/interrupts.h"
#include "harness/worker/process.h"

namespace sits::worker {
namespace {

constexpr double kClosePatienceNs = 3e9;  // a driver may take its time to shut down
constexpr double kExitPatienceNs = 5e9;   // after the socket closed: a core dump takes a while
constexpr double kCancelPatienceNs = 10e9;
constexpr int kLossesInARow = 3;

std::string quoted_for_shell(const std::string &text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./:=,+@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// Whether the user's own environment steers a library that this backend uses.
bool environment_overridden(const plugin::Info &info) {
  for (const auto &[key, value] : info.environment)
    if (const char *set = std::getenv(key.c_str()); set != nullptr && value != set) return true;
  const auto recorded = recorded_environment(::environ);
  return std::any_of(recorded.begin(), recorded.end(), [](const auto &v) { return changes_results(v.first); });
}

class Supervisor {
 public:
  Supervisor(const RunPlan &plan, const RunEvents &events, const WorkerCommand &command, int interrupt_fd)
      : plan_(plan), events_(events), command_(command), interrupt_fd_(interrupt_fd), losses_(plan.devices.size(), 0) {}

  RunOutcome run() {
    for (const PlanItem &item : plan_.items) {
      if (!outcome_.interrupted && interrupt_fd_ >= 0 && take_interrupt(interrupt_fd_) != 0)
        outcome_.interrupted = true;
      FinishedCase finished =
          outcome_.interrupted ? unmeasured(item, Status::interrupted, "interrupted", kInterrupted) : run_item(item);
      if (events_.finished) events_.finished(item, finished);
      outcome_.finished.push_back(std::move(finished));
    }
    stop_worker();
    return std::move(outcome_);
  }

 private:
  static constexpr const char *kInterrupted = "the run was stopped before this case was finished";

  struct Key {
    std::size_t device;
    std::uint32_t run_index;
    bool operator==(const Key &) const = default;
  };

  FinishedCase unmeasured(const PlanItem &item, Status status, std::string code, std::string message) const {
    const PlannedDevice &device = plan_.devices[item.device];
    FinishedCase finished;
    CaseResult &row = finished.row;
    row.id = plan_.cases[item.test_case].id;
    row.device = device.id;
    row.run_index = item.run_index;
    row.order_index = item.order_index;
    row.required = plan_.cases[item.test_case].required;
    row.status = status;
    row.reason = Reason{std::move(code), std::move(message)};
    row.simulated = (device.device.flags & SITS_DEVICE_SIMULATED) != 0;
    row.reproduce = reproduce(item);
    return finished;
  }

  std::string reproduce(const PlanItem &item) const {
    return fmt::format("{} --case {} --device {} --seed {}", plan_.reproduce_prefix,
                       quoted_for_shell(plan_.cases[item.test_case].id),
                       quoted_for_shell(plan_.devices[item.device].id), plan_.seed);
  }

  FinishedCase run_item(const PlanItem &item) {
    if (events_.started) events_.started(item);
    if (losses_[item.device] >= kLossesInARow)
      return unmeasured(item, Status::device_lost, "given_up",
                        fmt::format("{} cases in a row took the worker or the device down; the rest of {} is left out",
                                    kLossesInARow, plan_.devices[item.device].id));
    FinishedCase finished = attempt(item);
    const Status status = finished.row.status;
    const bool lost = status == Status::crashed || status == Status::timeout || status == Status::device_lost;
    losses_[item.device] = lost ? losses_[item.device] + 1 : 0;
    if (lost) stop_worker();  // after a loss the session is worth nothing
    return finished;
  }

  FinishedCase attempt(const PlanItem &item) {
    try {
      if (std::optional<FinishedCase> failure = ensure_worker(item)) return std::move(*failure);
      return run_case(item);
    } catch (const ProtocolError &error) {
      worker_.reset();
      return unmeasured(item, Status::crashed, "protocol", error.what());
    }
  }

  // ---------------------------------------------------------------------------------------------- the worker ---

  void start_process(const PlannedDevice &device) {
    WorkerProcess::Setup setup;
    setup.executable = command_.executable;
    setup.plugin_path = device.plugin_path;
    setup.environment = device.info.environment;
    const bool bind = (device.device.flags & SITS_DEVICE_CPU) == 0 && device.device.numa_node >= 0;
    if (bind) setup.numa_node = device.device.numa_node;
    if (events_.log) setup.log = [this, id = device.id](const std::string &line) { events_.log(id, line); };
    worker_ = std::make_unique<WorkerProcess>(std::move(setup));
  }

  /// A worker with an open session for the item's device and run. Returns the row instead when that fails.
  std::optional<FinishedCase> ensure_worker(const PlanItem &item) {
    const Key key{item.device, item.run_index};
    if (worker_ && key_ == key) return std::nullopt;
    stop_worker();
    const PlannedDevice &device = plan_.devices[item.device];
    if (const auto refused = refused_.find(item.device); refused != refused_.end())
      return refusal(item, refused->second);
    start_process(device);
    key_ = key;
    phase_ = "opening the device";
    plugin::KeyValues options = device.options;
    if (device.info.name == "cpu") options.emplace_back("calibrate", "1");  // only a run may take seconds to start
    worker_->send(ListDevices{options});
    Answer answer = await(steady_now_ns() + std::max(command_.start_timeout_ns, plan_.hang_floor_ns), 0);
    if (const auto *list = answer.get<DeviceList>()) {
      for (const plugin::Device &found : list->devices)
        outcome_.devices[device_id(device.info.name, found.index)] = found;
      return std::nullopt;
    }
    if (const auto *error = answer.get<Error>()) {
      stop_worker();
      return refusal(item, refused_.emplace(item.device, *error).first->second);
    }
    return lost_row(item, answer);
  }

  /// The row of a device that could not be opened; it is not tried again for every case.
  FinishedCase refusal(const PlanItem &item, const Error &error) const {
    const Status status = error.code == "unavailable"     ? Status::unsupported
                          : error.code == "out_of_memory" ? Status::oom
                                                          : Status::failed;
    return unmeasured(item, status, error.code, described(error));
  }

  void stop_worker() {
    if (!worker_) return;
    worker_->send(Bye{});
    const Ending ending = worker_->reap(kClosePatienceNs);
    if (ending.by_signal && events_.log)
      events_.log(plan_.devices[key_.device].id, "the worker ended with " + ending.text() + " while closing");
    worker_.reset();
  }

  // ------------------------------------------------------------------------------------------------ a case ---

  FinishedCase run_case(const PlanItem &item) {
    const PlannedDevice &device = plan_.devices[item.device];
    const PlannedCase &test = plan_.cases[item.test_case];
    RunCase request;
    request.case_id = test.id;
    request.device_id = device.id;
    request.device = device.device.index;
    request.run_index = item.run_index;
    request.order_index = item.order_index;
    request.required = test.required;
    request.env_override = environment_overridden(device.info);
    request.seed = plan_.seed;
    request.provider = plan_.provider;
    request.reproduce = reproduce(item);
    request.policy = test.policy;
    phase_ = "starting";
    worker_->send(request);
    const double now = steady_now_ns();
    const double case_ns = std::max(plan_.hang_floor_ns, plan_.hang_factor * test.policy.budget_ns);
    Answer answer = await(now + case_ns, plan_.hang_floor_ns, &item);
    if (auto *result = answer.get<Result>()) return std::move(result->finished);
    if (const auto *error = answer.get<Error>())
      return unmeasured(item, Status::failed, error->code, described(*error));
    return lost_row(item, answer);
  }

  static std::string described(const Error &error) {
    if (error.api.empty()) return error.message;
    return fmt::format("{} ({} returned {})", error.message, error.api, error.vendor_code);
  }

  enum class Cause { answered, closed, hung, killed };
  /// What ended a wait.
  struct Answer {
    Cause cause = Cause::answered;
    double waited_ns = 0;
    std::optional<Message> message;  // when answered
    template <typename T>
    T *get() {
      return message ? std::get_if<T>(&*message) : nullptr;
    }
  };

  /// Waits for the worker's answer. `until` bounds it as a whole; a silence of max(floor, factor × what the worker
  /// expects of its step) ends it too, when `silence_floor_ns` is not 0.
  Answer await(double until, double silence_floor_ns, const PlanItem *item = nullptr) {
    const double began = steady_now_ns();
    const auto silence_limit = [&](double expected_ns) {
      if (silence_floor_ns <= 0) return until;
      return steady_now_ns() + std::max(silence_floor_ns, plan_.hang_factor * expected_ns);
    };
    double quiet_until = silence_limit(0);
    for (;;) {
      WorkerEvent event = worker_->wait(std::min(until, quiet_until), interrupt_fd_);
      const auto ended = [&](Cause cause) { return Answer{cause, steady_now_ns() - began, {}}; };
      if (std::holds_alternative<Closed>(event)) return ended(Cause::closed);
      if (std::holds_alternative<TimedOut>(event)) return ended(outcome_.interrupted ? Cause::killed : Cause::hung);
      if (std::holds_alternative<Interrupted>(event)) {
        if (take_interrupt(interrupt_fd_) == 0) continue;
        if (outcome_.interrupted) return ended(Cause::killed);
        outcome_.interrupted = true;
        worker_->send(Cancel{});
        quiet_until = std::min(quiet_until, steady_now_ns() + kCancelPatienceNs);
        continue;
      }
      Message &message = std::get<Message>(event);
      if (std::holds_alternative<Hello>(message)) {
        if (std::get<Hello>(message).protocol != kProtocolVersion)
          throw ProtocolError("the worker is of another version");
      } else if (const auto *progress = std::get_if<Progress>(&message)) {
        phase_ = progress->phase;
        quiet_until = silence_limit(progress->expected_ns);
        if (item != nullptr && events_.progress)
          events_.progress(*item, {progress->phase, progress->samples, progress->median_ns});
      } else if (const auto *log = std::get_if<Log>(&message)) {
        if (events_.log) events_.log(plan_.devices[key_.device].id, log->text);
      } else {
        return {Cause::answered, steady_now_ns() - began, std::move(message)};
      }
    }
  }

  /// The row of a case whose worker is gone or had to go.
  FinishedCase lost_row(const PlanItem &item, const Answer &answer) {
    const double patience = answer.cause == Cause::closed ? kExitPatienceNs : 0;
    const Ending ending = worker_->reap(patience);
    const std::string last = worker_->last_line();
    worker_.reset();
    switch (answer.cause) {
      case Cause::killed: return unmeasured(item, Status::interrupted, "interrupted", kInterrupted);
      case Cause::hung:
        return unmeasured(
            item, Status::timeout, "deadline",
            fmt::format("no end after {:.3g} s in phase '{}'; the worker was killed", answer.waited_ns / 1e9, phase_));
      case Cause::closed: break;
      case Cause::answered:
        return unmeasured(item, Status::crashed, "protocol", "the worker gave an answer to nothing");
    }
    if (outcome_.interrupted && !ending.by_signal)
      return unmeasured(item, Status::interrupted, "interrupted", kInterrupted);
    std::string message = fmt::format("the worker ended with {} in phase '{}'", ending.text(), phase_);
    if (!last.empty()) message += "; its last words: " + last;
    return unmeasured(item, Status::crashed, ending.by_signal ? "signal" : "exited", std::move(message));
  }

  const RunPlan &plan_;
  const RunEvents &events_;
  const WorkerCommand &command_;
  int interrupt_fd_;
  std::vector<int> losses_;               // in a row, by device
  std::map<std::size_t, Error> refused_;  // devices that could not be opened
  std::unique_ptr<WorkerProcess> worker_;
  Key key_{};
  std::string phase_;
  RunOutcome outcome_;
};

}  // namespace

std::string device_id(const std::string &backend, std::uint32_t index) { return fmt::format("{}:{}", backend, index); }

RunOutcome run(const RunPlan &plan, const RunEvents &events, const WorkerCommand &command, int interrupt_fd) {
  return Supervisor(plan, events, command, interrupt_fd).run();
}

void normalize_probes(std::vector<FinishedCase> &rows) {
  std::vector<CaseResult *> pointers;
  for (FinishedCase &finished : rows) pointers.push_back(&finished.row);
  sits::normalize_probes(std::span<CaseResult *const>(pointers));
}

}  // namespace sits::worker
