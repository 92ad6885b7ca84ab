// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/memory_plan.h"

#include <algorithm>

#include "harness/worker/system_file.h"

namespace sits::worker {
namespace {

constexpr std::uint64_t kRotationFactor = 3;
constexpr std::uint64_t kAssumedLlc = 64u << 20;  // where a device does not tell its own

std::optional<std::uint64_t> smaller(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

/// What the control group at `folder` leaves; absent without a limit.
std::optional<std::uint64_t> left_in_group(const std::string &folder, const char *limit_file, const char *used_file) {
  constexpr std::uint64_t kUnlimited = std::uint64_t{1} << 60;  // v1 writes a huge number, v2 "max"
  const auto limit = parse_number(first_line(folder + limit_file)), used = parse_number(first_line(folder + used_file));
  if (!limit || !used || *limit >= kUnlimited) return std::nullopt;
  return *limit - std::min(*limit, *used);
}

std::optional<std::uint64_t> host_memory() {
  std::optional<std::uint64_t> available;
  if (const auto kib = parse_number(value_of(file_text("/proc/meminfo"), "MemAvailable", ':'))) available = *kib * 1024;
  const std::string own = first_line("/proc/self/cgroup");  // "0::/path" where the hierarchy is unified
  const std::string group = own.starts_with("0::") ? own.substr(3) : "";
  for (const std::string &folder : {"/sys/fs/cgroup" + group, std::string("/sys/fs/cgroup")})
    available = smaller(available, left_in_group(folder, "/memory.max", "/memory.current"));
  return smaller(available, left_in_group("/sys/fs/cgroup/memory", "/memory.limit_in_bytes", "/memory.usage_in_bytes"));
}

}  // namespace

MemoryPlan plan_memory(const plugin::Support &support, microbench::Mode mode, const plugin::Device &device,
                       const AvailableMemory &available) {
  MemoryPlan plan;
  const bool is_cpu = (device.flags & SITS_DEVICE_CPU) != 0;
  if (!is_cpu && available.host && support.host_bytes > *available.host) {
    plan.fits = false;
    plan.needed = support.host_bytes;
    plan.available = *available.host;
    plan.which = "host";
    return plan;
  }
  const std::uint64_t besides = support.fixed_bytes + (is_cpu ? support.host_bytes : 0);
  if (available.device && support.copy_bytes + besides > *available.device) {
    plan.fits = false;
    plan.needed = support.copy_bytes + besides;
    plan.available = *available.device;
    plan.which = is_cpu ? "host" : "device";
    return plan;
  }
  if (mode != microbench::Mode::cold || support.copy_bytes == 0) return plan;

  const std::uint64_t wanted = kRotationFactor * (device.llc_bytes == 0 ? kAssumedLlc : device.llc_bytes);
  const std::uint64_t wanted_copies =
      std::max<std::uint64_t>(2, (wanted + support.copy_bytes - 1) / support.copy_bytes);
  const std::uint64_t possible = available.device ? (*available.device - besides) / support.copy_bytes : wanted_copies;
  const std::uint64_t copies = std::min({wanted_copies, possible, std::uint64_t{UINT32_MAX}});
  plan.flush = copies * support.copy_bytes < wanted;
  if (plan.flush || copies < 2) return plan;  // a single copy beyond the rotation's size evicts itself
  plan.rotation_bytes = wanted;
  plan.max_copies = static_cast<std::uint32_t>(copies);
  return plan;
}

AvailableMemory available_memory(const plugin::Session &session, const plugin::Device &device) {
  AvailableMemory out;
  out.host = host_memory();
  if ((device.flags & SITS_DEVICE_CPU) != 0) {
    out.device = out.host;
  } else if (device.memory_bytes != 0) {
    out.device = device.memory_bytes;
    const auto now = session.telemetry(device.index);
    if (now && (now->valid & SITS_TELEMETRY_MEMORY_USED) != 0)
      *out.device -= std::min(*out.device, now->memory_used_bytes);
  }
  return out;
}

}  // namespace sits::worker
