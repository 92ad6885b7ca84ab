// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "harness/report/json_reader.h"
#include "harness/report/report_json.h"
#include "harness/report/text.h"

namespace sits::report {
namespace {

SuiteInfo read_suite(const JsonReader &in) {
  return {in.member("name").text(), in.member("version").text(), in.member("sha256").text()};
}

RunInfo read_run(const JsonReader &in) {
  RunInfo run;
  run.id = in.member("id").required_text();
  run.started_at = in.member("started_at").text();
  run.finished_at = in.member("finished_at").text();
  run.command = in.member("command").texts();
  run.interrupted = in.member("interrupted").boolean();
  run.exit_code = in.member("exit_code").integer<int>();
  for (const JsonReader &suite : in.member("suites").elements()) run.suites.push_back(read_suite(suite));
  const JsonReader tool = in.member("tool");
  run.tool = {tool.member("version").text(), tool.member("git").text()};
  run.seed = in.member("seed").integer<std::uint64_t>();
  run.order = in.member("order").text();
  run.runs = in.member("runs").integer<std::uint32_t>();
  return run;
}

HostInfo read_host(const JsonReader &in) {
  HostInfo host;
  host.hostname = in.member("hostname").text();
  host.os = in.member("os").text();
  host.kernel = in.member("kernel").text();
  const JsonReader cpu = in.member("cpu");
  host.cpu_model = cpu.member("model").text();
  host.sockets = cpu.member("sockets").optional_integer<std::uint32_t>();
  host.cores = cpu.member("cores").optional_integer<std::uint32_t>();
  host.threads = cpu.member("threads").optional_integer<std::uint32_t>();
  host.numa_nodes = cpu.member("numa_nodes").optional_integer<std::uint32_t>();
  for (const JsonReader &cache : cpu.member("caches").elements()) {
    host.caches.push_back({cache.member("level").integer<int>(), cache.member("type").text(),
                           cache.member("bytes").integer<std::uint64_t>(),
                           cache.member("shared_by").integer<std::uint32_t>()});
  }
  host.effective_llc_bytes = cpu.member("effective_llc_bytes").optional_integer<std::uint64_t>();
  host.isa = cpu.member("isa").texts();
  host.memory_bytes = in.member("memory_bytes").optional_integer<std::uint64_t>();
  host.virtualization = in.member("virtualization").text();
  host.container = in.member("container").text();
  host.env = in.member("env").text_map();
  return host;
}

std::optional<LinkInfo> read_link(const JsonReader &in) {
  if (in.is_null()) return std::nullopt;
  const auto field = [&](const char *key) { return in.member(key).optional_integer<std::uint32_t>(); };
  return LinkInfo{field("gen"), field("width"), field("max_gen"), field("max_width")};
}

/// "measured" or "simulated"; absent reads as measured.
bool read_simulated(const JsonReader &in) {
  const std::string provenance = in.text();
  if (!provenance.empty() && provenance != "measured" && provenance != "simulated") {
    in.fail("expected \"measured\" or \"simulated\", found \"" + provenance + "\"");
  }
  return provenance == "simulated";
}

DeviceInfo read_device(const JsonReader &in) {
  DeviceInfo device;
  device.id = in.member("id").required_text();
  device.backend = in.member("backend").text();
  device.backend_version = in.member("backend_version").text();
  device.name = in.member("name").text();
  device.vendor = in.member("vendor").text();
  device.arch = in.member("arch").text();
  device.uuid = in.member("uuid").text();
  device.pci = in.member("pci").text();
  device.partition = in.member("partition").text();
  device.numa_node = in.member("numa_node").optional_integer<std::int32_t>();
  device.memory_bytes = in.member("memory_bytes").optional_integer<std::uint64_t>();
  device.llc_bytes = in.member("llc_bytes").optional_integer<std::uint64_t>();
  device.link = read_link(in.member("link"));
  device.driver = in.member("driver").text();
  device.libraries = in.member("libraries").text_map();
  device.properties = in.member("properties").text_map();
  device.compute_units = in.member("compute_units").optional_integer<std::uint32_t>();
  device.rank_slots = in.member("rank_slots").optional_integer<std::uint32_t>();
  device.clock_max_mhz = in.member("clock_max_mhz").optional_number();
  device.power_cap_w = in.member("power_cap_w").optional_number();
  device.bandwidth_bytes_per_s = in.member("bandwidth_bytes_per_s").optional_number();
  for (const JsonReader &peak : in.member("peaks").elements()) {
    device.peaks.push_back({peak.member("type").text(), peak.member("unit").text(), peak.member("ops_per_s").number(),
                            peak.member("source").text()});
  }
  for (const auto &[key, value] : in.member("measured_peaks").members()) {
    device.measured_peaks.emplace(key, value.number());
  }
  device.telemetry_source = in.member("telemetry_source").text();
  device.simulated = read_simulated(in.member("provenance"));
  return device;
}

/// The row reader says `"timing.alternatives[2].n" is missing`; ours: /results/3/timing/alternatives/2/n: is missing.
[[noreturn]] void fail_in_row(const JsonReader &row, const std::string &message) {
  const auto end = message.find("\" ", 1);
  if (message.empty() || message.front() != '"' || end == std::string::npos) row.fail(message);
  std::string path = "/";
  for (const char c : message.substr(1, end - 1)) {
    if (c != ']') path += c == '.' || c == '[' ? '/' : c;
  }
  throw JsonError(shorten(one_line(row.pointer() + path + ": " + message.substr(end + 2)), 400));
}

CaseResult read_result(const JsonReader &in) {
  try {
    return result_from_json(in.json());
  } catch (const std::invalid_argument &error) {
    fail_in_row(in, error.what());
  }
}

Score read_score(const JsonReader &in) {
  Score score;
  score.device = in.member("device").text();
  score.baseline = in.member("baseline").text();
  for (const auto &[op, kinds] : in.member("geomean").members()) {
    auto &means = score.geomean[op];
    for (const auto &[kind, mean] : kinds.members()) {
      means[kind] = {mean.member("ratio").number(), mean.member("count").integer<std::uint32_t>()};
    }
  }
  const JsonReader overall = in.member("overall");
  score.overall = {overall.member("ratio").optional_number(), overall.member("count").integer<std::uint32_t>(),
                   overall.member("reason").text()};
  return score;
}

Summary read_summary(const JsonReader &in) {
  Summary summary;
  for (const auto &[status, count] : in.member("counts").members()) {
    summary.counts.emplace(status, count.integer<std::uint32_t>());
  }
  for (const JsonReader &score : in.member("scores").elements()) summary.scores.push_back(read_score(score));
  for (const JsonReader &left : in.member("left_out").elements()) {
    summary.left_out.push_back(
        {left.member("case").text(), left.member("device").text(), left.member("reason").text()});
  }
  return summary;
}

int read_version(const JsonReader &in) {
  const int version = in.integer<int>();
  if (version < 1) in.fail(std::to_string(version) + " is not a version");
  if (version > kSchemaVersion) {
    in.fail("the report is of version " + std::to_string(version) + ", this program reads up to " +
            std::to_string(kSchemaVersion) + ": use a newer sits");
  }
  return version;
}

void check_kind(const JsonReader &in) {
  const std::string kind = in.member("schema").text();
  if (kind != "sits.report") {
    in.member("schema").fail(kind.empty() ? "not a report: expected \"sits.report\""
                                          : "expected \"sits.report\", found \"" + kind + "\"");
  }
  read_version(in.member("schema_version"));
}

void read_devices(const JsonReader &in, Report &report) {
  std::set<std::string> ids;
  for (const JsonReader &element : in.elements()) {
    report.devices.push_back(read_device(element));
    const std::string &id = report.devices.back().id;
    if (!ids.insert(id).second) element.member("id").fail("the device \"" + id + "\" stands twice");
  }
}

}  // namespace

Report read_report(std::string_view text, const JsonLimits &limits) {
  const nlohmann::json document = parse_json(text, limits);
  const JsonReader in(document, "");
  check_kind(in);
  Report report;
  report.method_version = in.member("method_version").integer<int>();
  report.run = read_run(in.member("run"));
  report.host = read_host(in.member("host"));
  read_devices(in.member("devices"), report);
  for (const auto &[id, host] : in.member("device_hosts").members()) report.device_hosts.emplace(id, read_host(host));
  report.device_runs = in.member("device_runs").text_map();
  for (const JsonReader &baseline : in.member("baselines").elements()) {
    report.baselines.push_back(
        {baseline.member("id").text(), baseline.member("version").text(), baseline.member("sha256").text()});
  }
  for (const JsonReader &result : in.member("results").elements()) report.results.push_back(read_result(result));
  report.summary = read_summary(in.member("summary"));
  if (const JsonReader samples = in.member("samples"); !samples.is_null()) {
    report.samples = SamplesFile{samples.member("file").required_text(), samples.member("sha256").required_text()};
  }
  return report;
}

}  // namespace sits::report
