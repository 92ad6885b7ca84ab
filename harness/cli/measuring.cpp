// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/measuring.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <exception>
#include <iostream>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "harness/cli/assemble.h"
#include "harness/cli/command.h"
#include "harness/cli/files.h"
#include "harness/cli/progress.h"
#include "harness/measure/combine_runs.h"
#include "harness/measure/plausibility.h"
#include "harness/worker/interrupts.h"

namespace sits::cli {
namespace {

worker::WorkerCommand worker_command() {
  worker::WorkerCommand command;
  command.executable = installation().executable;
  return command;
}

/// A pipe that carries one signal record per interrupt to one of several runs.
struct Relay {
  int read_end = -1, write_end = -1;
  Relay() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
      throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
    read_end = ends[0];
    write_end = ends[1];
  }
  Relay(const Relay &) = delete;
  Relay &operator=(const Relay &) = delete;
  ~Relay() {
    ::close(read_end);
    ::close(write_end);
  }
};

void relay_interrupts(int from, const std::vector<std::unique_ptr<Relay>> &relays,
                      const std::atomic<std::size_t> &left) {
  while (left.load() > 0) {
    pollfd watched{from, POLLIN, 0};
    if (::poll(&watched, 1, 50) <= 0) continue;
    const int number = worker::take_interrupt(from);
    if (number == 0) continue;
    signalfd_siginfo info{};
    info.ssi_signo = static_cast<std::uint32_t>(number);
    for (const auto &relay : relays)
      if (::write(relay->write_end, &info, sizeof info) < 0 && errno != EAGAIN)
        throw std::system_error(errno, std::generic_category(), "cannot pass an interrupt on");
  }
}

worker::RunPlan part_for(const worker::RunPlan &plan, std::size_t device) {
  worker::RunPlan part = plan;
  std::erase_if(part.items, [&](const auto &item) { return item.device != device; });
  return part;
}

worker::RunEvents locked(const worker::RunEvents &events, std::mutex &mutex) {
  worker::RunEvents safe;
  safe.started = [&](const auto &item) {
    const std::lock_guard lock(mutex);
    if (events.started) events.started(item);
  };
  safe.progress = [&](const auto &item, const auto &now) {
    const std::lock_guard lock(mutex);
    if (events.progress) events.progress(item, now);
  };
  safe.finished = [&](const auto &item, const auto &row) {
    const std::lock_guard lock(mutex);
    if (events.finished) events.finished(item, row);
  };
  safe.log = [&](const auto &device, const auto &line) {
    const std::lock_guard lock(mutex);
    if (events.log) events.log(device, line);
  };
  return safe;
}

worker::RunOutcome joined(std::vector<worker::RunOutcome> parts) {
  worker::RunOutcome all;
  for (auto &part : parts) {
    std::ranges::move(part.finished, std::back_inserter(all.finished));
    all.devices.merge(part.devices);
    all.interrupted = all.interrupted || part.interrupted;
  }
  return all;
}

worker::RunOutcome execute_concurrently(const worker::RunPlan &plan, const worker::RunEvents &events,
                                        int interrupt_fd) {
  std::mutex mutex;
  const worker::RunEvents safe = locked(events, mutex);
  const std::size_t count = plan.devices.size();
  std::vector<std::unique_ptr<Relay>> relays;
  for (std::size_t i = 0; i < count; ++i) relays.push_back(std::make_unique<Relay>());
  std::vector<worker::RunOutcome> outcomes(count);
  std::vector<std::exception_ptr> failures(count);
  std::atomic<std::size_t> left{count};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      try {
        outcomes[i] = worker::run(part_for(plan, i), safe, worker_command(), relays[i]->read_end);
      } catch (...) {
        failures[i] = std::current_exception();
      }
      --left;
    });
  relay_interrupts(interrupt_fd, relays, left);
  for (auto &thread : threads) thread.join();
  for (const auto &failure : failures)
    if (failure) std::rethrow_exception(failure);
  return joined(std::move(outcomes));
}

