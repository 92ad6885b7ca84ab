// SPDX-License-Identifier: Apache-2.0
#include "harness/report/row_text.h"

#include <algorithm>

#include "harness/report/quantity.h"
#include "harness/report/text.h"

namespace sits::report {
namespace {

const std::string kNone = "-";

std::string latency_cell(const Timing &timing) {
  const Statistics &s = timing.headline_statistics();
  if (timing.headline_statistic != "p95") return time_text(s.median);
  return s.p95 ? time_text(*s.p95) + " p95" : time_text(s.median) + " median";
}

std::string interval_cell(const Timing &timing) {
  const Statistics &s = timing.headline_statistics();
  if (!s.median_ci95 || !(s.median > 0)) return kNone;
  return percent_text(std::max(s.median_ci95->high - s.median, s.median - s.median_ci95->low) / s.median);
}

std::string rate_cell(const CaseResult &row) {
  if (!row.rates) return kNone;
  const Rates &rates = *row.rates;
  if (rates.busbw_bytes_per_s) return rate_text(*rates.busbw_bytes_per_s, "B/s bus");
  const bool bandwidth_bound = row.utilization && row.utilization->bound == "bandwidth";
  const bool moves_bytes = bandwidth_bound || row.id.starts_with("stream/");
  if (rates.bytes_per_s && (moves_bytes || !rates.flops_per_s)) return rate_text(*rates.bytes_per_s, "B/s");
  return rates.flops_per_s ? rate_text(*rates.flops_per_s, "FLOP/s") : kNone;
}

std::string peak_cell(const CaseResult &row) {
  if (!row.utilization) return kNone;
  const Utilization &u = *row.utilization;
  const std::optional<double> &share = u.bound == "bandwidth" || !u.compute ? u.bandwidth : u.compute;
  return share ? percent_text(*share) : kNone;
}

}  // namespace

Tone tone_of(const CaseResult &row) {
  switch (row.status) {
    case Status::ok: return row.flags.empty() ? Tone::good : Tone::warn;
    case Status::not_applicable:
    case Status::unsupported:
    case Status::skipped: return Tone::plain;
    default: return Tone::bad;
  }
}

std::vector<std::string> measured_cells(const CaseResult &row) {
  const bool numbers = row.timing && (row.status == Status::ok || row.status == Status::incorrect);
  if (!numbers) return {kNone, kNone, kNone, kNone};
  return {latency_cell(*row.timing), interval_cell(*row.timing), rate_cell(row), peak_cell(row)};
}

std::string ratio_cell(const CaseResult &row, const std::string &baseline) {
  if (row.status != Status::ok) return kNone;
  for (const Normalized &n : row.normalized) {
    if (n.baseline != baseline || !n.ratio) continue;
    const std::string mark = n.kind == "published" ? "" : n.kind == "modelled" ? "~" : "=";
    return mark + ratio_text(*n.ratio);
  }
  return kNone;
}

std::string notes_cell(const CaseResult &row) {
  std::string out;
  const auto add = [&](const std::string &part) { out += (out.empty() ? "" : ", ") + part; };
  if (row.reason) add(row.reason->message.empty() ? row.reason->code : row.reason->message);
  for (const Flag flag : row.flags) add(std::string(flag_name(flag)));
  if (row.simulated) add("simulated");
  if (!row.note.empty()) add(row.note);
  return one_line(out);
}

}  // namespace sits::report
