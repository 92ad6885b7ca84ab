// SPDX-License-Identifier: Apache-2.0
//
// What a person sees while a run goes on: one living line on a terminal, one plain line per finished case elsewhere.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>

#include "harness/worker/supervisor.h"

namespace sits::cli {

/// Writes to standard error; safe to call from several threads.
class Progress {
 public:
  /// `quiet`: nothing at all. `already_finished`: rows that a resumed run brought along.
  Progress(const worker::RunPlan &plan, bool quiet, std::size_t already_finished);
  void started(const worker::PlanItem &item);
  void progress(const worker::PlanItem &item, const worker::CaseProgress &now);
  void finished(const worker::PlanItem &item, const CaseResult &row);
  void log(const std::string &device, const std::string &line);
  /// Clears the living line.
  void end();

 private:
  void show(const std::string &line);
  void print(const std::string &line);
  std::string eta() const;
  std::string label(const worker::PlanItem &item) const;

  const worker::RunPlan &plan_;
  const bool quiet_;
  const bool terminal_;
  std::size_t finished_;
  const std::size_t finished_before_;
  double started_ns_;
  std::mutex mutex_;
};

}  // namespace sits::cli
