// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/probes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace sits {
namespace {

bool usable(double ns) { return std::isfinite(ns) && ns > 0; }

void set_flag(std::vector<Flag> &flags, Flag flag, bool on) {
  const auto found = std::find(flags.begin(), flags.end(), flag);
  if (on && found == flags.end()) flags.push_back(flag);
  if (!on && found != flags.end()) flags.erase(found);
}

}  // namespace

std::optional<double> best_probe_ns(std::span<const double> medians_ns) {
  std::optional<double> best;
  for (const double ns : medians_ns)
    if (usable(ns)) best = best ? std::min(*best, ns) : ns;
  return best;
}

std::optional<double> probe_normalized_ns(double case_median_ns, double probe_ns, double best_ns) {
  if (!usable(case_median_ns) || !usable(probe_ns) || !usable(best_ns)) return std::nullopt;
  return case_median_ns * best_ns / probe_ns;
}

bool is_quiet(double probe_ns, double best_ns) { return probe_ns <= kQuietProbe * best_ns; }

void normalize_probes(std::span<CaseResult *const> rows) {
  std::map<std::pair<std::string, std::string>, std::vector<double>> times;  // by device and kind
  for (const CaseResult *row : rows)
    if (row->probe) times[{row->device, row->probe->kind}].push_back(row->probe->median_ns);
  for (CaseResult *row : rows) {
    if (!row->probe) continue;
    const auto best = best_probe_ns(times[{row->device, row->probe->kind}]);
    if (!best || !usable(row->probe->median_ns)) continue;
    set_flag(row->flags, Flag::not_quiet, !is_quiet(row->probe->median_ns, *best));
    if (!row->timing || row->timing->headline_statistics().n == 0) continue;
    const double median = row->timing->headline_statistics().median;
    row->probe->normalized_median_ns = probe_normalized_ns(median, row->probe->median_ns, *best).value_or(0);
  }
}

void normalize_probes(std::span<CaseResult> rows) {
  std::vector<CaseResult *> pointers;
  for (CaseResult &row : rows) pointers.push_back(&row);
  normalize_probes(std::span<CaseResult *const>(pointers));
}

}  // namespace sits
