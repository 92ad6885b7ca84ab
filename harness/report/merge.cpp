// SPDX-License-Identifier: Apache-2.0
#include "harness/report/merge.h"

#include <algorithm>
#include <set>
#include <utility>

#include "harness/report/text.h"
#include "microbench/suite.h"

namespace sits::report {
namespace {

/// What one run brought in, under the device ids its own report gave them.
struct Part {
  std::string run_id;
  HostInfo host;
  std::vector<DeviceInfo> devices;
  std::vector<CaseResult> results;
};

std::string local_id(const std::string &device) { return device.substr(device.rfind('/') + 1); }

std::vector<Part> parts_of(const Report &report) {
  if (report.device_runs.empty()) return {{report.run.id, report.host, report.devices, report.results}};
  std::vector<Part> parts;
  const auto part_of = [&](const std::string &device) -> Part & {
    const auto run = report.device_runs.find(device);
    if (run == report.device_runs.end()) {
      throw MergeError("merged report " + one_line(report.run.id) + " does not say which run its device \"" +
                       one_line(device) + "\" belongs to");
    }
    const auto found =
        std::find_if(parts.begin(), parts.end(), [&](const Part &part) { return part.run_id == run->second; });
    if (found != parts.end()) return *found;
    const auto host = report.device_hosts.find(device);
    parts.push_back({run->second, host == report.device_hosts.end() ? HostInfo{} : host->second, {}, {}});
    return parts.back();
  };
  for (const DeviceInfo &device : report.devices) {
    part_of(device.id).devices.push_back(device);
    part_of(device.id).devices.back().id = local_id(device.id);
  }
  for (const CaseResult &row : report.results) {
    part_of(row.device).results.push_back(row);
    part_of(row.device).results.back().device = local_id(row.device);
  }
  return parts;
}

void check_methods(const std::vector<Report> &reports) {
  const Report &first = reports.front();
  for (const Report &report : reports) {
    if (report.method_version == first.method_version) continue;
    throw MergeError("run " + one_line(report.run.id) + " was measured by method version " +
                     std::to_string(report.method_version) + ", run " + one_line(first.run.id) + " by version " +
                     std::to_string(first.method_version) + ": their numbers do not mean the same; measure again");
  }
}

template <class T, class Same>
void add_new(std::vector<T> &all, const std::vector<T> &more, Same same) {
  for (const T &item : more) {
    if (std::none_of(all.begin(), all.end(), [&](const T &known) { return same(known, item); })) all.push_back(item);
  }
}

std::vector<BaselineInfo> join_baselines(const std::vector<Report> &reports) {
  std::vector<BaselineInfo> all;
  for (const Report &report : reports) {
    for (const BaselineInfo &baseline : report.baselines) {
      const auto known =
          std::find_if(all.begin(), all.end(), [&](const BaselineInfo &b) { return b.id == baseline.id; });
      if (known == all.end()) {
        all.push_back(baseline);
      } else if (known->version != baseline.version || known->sha256 != baseline.sha256) {
        throw MergeError("baseline \"" + one_line(baseline.id) + "\" of run " + one_line(report.run.id) +
                         " has other content than that of an earlier report: normalize them to one baseline first "
                         "(sits normalize)");
      }
    }
  }
  return all;
}

/// 130, then the lowest of 3 and 4, then any other failure; a run that found nothing to do (5) spoils no other.
int join_exit_codes(int a, int b) {
  for (const int code : {130, 3, 4, 1, 2, 6}) {
    if (a == code || b == code) return code;
  }
  return std::min(a, b);
}

void join_run(RunInfo &run, const RunInfo &other) {
  if (!other.started_at.empty() && (run.started_at.empty() || other.started_at < run.started_at)) {
    run.started_at = other.started_at;
  }
  run.finished_at = std::max(run.finished_at, other.finished_at);
  run.interrupted = run.interrupted || other.interrupted;
  run.exit_code = join_exit_codes(run.exit_code, other.exit_code);
  run.runs = std::max(run.runs, other.runs);
  if (run.order != other.order) run.order = "mixed";
  add_new(run.suites, other.suites, [](const SuiteInfo &a, const SuiteInfo &b) {
    return a.name == b.name && a.version == b.version && a.sha256 == b.sha256;
  });
}

/// The same for the same set of runs, in whatever order they came; laid out as a UUID of version 8.
std::string merged_id(const std::vector<Part> &parts) {
  std::set<std::string> ids;
  for (const Part &part : parts) ids.insert(part.run_id);
  std::string text;
  for (const std::string &id : ids) text += id + "\n";
  std::string hex = microbench::sha256(text).substr(0, 32);
  hex[12] = '8';
  hex[16] = 'a';
  for (const std::size_t at : {20U, 16U, 12U, 8U}) hex.insert(at, "-");
  return hex;
}

std::string label_of(const HostInfo &host, std::set<std::string> &used) {
  std::string base = host.hostname.empty() ? "host" : one_line(host.hostname);
  std::replace(base.begin(), base.end(), '/', '_');
  std::string label = base;
  for (int copy = 2; !used.insert(label).second; ++copy) label = base + "#" + std::to_string(copy);
  return label;
}

void append(Report &merged, Part part, const std::string &label) {
  const auto rename = [&](std::string &device) {
    device = label + "/" + device;
    merged.device_hosts[device] = part.host;
    merged.device_runs[device] = part.run_id;
  };
  for (DeviceInfo &device : part.devices) {
    rename(device.id);
    merged.devices.push_back(std::move(device));
  }
  for (CaseResult &row : part.results) {
    rename(row.device);
    merged.results.push_back(std::move(row));
  }
}

}  // namespace

Report merge(const std::vector<Report> &reports, const std::function<Summary(const Report &)> &summarize) {
  if (reports.empty()) throw MergeError("no report to merge");
  check_methods(reports);
  std::vector<Part> parts;
  std::vector<const Report *> sources;  // that brought a new run
  for (const Report &report : reports) {
    const std::size_t before = parts.size();
    add_new(parts, parts_of(report), [](const Part &a, const Part &b) { return a.run_id == b.run_id; });
    if (parts.size() > before) sources.push_back(&report);
  }
  if (parts.empty()) throw MergeError("the reports hold no run");
  if (sources.size() == 1) return *sources.front();

  Report merged;
  merged.method_version = reports.front().method_version;
  merged.run = sources.front()->run;
  for (const Report *source : sources) join_run(merged.run, source->run);
  merged.run.command = {"sits", "merge"};
  merged.run.id = merged_id(parts);
  merged.host = parts.front().host;
  merged.baselines = join_baselines(reports);
  std::set<std::string> labels;
  for (Part &part : parts) {
    const std::string label = label_of(part.host, labels);
    append(merged, std::move(part), label);
  }
  merged.summary = summarize(merged);
  return merged;
}

}  // namespace sits::report
