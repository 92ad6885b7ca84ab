// SPDX-License-Identifier: Apache-2.0
#include "harness/report/view.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "harness/report/quantity.h"
#include "harness/report/row_text.h"
#include "harness/report/text.h"

namespace sits::report {
namespace {

std::string join(const std::vector<std::string> &parts, const std::string &separator) {
  std::string out;
  for (const std::string &part : parts) {
    if (!part.empty()) out += (out.empty() ? "" : separator) + part;
  }
  return out;
}

std::string title_of(const Report &report) {
  std::vector<std::string> suites;
  for (const SuiteInfo &suite : report.run.suites) suites.push_back(join({suite.name, suite.version}, " "));
  return one_line(join({"SITS Bench " + report.run.tool.version, join(suites, ", "), report.run.started_at}, " · "));
}

std::string host_line(const HostInfo &host) {
  return one_line(join({host.hostname, host.cpu_model, host.memory_bytes ? bytes_text(double(*host.memory_bytes)) : "",
                        host.os, host.virtualization, host.container},
                       " · "));
}

std::string device_line(const DeviceInfo &device) {
  return one_line(
      join({device.id, device.name, device.partition, device.driver.empty() ? "" : "driver " + device.driver,
            join({device.backend, device.backend_version}, " "), device.simulated ? "simulated" : ""},
           " · "));
}

std::vector<std::string> machine_of(const Report &report) {
  std::vector<std::string> lines;
  if (report.device_hosts.empty()) lines.push_back(host_line(report.host));
  std::set<std::string> hosts;
  for (const auto &[device, host] : report.device_hosts) {
    if (std::string line = host_line(host); hosts.insert(line).second) lines.push_back(line);
  }
  for (const DeviceInfo &device : report.devices) lines.push_back(device_line(device));
  std::erase(lines, "");
  return lines;
}

/// Baselines in the order the report names them, then any that only rows name.
std::vector<std::string> baselines_of(const Report &report) {
  std::vector<std::string> ids;
  const auto add = [&](const std::string &id) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  };
  for (const BaselineInfo &baseline : report.baselines) add(baseline.id);
  for (const CaseResult &row : report.results) {
    for (const Normalized &normalized : row.normalized) add(normalized.baseline);
  }
  return ids;
}

/// Columns that say the same in every row are left out.
struct Shape {
  bool device = false, run = false;
  std::vector<std::string> baselines;
};

Shape shape_of(const Report &report) {
  Shape shape;
  for (const CaseResult &row : report.results) {
    shape.device = shape.device || row.device != report.results.front().device;
    shape.run = shape.run || row.run_index != report.results.front().run_index;
  }
  shape.baselines = baselines_of(report);
  return shape;
}

Table results_of(const Report &report) {
  const Shape shape = shape_of(report);
  Table table;
  table.columns = {{"case", false}, {"status", false}};
  if (shape.device) table.columns.push_back({"device", false});
  if (shape.run) table.columns.push_back({"run", true});
  for (const char *title : {"latency", "±95%", "rate", "% peak"}) table.columns.push_back({title, true});
  for (const std::string &id : shape.baselines) table.columns.push_back({one_line("× " + id), true});
  table.columns.push_back({"notes", false});
  for (const CaseResult &row : report.results) {
    Row out{{one_line(row.id), std::string(status_name(row.status))}, tone_of(row)};
    if (shape.device) out.cells.push_back(one_line(row.device));
    if (shape.run) out.cells.push_back(std::to_string(row.run_index));
    for (std::string &cell : measured_cells(row)) out.cells.push_back(std::move(cell));
    for (const std::string &id : shape.baselines) out.cells.push_back(ratio_cell(row, id));
    out.cells.push_back(notes_cell(row));
    table.rows.push_back(std::move(out));
  }
  return table;
}

std::vector<std::string> legend_of(const Report &report) {
  bool published = false;
  bool modelled = false;
  bool ratios = false;
  for (const CaseResult &row : report.results) {
    for (const Normalized &n : row.normalized) {
      ratios = ratios || n.ratio;
      published = published || (n.ratio && n.kind == "published");
      modelled = modelled || (n.ratio && n.kind == "modelled");
    }
  }
  std::vector<std::string> lines;
  if (ratios) lines.emplace_back("× latency divided by the baseline's: below 1 is faster than the baseline");
  if (published)
    lines.emplace_back("unmarked: the baseline's value is a published figure, not measured by this program");
  if (modelled) lines.emplace_back("~ the baseline's value is modelled from the part's peaks, not measured");
  return lines;
}

std::string counts_of(const Report &report) {
  std::vector<std::string> parts;
  const auto add = [&](const std::string &status, std::uint32_t count) {
    parts.push_back(std::to_string(count) + " " + one_line(status));
  };
  // ok first, then by name.
  if (const auto ok = report.summary.counts.find("ok"); ok != report.summary.counts.end()) add("ok", ok->second);
  for (const auto &[status, count] : report.summary.counts) {
    if (status != "ok") add(status, count);
  }
  return parts.empty() ? "no results" : join(parts, ", ");
}

Table scores_of(const Report &report) {
  Table table;
  table.columns = {{"device", false}, {"baseline", false}, {"operation", false}, {"kind", false},
                   {"× mean", true},  {"cases", true},     {"notes", false}};
  for (const Score &score : report.summary.scores) {
    const auto add = [&](const std::string &op, const std::string &kind, const std::optional<double> &ratio,
                         std::uint32_t count, const std::string &note) {
      table.rows.push_back({{one_line(score.device), one_line(score.baseline), one_line(op), one_line(kind),
                             ratio ? ratio_text(*ratio) : "-", std::to_string(count), one_line(note)},
                            Tone::plain});
    };
    for (const auto &[op, kinds] : score.geomean) {
      for (const auto &[kind, mean] : kinds) add(op, kind, mean.ratio, mean.count, "");
    }
    add("overall", "", score.overall.ratio, score.overall.count, score.overall.reason);
  }
  return table;
}

Table left_out_of(const Report &report) {
  Table table;
  table.columns = {{"left out", false}, {"device", false}, {"reason", false}};
  for (const LeftOut &left : report.summary.left_out) {
    table.rows.push_back({{one_line(left.id), one_line(left.device), one_line(left.reason)}, Tone::plain});
  }
  return table;
}

std::vector<std::string> notes_of(const Report &report) {
  std::vector<std::string> lines;
  if (report.run.interrupted) lines.emplace_back("The run was interrupted; what was measured until then is shown.");
  if (report.run.runs == 1 && !report.results.empty()) {
    lines.emplace_back("One run: ±95% is the spread within the run; between runs it is not known (--runs).");
  }
  if (std::any_of(report.results.begin(), report.results.end(), [](const CaseResult &r) { return r.simulated; })) {
    lines.emplace_back("Results marked simulated come from a test double, not from hardware.");
  }
  return lines;
}

}  // namespace

View view_of(const Report &report) {
  return {title_of(report),  machine_of(report), results_of(report),  legend_of(report),
          counts_of(report), scores_of(report),  left_out_of(report), notes_of(report)};
}

}  // namespace sits::report
