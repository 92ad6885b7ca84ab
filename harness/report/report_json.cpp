// SPDX-License-Identifier: Apache-2.0
#include "harness/report/report_json.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "harness/report/text.h"

namespace sits::report {
namespace {

using Json = nlohmann::ordered_json;

Json text(const std::string &value) { return value.empty() ? Json(nullptr) : Json(clean_utf8(value)); }

template <class T>
Json maybe(const std::optional<T> &value) {
  return value ? Json(*value) : Json(nullptr);
}

template <class Range, class Convert>
Json list(const Range &range, Convert convert) {
  Json out = Json::array();
  for (const auto &element : range) out.push_back(convert(element));
  return out;
}

/// Assigned key by key, so that names which are alike once cleaned do not stand twice.
template <class Map, class Convert>
Json object(const Map &map, Convert convert) {
  Json out = Json::object();
  for (const auto &[key, value] : map) out[clean_utf8(key)] = convert(value);
  return out;
}

Json string_map(const std::map<std::string, std::string> &map) {
  return object(map, [](const std::string &value) { return Json(clean_utf8(value)); });
}

Json strings(const std::vector<std::string> &values) {
  return list(values, [](const std::string &value) { return Json(clean_utf8(value)); });
}

Json run_json(const RunInfo &run) {
  return {{"id", clean_utf8(run.id)},
          {"started_at", text(run.started_at)},
          {"finished_at", text(run.finished_at)},
          {"command", strings(run.command)},
          {"interrupted", run.interrupted},
          {"exit_code", run.exit_code},
          {"suites",
           list(run.suites,
                [](const SuiteInfo &suite) -> Json {
                  return {{"name", text(suite.name)}, {"version", text(suite.version)}, {"sha256", text(suite.sha256)}};
                })},
          {"tool", {{"version", text(run.tool.version)}, {"git", text(run.tool.git)}}},
          {"seed", run.seed},
          {"order", text(run.order)},
          {"runs", run.runs}};
}

Json cache_json(const CacheInfo &cache) {
  return {{"level", cache.level}, {"type", text(cache.type)}, {"bytes", cache.bytes}, {"shared_by", cache.shared_by}};
}

Json link_json(const std::optional<LinkInfo> &link) {
  if (!link) return nullptr;
  return {{"gen", maybe(link->gen)},
          {"width", maybe(link->width)},
          {"max_gen", maybe(link->max_gen)},
          {"max_width", maybe(link->max_width)}};
}

Json peak_json(const PeakInfo &peak) {
  return {{"type", text(peak.type)},
          {"unit", text(peak.unit)},
          {"ops_per_s", peak.ops_per_s},
          {"source", text(peak.source)}};
}

Json rows_json(const std::vector<CaseResult> &rows) {
  Json out = Json::array();
  for (const CaseResult &row : rows) {
    try {
      out.push_back(sits::to_json(row));
    } catch (const std::invalid_argument &error) {
      throw JsonError("/results/" + std::to_string(out.size()) + ": " + error.what());
    }
  }
  return out;
}

Json score_json(const Score &score) {
  const auto mean = [](const GeoMean &m) -> Json { return {{"ratio", m.ratio}, {"count", m.count}}; };
  return {{"device", text(score.device)},
          {"baseline", text(score.baseline)},
          {"geomean", object(score.geomean, [&](const auto &kinds) { return object(kinds, mean); })},
          {"overall",
           {{"ratio", maybe(score.overall.ratio)},
            {"count", score.overall.count},
            {"reason", text(score.overall.reason)}}}};
}

Json summary_json(const Summary &summary) {
  return {{"counts", object(summary.counts, [](std::uint32_t count) { return Json(count); })},
          {"scores", list(summary.scores, score_json)},
          {"left_out", list(summary.left_out, [](const LeftOut &left) -> Json {
             return {{"case", text(left.id)}, {"device", text(left.device)}, {"reason", text(left.reason)}};
           })}};
}

Json samples_json(const std::optional<SamplesFile> &samples) {
  if (!samples) return nullptr;
  return {{"file", text(samples->file)}, {"sha256", text(samples->sha256)}};
}

}  // namespace

Json to_json(const HostInfo &host) {
  return {{"hostname", text(host.hostname)},
          {"os", text(host.os)},
          {"kernel", text(host.kernel)},
          {"cpu",
           {{"model", text(host.cpu_model)},
            {"sockets", maybe(host.sockets)},
            {"cores", maybe(host.cores)},
            {"threads", maybe(host.threads)},
            {"numa_nodes", maybe(host.numa_nodes)},
            {"caches", list(host.caches, cache_json)},
            {"effective_llc_bytes", maybe(host.effective_llc_bytes)},
            {"isa", strings(host.isa)}}},
          {"memory_bytes", maybe(host.memory_bytes)},
          {"virtualization", text(host.virtualization)},
          {"container", text(host.container)},
          {"env", string_map(host.env)}};
}

Json to_json(const DeviceInfo &device) {
  return {{"id", clean_utf8(device.id)},
          {"backend", text(device.backend)},
          {"backend_version", text(device.backend_version)},
          {"name", text(device.name)},
          {"vendor", text(device.vendor)},
          {"arch", text(device.arch)},
          {"uuid", text(device.uuid)},
          {"pci", text(device.pci)},
          {"partition", text(device.partition)},
          {"numa_node", maybe(device.numa_node)},
          {"memory_bytes", maybe(device.memory_bytes)},
          {"llc_bytes", maybe(device.llc_bytes)},
          {"link", link_json(device.link)},
          {"driver", text(device.driver)},
          {"libraries", string_map(device.libraries)},
          {"properties", string_map(device.properties)},
          {"compute_units", maybe(device.compute_units)},
          {"rank_slots", maybe(device.rank_slots)},
          {"clock_max_mhz", maybe(device.clock_max_mhz)},
          {"power_cap_w", maybe(device.power_cap_w)},
          {"bandwidth_bytes_per_s", maybe(device.bandwidth_bytes_per_s)},
          {"peaks", list(device.peaks, peak_json)},
          {"measured_peaks", object(device.measured_peaks, [](double peak) { return Json(peak); })},
          {"telemetry_source", text(device.telemetry_source)},
          {"provenance", device.simulated ? "simulated" : "measured"}};
}

Json to_json(const Report &report) {
  return {
      {"schema", "sits.report"},
      {"schema_version", kSchemaVersion},
      {"method_version", report.method_version},
      {"run", run_json(report.run)},
      {"host", to_json(report.host)},
      {"devices", list(report.devices, [](const DeviceInfo &device) { return to_json(device); })},
      {"device_hosts", object(report.device_hosts, [](const HostInfo &host) { return to_json(host); })},
      {"device_runs", string_map(report.device_runs)},
      {"baselines",
       list(
           report.baselines,
           [](const BaselineInfo &baseline) -> Json {
             return {{"id", text(baseline.id)}, {"version", text(baseline.version)}, {"sha256", text(baseline.sha256)}};
           })},
      {"results", rows_json(report.results)},
      {"summary", summary_json(report.summary)},
      {"samples", samples_json(report.samples)}};
}

std::string write_report(const Report &report) { return json_text(to_json(report)); }

}  // namespace sits::report
