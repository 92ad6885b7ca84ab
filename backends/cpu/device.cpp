// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/device.h"

#include <algorithm>
#include <cstdio>

#include "backends/cpu/isa.h"

namespace sits::cpu {
namespace {

std::string quota_text(double cores) {
  // hundredths, without the decimal point of a locale
  const auto hundredths = static_cast<std::uint64_t>(cores * 100 + 0.5);
  char text[32];
  std::snprintf(text, sizeof text, "%llu.%02llu", static_cast<unsigned long long>(hundredths / 100),
                static_cast<unsigned long long>(hundredths % 100));
  return text;
}

KeyValues properties_of(const HostFacts &host, const Machine &machine, const CpuList &threads,
                        const std::optional<Calibration> &measured) {
  KeyValues properties;
  const auto add = [&](const char *key, std::string value) {
    if (!value.empty()) properties.emplace_back(key, std::move(value));
  };
  const auto add_bytes = [&](const char *key, std::uint64_t bytes) {
    if (bytes != 0) add(key, std::to_string(bytes));
  };
  add("isa", machine.isa.text());
  add("threads", std::to_string(threads.size()));
  CpuList sorted = threads;
  std::sort(sorted.begin(), sorted.end());
  add("cpus", cpu_list_text(sorted));
  add("affinity", cpu_list_text(host.usable));
  add("physical_cores", host.cores_known ? std::to_string(host.cores.size()) : "");
  add("smt", host.smt);
  add("core_types", host.core_types);
  add("numa_nodes", std::to_string(host.nodes.size()));
  add("cgroup_cpu_quota", host.cpu_quota ? quota_text(*host.cpu_quota) : "");
  add("cgroup_memory_limit", host.memory_limit ? std::to_string(*host.memory_limit) : "");
  add("governor", host.governor);
  add("huge_pages", host.huge_pages);
  add_bytes("l1d_bytes", host.l1d_bytes);
  add_bytes("l2_bytes", host.l2_bytes);
  add_bytes("llc_reported_bytes", host.llc_reported);
  if (host.llc_reported != 0)
    add("llc_report", plausible_llc(host.llc_reported, host.llc_sharing) ? "plausible" : "implausible");
  if (measured) add_bytes("llc_measured_bytes", measured->llc_bytes);
  add("calibrated", !measured ? "no" : (measured->quiet ? "yes" : "clock only: the CPU was shared meanwhile"));
  return properties;
}

std::vector<sits_peak_rate> peaks_of(const Machine &machine, std::size_t threads) {
  std::vector<sits_peak_rate> peaks;
  for (const std::uint32_t type : {SITS_F64, SITS_F32, SITS_F16, SITS_BF16, SITS_I8}) {
    const double per_clock = ops_per_clock(machine.isa, type);
    if (per_clock == 0) continue;
    peaks.push_back({sizeof(sits_peak_rate), type, SITS_PEAK_FMA, 0, per_clock,
                     per_clock * static_cast<double>(threads) * machine.clock_hz});
  }
  return peaks;
}

std::vector<sits_key_value> items_of(const KeyValues &values) {
  std::vector<sits_key_value> items;
  for (const auto &[key, value] : values) items.push_back({sizeof(sits_key_value), 0, key.c_str(), value.c_str()});
  return items;
}

/// The node that holds all threads, -1 when they span several.
std::int32_t common_node(const HostFacts &host, const CpuList &threads) {
  for (const NumaNode &node : host.nodes)
    if (std::all_of(threads.begin(), threads.end(), [&](unsigned cpu) {
          return std::find(node.cpus.begin(), node.cpus.end(), cpu) != node.cpus.end();
        }))
      return static_cast<std::int32_t>(node.id);
  return -1;
}

std::string vendor_of(const std::string &model) {
  for (const char *vendor : {"AMD", "Intel", "Ampere", "Apple"})
    if (model.find(vendor) != std::string::npos) return vendor;
  return {};
}

}  // namespace

Machine machine_of(const HostFacts &host, const std::optional<Calibration> &measured) {
  Machine machine;
  machine.isa = detect_isa();
  machine.model_name = host.model_name;
  machine.usable_cpus = static_cast<std::uint32_t>(host.usable.size());
  machine.physical_cores = static_cast<std::uint32_t>(host.cores.size());
  machine.numa_nodes = static_cast<std::uint32_t>(host.nodes.size());
  machine.l1d_bytes = host.l1d_bytes;
  machine.l2_bytes = host.l2_bytes;
  machine.llc_bytes = effective_llc(host, measured ? measured->llc_bytes : 0);
  machine.clock_hz = measured ? measured->clock_hz : 0;
  return machine;
}

void describe_device(DeviceRecord &record, const HostFacts &host, const Machine &machine, const CpuList &threads,
                     const std::optional<Calibration> &measured) {
  record.name = host.model_name.empty() ? "CPU" : host.model_name;
  record.vendor = vendor_of(host.model_name);
  record.arch = arch_name(machine.isa);
  record.properties = properties_of(host, machine, threads, measured);
  record.peaks = peaks_of(machine, threads.size());
  record.library_items = items_of(record.libraries);
  record.property_items = items_of(record.properties);

  sits_device &device = record.device;
  device = {};
  device.struct_size = sizeof device;
  device.flags = SITS_DEVICE_CPU;
  device.name = record.name.c_str();
  device.vendor = record.vendor.empty() ? nullptr : record.vendor.c_str();
  device.arch = record.arch.c_str();
  device.memory_bytes = std::min(host.memory_total, host.memory_limit.value_or(host.memory_total));
  device.llc_bytes = machine.llc_bytes;
  device.numa_node = common_node(host, threads);
  device.compute_units = static_cast<std::uint32_t>(threads.size());
  device.clock_max_mhz = machine.clock_hz / 1e6;
  device.rank_slots = static_cast<std::uint32_t>(host.cores.size());
  device.peak_count = static_cast<std::uint32_t>(record.peaks.size());
  device.peaks = record.peaks.data();
  device.libraries = record.library_items.data();
  device.properties = record.property_items.data();
  device.library_count = static_cast<std::uint32_t>(record.library_items.size());
  device.property_count = static_cast<std::uint32_t>(record.property_items.size());
}

}  // namespace sits::cpu
