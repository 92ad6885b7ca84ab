// SPDX-License-Identifier: Apache-2.0
//
// One report out of the reports of several machines.
#pragma once

#include <functional>
#include <stdexcept>
#include <vector>

#include "harness/report/model.h"

namespace sits::report {

/// Reports that cannot stand in one document: what differs, between which runs, and what to do.
struct MergeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Joins reports, merged ones among them, in their order. A run that is already in is passed over, so that merging
/// twice changes nothing; a single run comes back as it was. Device ids become "<host>/<id>", hosts that are named
/// alike
/// "<host>#2"; `device_hosts` and `device_runs` say where each came from. The summary is `summarize` of the joined
/// rows. Throws MergeError: no report, method versions or a baseline's content that differ.
Report merge(const std::vector<Report> &reports, const std::function<Summary(const Report &)> &summarize);

}  // namespace sits::report