worker::Journal open_journal(const worker::RunPlan &plan, const RunOptions &options, const std::string &output) {
  const std::string hash = worker::plan_hash(plan);
  const std::string path = worker::journal_path(output, hash);
  try {
    if (options.resume) return worker::Journal::resume(path, hash);
    worker::JournalHeader header{new_run_id(), utc_now(), hash, {}};
    const auto arguments = decisive_arguments(options);
    for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) header.options[arguments[i]] = arguments[i + 1];
    return worker::Journal::create(path, header, options.force);
  } catch (const worker::JournalError &error) {
    throw UsageError(error.what());
  }
}

/// Sizes at which a device's time has not grown with the work are not believed (docs/method.md, "Plausibility").
void refuse_flat_sweeps(std::vector<CaseResult> &rows) {
  std::vector<SweepPoint> points;
  std::vector<CaseResult *> timed;
  for (CaseResult &row : rows) {
    if (row.status != Status::ok || !row.timing) continue;
    const auto test_case = microbench::parse_id(row.id);
    const double flops = row.work && row.work->flops ? *row.work->flops : 0;
    points.push_back(
        {test_case, microbench::work_model(test_case, flops), row.device, row.timing->headline_statistics().median});
    timed.push_back(&row);
  }
  for (const auto &fault : check_sweeps(points)) {
    timed[fault.point]->status = Status::implausible;
    timed[fault.point]->reason = fault.reason;
    drop_numbers(*timed[fault.point]);
  }
}

void take_rows(report::Report &report, std::vector<worker::FinishedCase> rows) {
  std::ranges::sort(rows, {}, [](const auto &finished) { return finished.row.order_index; });
  for (auto &finished : rows) report.results.push_back(std::move(finished.row));
}

}  // namespace

worker::RunOutcome execute(const worker::RunPlan &plan, const worker::RunEvents &events, bool concurrent) {
  const worker::Interrupts interrupts;
  if (concurrent && plan.devices.size() > 1) return execute_concurrently(plan, events, interrupts.fd());
  return worker::run(plan, events, worker_command(), interrupts.fd());
}

Measured measure_plan(const worker::RunPlan &plan, const RunOptions &options,
                      const std::vector<microbench::Suite> &suites, const std::string &output) {
  Measured measured{empty_report(plan, options, suites), open_journal(plan, options, output)};
  auto &journal = measured.journal;
  std::vector<worker::FinishedCase> rows = journal.finished();
  worker::RunPlan rest = plan;
  rest.items = worker::remaining_items(plan, rows);

  if (!options.quiet) std::cerr << plan_summary(rest) << '\n';
  Progress progress(rest, options.quiet, plan.items.size() - rest.items.size());
  bool journal_failed = false;
  worker::RunEvents events;
  events.started = [&](const auto &item) { progress.started(item); };
  events.progress = [&](const auto &item, const auto &now) { progress.progress(item, now); };
  events.log = [&](const auto &device, const auto &line) { progress.log(device, line); };
  events.finished = [&](const auto &item, const auto &row) {
    try {
      journal.append(row);
    } catch (const worker::JournalError &error) {  // the row is in memory: the report will still have it
      if (!std::exchange(journal_failed, true)) progress.log("journal", error.what());
    }
    progress.finished(item, row.row);
  };
  auto outcome = execute(rest, events, options.concurrent);
  progress.end();

  std::erase_if(rows, [](const auto &finished) { return finished.row.status == Status::interrupted; });
  std::ranges::move(outcome.finished, std::back_inserter(rows));
  worker::normalize_probes(rows);
  auto &report = measured.report;
  report.run.id = journal.header().run_id;
  report.run.started_at = journal.header().started_at;
  report.run.finished_at = utc_now();
  report.run.interrupted = outcome.interrupted;
  add_devices(report, plan, outcome.devices, rows);
  take_rows(report, std::move(rows));
  refuse_flat_sweeps(report.results);
  set_between_run_spread(report.results);
  return measured;
}

}  // namespace sits::cli
