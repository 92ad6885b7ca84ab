// SPDX-License-Identifier: Apache-2.0
//
// Which devices a command means.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/plugin/backend.h"
#include "harness/worker/supervisor.h"

namespace CLI {
class App;
}

namespace sits::cli {

/// Options that say which devices, shared by run, devices and explain.
struct DeviceOptions {
  std::vector<std::string> plugins;   // --plugin FILE
  std::vector<std::string> backends;  // --backend NAME
  std::vector<std::string> devices;   // --device ID, UUID or PCI address
  std::optional<unsigned> threads;    // --threads, --cpus, --numa: of the CPU backend
  std::string cpus, numa;
};
void add_device_options(CLI::App &app, DeviceOptions &options);

/// Every candidate plugin, asked in a worker of its own.
std::vector<worker::BackendListing> find_backends(const DeviceOptions &options);

/// Options for each backend, as `open` takes them.
std::map<std::string, plugin::KeyValues> backend_options(const DeviceOptions &options);

/// The devices chosen by --device and --backend, or by default: each physical device once (UUID, else PCI address and
/// partition), a native backend before OpenCL, the CPU only if it is alone. Throws UsageError for a name that is not
/// known (with the nearest), NothingAvailable when a known one cannot be used (with the backend's reason).
std::vector<worker::PlannedDevice> choose_devices(const std::vector<worker::BackendListing> &listings,
                                                  const DeviceOptions &options);

}  // namespace sits::cli
