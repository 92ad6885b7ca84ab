// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/exit_code.h"

#include <algorithm>
#include <vector>

namespace sits {
namespace {

/// What one status asks for; kExitNothingRan: the row did not run.
int code_of(Status status) {
  switch (status) {
    case Status::ok: return kExitOk;
    case Status::not_applicable:
    case Status::unsupported:
    case Status::skipped: return kExitNothingRan;
    case Status::incorrect:
    case Status::implausible: return kExitWrong;
    case Status::failed:
    case Status::oom:
    case Status::device_lost:
    case Status::crashed:
    case Status::timeout: return kExitFailed;
    case Status::interrupted: return kExitInterrupted;
  }
  return kExitFailed;
}

}  // namespace

int exit_code_of(std::span<const Status> statuses, bool interrupted) {
  const auto any = [&](int code) {
    return std::any_of(statuses.begin(), statuses.end(), [&](Status s) { return code_of(s) == code; });
  };
  if (interrupted || any(kExitInterrupted)) return kExitInterrupted;
  if (any(kExitWrong)) return kExitWrong;
  if (any(kExitFailed)) return kExitFailed;
  return any(kExitOk) ? kExitOk : kExitNothingRan;
}

int exit_code_of(std::span<const CaseResult> rows, bool interrupted) {
  std::vector<Status> statuses;
  for (const CaseResult &row : rows) statuses.push_back(row.status);
  return exit_code_of(statuses, interrupted);
}

}  // namespace sits
