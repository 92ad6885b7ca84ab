// SPDX-License-Identifier: Apache-2.0
#include "harness/normalize/normalize.h"

#include <array>
#include <cmath>

namespace sits::normalize {
namespace {

struct Measured {
  double latency_ns = 0;
  double log_below = 0, log_above = 0;  // distances to the ends of the 95 % interval
  bool has_interval = false;
};

bool usable(double x) { return std::isfinite(x) && x > 0; }

/// The relative interval of the median also stands for that of a tail percentile, which has none of its own.
std::optional<Measured> measured(const Timing &timing, Headline convention) {
  const Statistics &statistics = convention == Headline::device ? timing.device_ns : timing.submit_to_complete_ns;
  if (statistics.n == 0 || !usable(statistics.median)) return std::nullopt;
  Measured out;
  out.latency_ns = timing.headline_statistic == "p95" && statistics.p95 ? *statistics.p95 : statistics.median;
  if (!usable(out.latency_ns)) return std::nullopt;
  const auto &interval = statistics.median_ci95;
  if (interval && usable(interval->low) && usable(interval->high)) {
    out.log_below = std::log(statistics.median / interval->low);
    out.log_above = std::log(interval->high / statistics.median);
    out.has_interval = true;
  }
  return out;
}

void set_ratio(Normalized &row, const Measured &m, const Reference &reference) {
  row.ratio = m.latency_ns / reference.value_ns;
  if (!m.has_interval) return;
  const double u = std::log1p(reference.uncertainty);
  const auto widened = [u](double a) { return std::exp(std::sqrt(a * a + u * u)); };
  row.ci95 = Interval{*row.ratio / widened(m.log_below), *row.ratio * widened(m.log_above)};
}

void fill(Normalized &row, const CaseResult &result, const microbench::Case &test_case, const Baseline &baseline,
          const Options &options) {
  const Query query{options.kind, options.convention, result.timing->headline};
  const Found found = find(baseline, test_case, query);
  row.reason = found.reason;
  if (!found.reference) return;
  const Reference &reference = *found.reference;
  if (reference.kind == Kind::measured && baseline.method_version != options.method_version) {
    row.reason = "other_method";
    return;
  }
  row.value_ns = reference.value_ns;
  row.kind = kind_name(reference.kind);
  row.source = reference.source;
  row.convention = convention_name(reference.convention);
  if (const auto m = measured(*result.timing, reference.convention)) {
    set_ratio(row, *m, reference);
  } else {
    row.reason = "no_latency_measured";
  }
}

}  // namespace

std::span<const std::string_view> default_baselines() {
  static constexpr std::array<std::string_view, 2> kIds = {"h100-sxm5-80gb", "h100-pcie-80gb"};
  return kIds;
}

std::vector<Normalized> normalize(const CaseResult &result, std::span<const Baseline> baselines,
                                  const Options &options) {
  std::vector<Normalized> rows;
  rows.reserve(baselines.size());
  for (const Baseline &baseline : baselines) {
    Normalized row;
    row.baseline = baseline.id;
    if (result.status != Status::ok) {
      row.reason = "not_ok";
    } else if (result.simulated) {
      row.reason = "simulated";
    } else if (!result.timing) {
      row.reason = "no_latency_measured";
    } else {
      fill(row, result, microbench::parse_id(result.id), baseline, options);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace sits::normalize
