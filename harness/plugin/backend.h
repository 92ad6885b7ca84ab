// SPDX-License-Identifier: Apache-2.0
//
// The host's C++ side of the contract: a loaded plugin as values and exceptions. Loading and discovery stand in
// loader.h and discovery.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "microbench/case.h"
#include "microbench/oracle.h"
#include "sits/backend.h"

namespace sits::plugin {

/// A backend call that did not return SITS_OK.
struct BackendError : std::runtime_error {
  BackendError(sits_status status_code, const std::string &text, std::string api_name, std::int32_t code)
      : std::runtime_error(text), status(status_code), api(std::move(api_name)), vendor_code(code) {}
  sits_status status;  // unknown values already mapped to SITS_INTERNAL
  std::string api;
  std::int32_t vendor_code;
};

using KeyValues = std::vector<std::pair<std::string, std::string>>;

struct Info {
  std::string name, vendor, version;
  KeyValues libraries, environment;
};

struct PeakRate {
  std::uint32_t type = 0, unit = 0;
  double ops_per_clock_unit = 0, ops_per_s = 0;
};

struct Device;
/// Rate of one entry of a device, operations per s: as stated, else units × operations per clock and unit × clock; 0
/// unknown.
double ops_per_s(const PeakRate &peak, const Device &device);

/// C++ copy of sits_device; names sanitised to valid UTF-8 and cut at 4096 bytes.
struct Device {
  std::uint32_t index = 0, flags = 0;
  std::string name, vendor, arch, uuid, pci, partition, driver;
  std::uint64_t memory_bytes = 0, llc_bytes = 0;
  std::int32_t numa_node = -1;
  std::uint32_t compute_units = 0;
  double clock_max_mhz = 0, power_cap_w = 0, bandwidth_bytes_per_s = 0;
  std::uint32_t link_gen = 0, link_width = 0, link_max_gen = 0, link_max_width = 0, rank_slots = 0;
  std::vector<PeakRate> peaks;
  KeyValues libraries, properties;
};

struct Support {
  bool supported = false;
  std::string reason;  // when not
  std::uint32_t type_a = 0, type_b = 0, type_acc = 0;
  std::uint64_t copy_bytes = 0, fixed_bytes = 0, host_bytes = 0;
  double predicted_ns = 0, peak_flops = 0;
  std::vector<std::string> providers;
  std::string note;
};

/// Samples of one run call, C++ side of sits_samples.
struct Samples {
  std::vector<double> device_ns, submit_to_complete_ns;
  std::uint32_t batch = 1, current_copy = 0, clock = SITS_CLOCK_HOST, threads = 0;
  double resolution_ns = 0, floor_ns = 0, cpu_ns = 0, wall_ns = 0;
  std::uint64_t minor_faults = 0, involuntary_switches = 0, steps_total = 0;
  bool gates_valid = false;
  std::string provider, alternatives, weights;
};

/// Host callbacks a session needs.
struct HostCalls {
  std::function<void(int level, std::string_view text)> log;
  std::function<bool()> should_cancel;
};

/// What the plugin says of itself; touches no device. `table` must be a checked table (loader.h).
Info describe(const sits_backend *table);

class Workload;

/// A loaded plugin with an open session. Every call throws BackendError on a status other than SITS_OK.
class Session {
 public:
  /// `table` must be a checked table (loader.h). Throws BackendError{SITS_UNAVAILABLE …} as the plugin says.
  Session(const sits_backend *table, HostCalls calls, const KeyValues &options);
  ~Session();
  Session(Session &&) noexcept;
  Session &operator=(Session &&) noexcept;

  std::vector<Device> devices();
  Support query(std::uint32_t device, const microbench::AbiCase &test_case);
  Workload prepare(std::span<const std::uint32_t> devices, const microbench::AbiCase &test_case,
                   std::uint64_t rotation_bytes, std::uint32_t max_copies);
  /// Absent when the backend has no telemetry or the call failed.
  std::optional<sits_telemetry> telemetry(std::uint32_t device) const;

 private:
  friend class Workload;
  struct State;
  std::unique_ptr<State> state_;
};

/// A prepared case; released by the destructor, before its session.
class Workload {
 public:
  ~Workload();
  Workload(Workload &&) noexcept;
  Workload &operator=(Workload &&) noexcept;

  const std::vector<microbench::TensorInfo> &tensors() const;
  std::vector<std::byte> read(std::size_t tensor, std::uint32_t copy, std::uint64_t first, std::uint64_t count) const;
  /// Throws BackendError also when the plugin wrote more samples than asked for or none at all.
  Samples run(std::uint32_t samples, std::uint32_t batch, std::uint32_t flags, std::uint64_t timeout_ns);

 private:
  friend class Session;
  struct State;
  explicit Workload(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sits::plugin
