// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/host_facts.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <filesystem>
#include <set>
#include <sstream>

#include "harness/plugin/text.h"
#include "harness/worker/system_file.h"

namespace fs = std::filesystem;

namespace sits::worker {
namespace {

constexpr std::size_t kMaxValue = 1024;

std::string unquoted(std::string text) {
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front())
    text = text.substr(1, text.size() - 2);
  return text;
}

std::vector<std::string> words(const std::string &text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

/// The instruction sets that matter to the kernels and libraries driven here, of all that the processor lists.
std::vector<std::string> relevant_isa(const std::vector<std::string> &listed) {
  static constexpr std::array kRelevant = {
      "sse4_2",      "avx",         "f16c",        "fma",      "avx2",     "avx_vnni", "avx512f", "avx512bw",
      "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_tile", "amx_bf16", "amx_int8", "asimd",   "asimdhp",
      "asimddp",     "sve",         "sve2",        "bf16",     "i8mm",     "sme"};
  std::vector<std::string> out;
  for (const char *name : kRelevant)
    if (std::find(listed.begin(), listed.end(), name) != listed.end()) out.emplace_back(name);
  return out;
}

void read_processors(HostFacts &facts, const std::string &root) {
  const std::string info = file_text(root + "/proc/cpuinfo");
  facts.cpu_model = value_of(info, "model name", ':');
  std::string flags = value_of(info, "flags", ':');
  if (flags.empty()) flags = value_of(info, "Features", ':');  // arm64
  facts.isa = relevant_isa(words(flags));

  const std::vector<std::uint32_t> online = parse_cpu_list(first_line(root + "/sys/devices/system/cpu/online"));
  std::set<std::string> sockets;
  std::set<std::pair<std::string, std::string>> cores;
  for (const std::uint32_t cpu : online) {
    const std::string folder = root + "/sys/devices/system/cpu/cpu" + std::to_string(cpu);
    const std::string socket = first_line(folder + "/topology/physical_package_id");
    const std::string core = first_line(folder + "/topology/core_id");
    if (socket.empty() || core.empty()) continue;
    sockets.insert(socket);
    cores.emplace(socket, core);
  }
  if (!online.empty()) facts.threads = static_cast<std::uint32_t>(online.size());
  if (!cores.empty()) facts.cores = static_cast<std::uint32_t>(cores.size());
  if (!sockets.empty()) facts.sockets = static_cast<std::uint32_t>(sockets.size());
  const auto nodes = parse_cpu_list(first_line(root + "/sys/devices/system/node/online"));
  if (!nodes.empty()) facts.numa_nodes = static_cast<std::uint32_t>(nodes.size());
}

/// The caches of the first processor; `size` is like "32K".
void read_caches(HostFacts &facts, const std::string &root) {
  for (int index = 0; index < 16; ++index) {
    const std::string folder = root + "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index);
    const std::string size = first_line(folder + "/size"), type = first_line(folder + "/type");
    if (size.empty() || type == "Instruction") continue;
    const std::uint64_t unit = size.back() == 'M' ? 1u << 20 : size.back() == 'K' ? 1u << 10 : 1;
    CacheFact cache;
    cache.level = static_cast<int>(parse_number(first_line(folder + "/level")).value_or(0));
    cache.type = type == "Data" ? "data" : "unified";
    cache.bytes = parse_number(size).value_or(0) * unit;
    cache.shared_by = static_cast<std::uint32_t>(parse_cpu_list(first_line(folder + "/shared_cpu_list")).size());
    if (cache.level > 0 && cache.bytes > 0) facts.caches.push_back(cache);
  }
}

std::string virtualization(const std::string &root) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kVendors = {
      {{"KVM", "kvm"},
       {"OpenStack", "kvm"},
       {"QEMU", "qemu"},
       {"Amazon EC2", "amazon"},
       {"Google", "google"},
       {"VMware", "vmware"},
       {"innotek", "virtualbox"},
       {"Xen", "xen"},
       {"Bochs", "bochs"},
       {"Parallels", "parallels"},
       {"Microsoft Corporation", "microsoft"},
       {"Alibaba", "alibaba"}}};
  const bool guest = [&] {
    const auto flags = words(value_of(file_text(root + "/proc/cpuinfo"), "flags", ':'));
    return std::find(flags.begin(), flags.end(), "hypervisor") != flags.end();
  }();
  for (const char *file : {"product_name", "sys_vendor", "board_vendor", "bios_vendor"}) {
    const std::string text = first_line(root + "/sys/class/dmi/id/" + file);
    for (const auto &[needle, name] : kVendors) {
      // these two also build bare metal machines
      const bool ambiguous = name == "microsoft" || name == "google";
      if (text.starts_with(needle) && (guest || !ambiguous)) return std::string(name);
    }
  }
  const std::string hypervisor = first_line(root + "/sys/hypervisor/type");
  if (!hypervisor.empty()) return hypervisor;
  return guest ? "vm" : "";
}

std::string container(const std::string &root) {
  std::error_code error;
  if (fs::exists(root + "/.dockerenv", error)) return "docker";
  if (fs::exists(root + "/run/.containerenv", error)) return "podman";
  const std::string named = first_line(root + "/run/systemd/container");
  if (!named.empty()) return named;
  const std::string groups = file_text(root + "/proc/1/cgroup");
  for (const char *name : {"kubepods", "docker", "containerd", "libpod", "lxc"})
    if (groups.find(name) != std::string::npos) return name == std::string_view("libpod") ? "podman" : name;
  return {};
}

}  // namespace

