// SPDX-License-Identifier: Apache-2.0
#include "harness/normalize/score.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace sits::normalize {
namespace {

struct LogMean {
  double sum = 0;
  std::uint32_t count = 0;
  void add(double log) {
    sum += log;
    ++count;
  }
  double mean() const { return sum / count; }
};

/// One case on one device against one baseline, over its runs.
struct CaseRatio {
  LogMean runs;
  std::string kind, reason;  // of the first run with a ratio; of the last without
  bool required = false;
};

struct Group {
  std::string device, baseline;
  std::map<std::string, CaseRatio> cases;  // by id
};

std::string op_of_id(const std::string &id) { return id.substr(0, id.find('/')); }

/// Why a row without a ratio has none, as far as it can be told.
std::string reason_of(const CaseResult &result, const Normalized &row) {
  if (result.status == Status::ok) return row.reason;
  std::string reason(status_name(result.status));
  if (result.reason && !result.reason->code.empty()) reason += ": " + result.reason->code;
  return reason;
}

Group &group_of(std::vector<Group> &groups, const std::string &device, const std::string &baseline) {
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const Group &group) {
    return group.device == device && group.baseline == baseline;
  });
  if (found != groups.end()) return *found;
  groups.push_back({device, baseline, {}});
  return groups.back();
}

std::vector<Group> grouped(std::span<const CaseResult> results) {
  std::vector<Group> groups;
  for (const CaseResult &result : results) {
    for (const Normalized &row : result.normalized) {
      CaseRatio &ratio = group_of(groups, result.device, row.baseline).cases[result.id];
      ratio.required = ratio.required || result.required;
      if (row.ratio && std::isfinite(*row.ratio) && *row.ratio > 0) {
        if (ratio.runs.count == 0) ratio.kind = row.kind;
        ratio.runs.add(std::log(*row.ratio));
      } else {
        ratio.reason = reason_of(result, row);
      }
    }
  }
  return groups;
}

Overall overall_of(const Group &group) {
  std::map<std::string, LogMean> ops;
  std::uint32_t count = 0, missing = 0;
  std::string first_missing;
  bool any_required = false;
  for (const auto &[id, ratio] : group.cases) {
    if (!ratio.required || (ratio.runs.count == 0 && ratio.reason == "no_latency")) continue;
    any_required = true;
    if (ratio.runs.count > 0) {
      ops[op_of_id(id)].add(ratio.runs.mean());
      ++count;
    } else if (++missing == 1) {
      first_missing = id + " (" + ratio.reason + ")";
    }
  }
  if (!any_required) return {std::nullopt, 0, "no case is required"};
  if (missing > 0)
    return {std::nullopt, count,
            std::to_string(missing) + " of " + std::to_string(count + missing) +
                " required cases have no ratio, first " + first_missing};
  LogMean all;
  for (const auto &[op, mean] : ops) all.add(mean.mean());
  return {std::exp(all.mean()), count, ""};
}

Score score_of(const Group &group) {
  std::map<std::string, std::map<std::string, LogMean>> means;
  for (const auto &[id, ratio] : group.cases)
    if (ratio.runs.count > 0) means[op_of_id(id)][ratio.kind].add(ratio.runs.mean());
  Score score;
  score.device = group.device;
  score.baseline = group.baseline;
  for (const auto &[op, kinds] : means)
    for (const auto &[kind, mean] : kinds) score.geomean[op][kind] = {std::exp(mean.mean()), mean.count};
  score.overall = overall_of(group);
  return score;
}

/// The reason when all baselines lack a ratio for the same one; else named with each baseline that lacks it.
std::vector<std::string> reasons_of(const CaseResult &result) {
  const auto &rows = result.normalized;
  const bool alike = !rows.empty() && std::all_of(rows.begin(), rows.end(), [&](const Normalized &row) {
    return !row.ratio && row.reason == rows.front().reason;
  });
  if (alike) return {reason_of(result, rows.front())};
  std::vector<std::string> reasons;
  for (const Normalized &row : rows)
    if (!row.ratio) reasons.push_back(row.baseline + ": " + reason_of(result, row));
  return reasons;
}

}  // namespace

Scores score(std::span<const CaseResult> results) {
  Scores scores;
  for (const Group &group : grouped(results)) scores.scores.push_back(score_of(group));
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  for (const CaseResult &result : results)
    for (const std::string &reason : reasons_of(result))
      if (seen.emplace(result.id, result.device, reason).second)
        scores.left_out.push_back({result.id, result.device, reason});
  return scores;
}

}  // namespace sits::normalize
