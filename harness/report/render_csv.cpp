// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include "harness/report/quantity.h"
#include "harness/report/renderer.h"
#include "harness/report/text.h"

namespace sits::report {
namespace {

struct Field {
  std::string name;
  std::function<std::string(const CaseResult &)> value;
  bool measured = true;  // shown only where the row's numbers may leave
};

/// Whether the row's numbers may leave: what is neither verified nor marked as wrong shows none.
bool has_numbers(const CaseResult &row) { return row.status == Status::ok || row.status == Status::incorrect; }

std::string number(const std::optional<double> &value) { return value ? exact_number(*value) : std::string(); }

/// A field of the headline's statistics, empty where there is no timing.
Field statistic(std::string name, std::function<std::optional<double>(const Statistics &)> pick) {
  return {std::move(name), [pick = std::move(pick)](const CaseResult &row) {
            return row.timing ? number(pick(row.timing->headline_statistics())) : std::string();
          }};
}

Field median(std::string name, Statistics Timing::*latency) {
  return {std::move(name), [latency](const CaseResult &row) {
            return row.timing ? number((*row.timing.*latency).median) : std::string();
          }};
}

template <class Part>
Field part(std::string name, std::optional<Part> CaseResult::*where, std::optional<double> Part::*what) {
  return {std::move(name),
          [where, what](const CaseResult &row) { return row.*where ? number((*(row.*where)).*what) : std::string(); }};
}

std::string flags_of(const CaseResult &row) {
  std::string out;
  for (const Flag flag : row.flags) out += (out.empty() ? "" : ";") + std::string(flag_name(flag));
  return out;
}

std::vector<Field> identity_fields() {
  return {{"case", [](const CaseResult &r) { return r.id; }},
          {"device", [](const CaseResult &r) { return r.device; }},
          {"run_index", [](const CaseResult &r) { return std::to_string(r.run_index); }},
          {"status", [](const CaseResult &r) { return std::string(status_name(r.status)); }},
          {"reason_code", [](const CaseResult &r) { return r.reason ? r.reason->code : ""; }},
          {"reason", [](const CaseResult &r) { return r.reason ? r.reason->message : ""; }},
          {"flags", flags_of},
          {"provenance", [](const CaseResult &r) { return r.simulated ? "simulated" : "measured"; }},
          {"provider", [](const CaseResult &r) { return r.provider; }}};
}

std::vector<Field> timing_fields() {
  return {
      {"headline",
       [](const CaseResult &r) {
         return !r.timing ? "" : r.timing->headline == Headline::device ? "device" : "submit";
       }},
      {"headline_statistic", [](const CaseResult &r) { return r.timing ? r.timing->headline_statistic : ""; }},
      median("device_median_ns", &Timing::device_ns),
      median("submit_to_complete_median_ns", &Timing::submit_to_complete_ns),
      {"n", [](const CaseResult &r) { return r.timing ? std::to_string(r.timing->headline_statistics().n) : ""; }},
      {"batch", [](const CaseResult &r) { return r.timing ? std::to_string(r.timing->batch) : ""; }},
      statistic("min_ns", [](const Statistics &s) { return std::optional(s.min); }),
      statistic("median_ci95_low_ns",
                [](const Statistics &s) { return s.median_ci95 ? std::optional(s.median_ci95->low) : std::nullopt; }),
      statistic("median_ci95_high_ns",
                [](const Statistics &s) { return s.median_ci95 ? std::optional(s.median_ci95->high) : std::nullopt; }),
      statistic("p95_ns", [](const Statistics &s) { return s.p95; }),
      statistic("p99_ns", [](const Statistics &s) { return s.p99; })};
}

std::vector<Field> rate_fields() {
  return {part("flops_per_s", &CaseResult::rates, &Rates::flops_per_s),
          part("bytes_per_s", &CaseResult::rates, &Rates::bytes_per_s),
          part("busbw_bytes_per_s", &CaseResult::rates, &Rates::busbw_bytes_per_s),
          part("compute_utilization", &CaseResult::utilization, &Utilization::compute),
          part("bandwidth_utilization", &CaseResult::utilization, &Utilization::bandwidth)};
}

/// Two columns per baseline, so that a spreadsheet can filter by kind.
std::vector<Field> baseline_fields(const std::string &id) {
  const auto find = [id](const CaseResult &row) {
    const auto found = std::find_if(row.normalized.begin(), row.normalized.end(),
                                    [&](const Normalized &n) { return n.baseline == id; });
    return found == row.normalized.end() ? Normalized{} : *found;
  };
  return {{"ratio:" + id, [find](const CaseResult &row) { return number(find(row).ratio); }},
          {"kind:" + id, [find](const CaseResult &row) { return find(row).ratio ? find(row).kind : std::string(); }}};
}

std::vector<Field> fields_of(const Report &report) {
  std::vector<Field> fields;
  const auto add = [&](std::vector<Field> more) { std::move(more.begin(), more.end(), std::back_inserter(fields)); };
  add(identity_fields());
  for (Field &field : fields) field.measured = false;
  add(timing_fields());
  add(rate_fields());
  std::vector<std::string> baselines;
  for (const BaselineInfo &baseline : report.baselines) baselines.push_back(baseline.id);
  for (const CaseResult &row : report.results) {
    for (const Normalized &n : row.normalized) baselines.push_back(n.baseline);
  }
  std::sort(baselines.begin(), baselines.end());
  baselines.erase(std::unique(baselines.begin(), baselines.end()), baselines.end());
  for (const std::string &id : baselines) add(baseline_fields(id));
  return fields;
}

std::string quoted(const std::string &text) {
  const std::string clean = clean_utf8(text);
  if (clean.find_first_of(",\"\r\n") == std::string::npos) return clean;
  std::string out = "\"";
  for (const char c : clean) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

}  // namespace

std::string render_csv(const Report &report, const RenderOptions & /*options*/) {
  const std::vector<Field> fields = fields_of(report);
  std::string out;
  const auto line = [&](const auto &cell) {
    for (std::size_t i = 0; i < fields.size(); ++i) out += (i == 0 ? "" : ",") + quoted(cell(fields[i]));
    out += "\r\n";
  };
  line([](const Field &field) { return field.name; });
  for (const CaseResult &row : report.results) {
    line([&](const Field &field) { return field.measured && !has_numbers(row) ? std::string() : field.value(row); });
  }
  return out;
}

}  // namespace sits::report