HostFacts host_facts(const std::string &root) {
  HostFacts facts;
  std::array<char, HOST_NAME_MAX + 1> name{};
  if (::gethostname(name.data(), name.size() - 1) == 0) facts.hostname = plugin::text_of(name.data());
  utsname kernel{};
  if (::uname(&kernel) == 0) facts.kernel = plugin::text_of(kernel.release);
  std::string release = file_text(root + "/etc/os-release");
  if (release.empty()) release = file_text(root + "/usr/lib/os-release");
  facts.os = unquoted(value_of(release, "PRETTY_NAME", '='));
  read_processors(facts, root);
  read_caches(facts, root);
  if (const auto kib = parse_number(value_of(file_text(root + "/proc/meminfo"), "MemTotal", ':')))
    facts.memory_bytes = *kib * 1024;
  facts.virtualization = virtualization(root);
  facts.container = container(root);
  facts.env = recorded_environment(::environ);
  return facts;
}

// -------------------------------------------------------------------------------------------------- environment ---

namespace {

constexpr std::array<std::string_view, 12> kSteering = {"OMP_",  "GOMP_", "KMP_",    "OPENBLAS_",
                                                        "BLIS_", "DNNL_", "ONEDNN_", "MALLOC_",
                                                        "MKL_",  "NCCL_", "RCCL_",   "GLIBC_TUNABLES"};
constexpr std::array<std::string_view, 6> kOthers = {
    "CUDA_VISIBLE_DEVICES", "HIP_", "ROCR_", "ZE_", "HABANA_", "SITS_"};

bool starts_with_any(std::string_view name, const auto &prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view prefix) {
    return prefix.ends_with('_') ? name.starts_with(prefix) : name == prefix;
  });
}

}  // namespace

bool changes_results(std::string_view variable) { return starts_with_any(variable, kSteering); }

std::map<std::string, std::string> recorded_environment(const char *const *environment) {
  std::map<std::string, std::string> out;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = entry.substr(0, equals);
    if (!starts_with_any(name, kSteering) && !starts_with_any(name, kOthers)) continue;
    out.emplace(plugin::sanitized(name), plugin::sanitized(entry.substr(equals + 1), kMaxValue));
  }
  return out;
}

}  // namespace sits::worker
