// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/device_info.h"

#include "harness/worker/supervisor.h"
#include "sits/dtype.h"

namespace sits::cli {
namespace {

template <typename T>
std::optional<T> known(T value) {
  return value == T{} ? std::nullopt : std::optional<T>(value);
}

std::map<std::string, std::string> as_map(const plugin::KeyValues &values) { return {values.begin(), values.end()}; }

std::vector<report::PeakInfo> peaks_of(const plugin::Device &device) {
  std::vector<report::PeakInfo> peaks;
  for (const auto &peak : device.peaks) {
    const double rate = plugin::ops_per_s(peak, device);
    if (rate > 0)
      peaks.push_back({dtype_name(peak.type), peak.unit == SITS_PEAK_MATRIX ? "matrix" : "fma", rate,
                       peak.ops_per_clock_unit > 0 ? "derived" : "datasheet"});
  }
  return peaks;
}

}  // namespace

report::DeviceInfo device_info(const plugin::Info &backend, const plugin::Device &device) {
  report::DeviceInfo info;
  info.id = worker::device_id(backend.name, device.index);
  info.backend = backend.name;
  info.backend_version = backend.version;
  info.name = device.name;
  info.vendor = device.vendor;
  info.arch = device.arch;
  info.uuid = device.uuid;
  info.pci = device.pci;
  info.partition = device.partition;
  info.driver = device.driver;
  if (device.numa_node >= 0) info.numa_node = device.numa_node;
  info.memory_bytes = known(device.memory_bytes);
  info.llc_bytes = known(device.llc_bytes);
  if (device.link_gen != 0 || device.link_max_gen != 0)
    info.link = report::LinkInfo{known(device.link_gen), known(device.link_width), known(device.link_max_gen),
                                 known(device.link_max_width)};
  info.libraries = as_map(device.libraries);
  info.properties = as_map(device.properties);
  info.compute_units = known(device.compute_units);
  info.rank_slots = known(device.rank_slots);
  info.clock_max_mhz = known(device.clock_max_mhz);
  info.power_cap_w = known(device.power_cap_w);
  info.bandwidth_bytes_per_s = known(device.bandwidth_bytes_per_s);
  info.peaks = peaks_of(device);
  info.simulated = (device.flags & SITS_DEVICE_SIMULATED) != 0;
  return info;
}

report::HostInfo host_info(const worker::HostFacts &facts) {
  report::HostInfo info;
  info.hostname = facts.hostname;
  info.os = facts.os;
  info.kernel = facts.kernel;
  info.cpu_model = facts.cpu_model;
  info.sockets = facts.sockets;
  info.cores = facts.cores;
  info.threads = facts.threads;
  info.numa_nodes = facts.numa_nodes;
  for (const auto &cache : facts.caches) info.caches.push_back({cache.level, cache.type, cache.bytes, cache.shared_by});
  info.memory_bytes = facts.memory_bytes;
  info.isa = facts.isa;
  info.virtualization = facts.virtualization;
  info.container = facts.container;
  info.env = facts.env;
  return info;
}

}  // namespace sits::cli
