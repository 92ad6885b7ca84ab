// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/devices_of.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

#include "harness/cli/command.h"
#include "harness/cli/files.h"
#include "microbench/suite.h"

namespace sits::cli {
namespace {

constexpr std::string_view kKnownBackends[] = {"cpu", "cuda", "hip", "level_zero", "gaudi", "opencl"};

std::string joined(const std::vector<std::string> &names) {
  std::string text;
  for (const auto &name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string suggestion(const std::string &word, const std::vector<std::string> &known) {
  const std::string near = microbench::nearest(word, known);
  return near.empty() ? "" : "; did you mean '" + near + "'?";
}

std::vector<worker::PlannedDevice> all_devices(const std::vector<worker::BackendListing> &listings,
                                               const DeviceOptions &options) {
  const auto per_backend = backend_options(options);
  std::vector<worker::PlannedDevice> devices;
  for (const auto &listing : listings) {
    if (!listing.available) continue;
    const auto given = per_backend.find(listing.info.name);
    for (const auto &device : listing.devices)
      devices.push_back({worker::device_id(listing.info.name, device.index), listing.candidate.path, listing.info,
                         device, given == per_backend.end() ? plugin::KeyValues{} : given->second});
  }
  return devices;
}

/// Why a backend that exists has no device: its listing's reason.
std::string why_unavailable(const std::vector<worker::BackendListing> &listings, const std::string &backend) {
  for (const auto &listing : listings) {
    if (!listing.loaded || listing.info.name != backend) continue;
    return listing.available ? "it reports " + std::to_string(listing.devices.size()) + " devices" : listing.reason;
  }
  return "no plugin of that name was found; 'sits devices --explain' lists what was tried";
}

bool known_backend(const std::vector<worker::BackendListing> &listings, const std::string &name) {
  if (std::ranges::find(kKnownBackends, name) != std::end(kKnownBackends)) return true;
  return std::ranges::any_of(listings, [&](const auto &l) { return l.loaded && l.info.name == name; });
}

std::vector<std::string> backend_names(const std::vector<worker::BackendListing> &listings) {
  std::set<std::string> names(std::begin(kKnownBackends), std::end(kKnownBackends));
  for (const auto &listing : listings)
    if (listing.loaded) names.insert(listing.info.name);
  return {names.begin(), names.end()};
}

bool means(const std::string &asked, const worker::PlannedDevice &device) {
  return asked == device.id || (!device.device.uuid.empty() && asked == device.device.uuid) ||
         (!device.device.pci.empty() && asked == device.device.pci);
}

std::vector<worker::PlannedDevice> by_device(const std::vector<worker::BackendListing> &listings,
                                             const std::vector<worker::PlannedDevice> &all,
                                             const std::vector<std::string> &asked) {
  std::vector<std::string> ids;
  for (const auto &device : all) ids.push_back(device.id);
  std::vector<worker::PlannedDevice> chosen;
  for (const std::string &name : asked) {
    const auto found = std::ranges::find_if(all, [&](const auto &device) { return means(name, device); });
    if (found != all.end()) {
      if (std::ranges::none_of(chosen, [&](const auto &c) { return c.id == found->id; })) chosen.push_back(*found);
      continue;
    }
    const std::string backend = name.substr(0, name.find(':'));
    const bool backend_has_devices = std::ranges::any_of(all, [&](const auto &d) { return d.info.name == backend; });
    if (known_backend(listings, backend) && !backend_has_devices)
      throw NothingAvailable("device '" + name + "' is not available: " + why_unavailable(listings, backend));
    throw UsageError("unknown device '" + name + "'" + suggestion(name, ids) + " Devices here: " + joined(ids) +
                     "; a UUID or a PCI address works too.");
  }
  return chosen;
}

/// Identity of the physical device; the CPU and devices that tell nothing stand for themselves.
std::string physical_identity(const worker::PlannedDevice &device) {
  if (!device.device.uuid.empty()) return "uuid " + device.device.uuid;
  if (!device.device.pci.empty()) return "pci " + device.device.pci + " " + device.device.partition;
  return "id " + device.id;
}

bool is_cpu(const worker::PlannedDevice &device) { return (device.device.flags & SITS_DEVICE_CPU) != 0; }

std::vector<worker::PlannedDevice> by_default(std::vector<worker::PlannedDevice> all) {
  std::ranges::stable_sort(
      all, [](const auto &a, const auto &b) { return (a.info.name == "opencl") < (b.info.name == "opencl"); });
  std::vector<worker::PlannedDevice> chosen;
  std::set<std::string> seen;
  for (const auto &device : all)
    if (!is_cpu(device) && seen.insert(physical_identity(device)).second) chosen.push_back(device);
  if (!chosen.empty()) return chosen;
  for (const auto &device : all)
    if (device.info.name != "opencl") chosen.push_back(device);
  return chosen;
}

std::string nothing_here(const std::vector<worker::BackendListing> &listings) {
  std::string text = "no usable device:";
  for (const auto &listing : listings)
    if (listing.loaded && !listing.available) text += " " + listing.info.name + ": " + listing.reason + ";";
  return text + " 'sits devices --explain' lists every plugin that was tried";
}

}  // namespace

void add_device_options(CLI::App &app, DeviceOptions &options) {
  app.add_option("--plugin", options.plugins, "Load this backend plugin too (repeatable)")->type_name("FILE");
  app.add_option("--backend", options.backends, "Only devices of this backend: cpu, cuda, hip …")->type_name("NAME");
  app.add_option("--device", options.devices, "Only this device: cuda:0, a UUID or a PCI address (repeatable)")
      ->type_name("ID");
  app.add_option("--threads", options.threads, "CPU: number of threads (default: one per usable physical core)")
      ->check(CLI::Range(1u, 65536u))
      ->type_name("N");
  app.add_option("--cpus", options.cpus, "CPU: processors to use, e.g. 0-3,8")->type_name("LIST");
  app.add_option("--numa", options.numa, "CPU: NUMA node to stay on")->type_name("NODE");
}

std::vector<worker::BackendListing> find_backends(const DeviceOptions &options) {
  const auto candidates =
      plugin::discover({options.plugins, plugin::plugin_path_from_environment(), installation().executable});
  for (const auto &candidate : candidates)
    if (candidate.source == plugin::Source::command_line && !candidate.used)
      throw UsageError("--plugin '" + candidate.path + "' cannot be used: " + candidate.reason);
  worker::WorkerCommand command;
  command.executable = installation().executable;
  const auto given = backend_options(options);
  auto listings = worker::list_devices(candidates, given, command);
  for (const auto &listing : listings) {
    if (listing.loaded && !listing.available && given.contains(listing.info.name))
      throw UsageError("backend '" + listing.info.name + "' refuses its options: " + listing.reason);
    if (listing.candidate.source == plugin::Source::command_line && listing.candidate.used && !listing.loaded)
      throw UsageError("--plugin '" + listing.candidate.path + "' cannot be used: " + listing.reason);
  }
  return listings;
}

std::map<std::string, plugin::KeyValues> backend_options(const DeviceOptions &options) {
  plugin::KeyValues cpu;
  if (options.threads) cpu.emplace_back("threads", std::to_string(*options.threads));
  if (!options.cpus.empty()) cpu.emplace_back("cpus", options.cpus);
  if (!options.numa.empty()) cpu.emplace_back("numa", options.numa);
  if (cpu.empty()) return {};
  return {{"cpu", cpu}};
}

std::vector<worker::PlannedDevice> choose_devices(const std::vector<worker::BackendListing> &listings,
                                                  const DeviceOptions &options) {
  for (const std::string &name : options.backends)
    if (!known_backend(listings, name))
      throw UsageError("unknown backend '" + name + "'" + suggestion(name, backend_names(listings)) +
                       " Backends: " + joined(backend_names(listings)) + ".");
  auto all = all_devices(listings, options);
  if (!options.devices.empty()) {
    auto chosen = by_device(listings, all, options.devices);
    for (const auto &device : chosen)
      if (!options.backends.empty() && std::ranges::find(options.backends, device.info.name) == options.backends.end())
        throw UsageError("--device " + device.id + " contradicts --backend " + joined(options.backends));
    return chosen;
  }
  if (options.backends.empty()) {
    auto chosen = by_default(std::move(all));
    if (chosen.empty()) throw NothingAvailable(nothing_here(listings));
    return chosen;
  }
  std::vector<worker::PlannedDevice> chosen;
  for (const std::string &name : options.backends) {
    const std::size_t before = chosen.size();
    for (const auto &device : all)
      if (device.info.name == name) chosen.push_back(device);
    if (chosen.size() == before)
      throw NothingAvailable("backend '" + name + "' is not available: " + why_unavailable(listings, name));
  }
  return chosen;
}

}  // namespace sits::cli
