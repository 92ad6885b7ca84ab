// SPDX-License-Identifier: Apache-2.0
//
// The journal: what a killed run had already measured. One JSON line names the run, one line follows per finished case,
// with its raw samples; each is one write and on disk before the next case starts.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "harness/worker/supervisor.h"

namespace sits::worker {

/// A journal that cannot be used, with its path and the remedy.
struct JournalError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct JournalHeader {
  std::string run_id;                          // uuid
  std::string started_at;                      // RFC 3339, UTC
  std::string plan_hash;                       // of plan_hash()
  std::map<std::string, std::string> options;  // for the message when the plan differs
};

/// SHA-256 over everything that decides what is measured: devices, case ids, policies, runs, seed, provider.
std::string plan_hash(const RunPlan &plan);

/// "<report>.journal" beside the report; for "-" $XDG_STATE_HOME/sits/ or ~/.local/state/sits/ (created),
/// "sits-<plan hash, 12 digits>.journal".
std::string journal_path(const std::string &report_path, const std::string &plan_hash);

class Journal {
 public:
  /// Starts a new journal, readable by its owner and group as the umask says. Throws JournalError when it exists
  /// (a killed run left it: --resume continues it, --force starts anew) unless `overwrite`.
  static Journal create(const std::string &path, const JournalHeader &header, bool overwrite);
  /// Opens an existing journal to continue it; a torn last line (the write that the kill interrupted) is cut off.
  /// Throws JournalError when it is missing, no journal, or of another plan.
  static Journal resume(const std::string &path, const std::string &plan_hash);

  Journal(Journal &&) noexcept;
  Journal &operator=(Journal &&) noexcept;
  ~Journal();

  const JournalHeader &header() const { return header_; }
  const std::string &path() const { return path_; }
  /// The rows that were finished when it was opened.
  const std::vector<FinishedCase> &finished() const { return finished_; }

  /// Throws JournalError when the row is not safely on disk. A row that ended by interruption is not kept: --resume
  /// measures it.
  void append(const FinishedCase &row);
  /// After the report stands: the journal has served.
  void remove();

 private:
  Journal(int fd, std::string path, JournalHeader header)
      : fd_(fd), path_(std::move(path)), header_(std::move(header)) {}
  int fd_ = -1;
  std::string path_;
  JournalHeader header_;
  std::vector<FinishedCase> finished_;
};

/// The items of the plan that no row of `finished` answers.
std::vector<PlanItem> remaining_items(const RunPlan &plan, const std::vector<FinishedCase> &finished);

}  // namespace sits::worker
