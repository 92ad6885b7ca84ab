// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/host_facts.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>

namespace sits::cpu {
namespace {

const std::string kCpuRoot = "/sys/devices/system/cpu/";

std::string trimmed_file(const ReadFile &read, const std::string &path) {
  std::string text = read(path).value_or("");
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

CpuList list_file(const ReadFile &read, const std::string &path) {
  const auto text = read(path);
  return text ? parse_cpu_list(*text).value_or(CpuList{}) : CpuList{};
}

/// Folders of this process' group and of all its ancestors, innermost first: a limit anywhere on the way counts.
std::vector<std::string> group_folders(const ReadFile &read, const std::string &controller) {
  const std::string root = controller.empty() ? "/sys/fs/cgroup" : "/sys/fs/cgroup/" + controller;
  std::string path = cgroup_path(read("/proc/self/cgroup").value_or(""), controller).value_or("/");
  std::vector<std::string> folders;
  while (path.size() > 1) {
    folders.push_back(root + path);
    path.resize(path.rfind('/'));
  }
  folders.push_back(root);
  return folders;
}

template <typename T>
void keep_smaller(std::optional<T> &kept, const std::optional<T> &other) {
  if (other && (!kept || *other < *kept)) kept = other;
}

std::optional<double> cpu_quota(const ReadFile &read) {
  std::optional<double> quota;
  for (const std::string &folder : group_folders(read, ""))
    if (const auto text = read(folder + "/cpu.max")) keep_smaller(quota, parse_cpu_max(*text));
  for (const std::string &folder : group_folders(read, "cpu")) {
    const auto limit = read(folder + "/cpu.cfs_quota_us"), period = read(folder + "/cpu.cfs_period_us");
    if (limit && period) keep_smaller(quota, parse_cfs_quota(*limit, *period));
  }
  return quota;
}

struct MemoryLimit {
  std::optional<std::uint64_t> limit, available;
};

MemoryLimit memory_limit(const ReadFile &read) {
  MemoryLimit found;
  const auto consider = [&](const std::string &folder, const char *limit_file, const char *usage_file,
                            const char *cache_key) {
    const auto limit = parse_memory_limit(read(folder + limit_file).value_or(""));
    if (!limit) return;
    keep_smaller(found.limit, limit);
    const std::uint64_t usage = parse_number(read(folder + usage_file).value_or("")).value_or(0);
    // clean file pages are counted as used but given back on demand
    const std::uint64_t cache = stat_value(read(folder + "/memory.stat").value_or(""), cache_key).value_or(0);
    const std::uint64_t fixed = usage - std::min(usage, cache);
    keep_smaller(found.available, std::optional<std::uint64_t>(*limit - std::min(*limit, fixed)));
  };
  for (const std::string &folder : group_folders(read, ""))
    consider(folder, "/memory.max", "/memory.current", "inactive_file");
  for (const std::string &folder : group_folders(read, "memory"))
    consider(folder, "/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file");
  return found;
}

std::uint64_t available_memory(const ReadFile &read, const MemoryLimit &limit) {
  std::optional<std::uint64_t> available = meminfo_bytes(read("/proc/meminfo").value_or(""), "MemAvailable");
  keep_smaller(available, limit.available);
  return available.value_or(std::numeric_limits<std::uint64_t>::max() / 2);
}

void read_caches(const ReadFile &read, HostFacts &facts) {
  std::set<CpuList> last_level;
  for (const unsigned cpu : facts.usable) {
    for (unsigned index = 0; index < 8; ++index) {
      const std::string folder = kCpuRoot + "cpu" + std::to_string(cpu) + "/cache/index" + std::to_string(index) + '/';
      const auto level = parse_number(read(folder + "level").value_or(""));
      const auto size = parse_size(read(folder + "size").value_or(""));
      if (!level || !size || trimmed_file(read, folder + "type") == "Instruction") continue;
      if (*level == 1) facts.l1d_bytes = std::max(facts.l1d_bytes, *size);
      if (*level == 2) facts.l2_bytes = std::max(facts.l2_bytes, *size);
      if (*level < 3) continue;
      CpuList sharing = list_file(read, folder + "shared_cpu_list");
      facts.llc_sharing = std::max(facts.llc_sharing, sharing.size());
      facts.llc_reported = std::max(facts.llc_reported, *size);
      last_level.insert(std::move(sharing));
    }
  }
  facts.llc_instances = last_level.size();
}

void read_nodes(const ReadFile &read, HostFacts &facts) {
  const CpuList ids = list_file(read, "/sys/devices/system/node/online");
  for (const unsigned id : ids) {
    NumaNode node{id, {}};
    for (const unsigned cpu : list_file(read, "/sys/devices/system/node/node" + std::to_string(id) + "/cpulist"))
      if (std::binary_search(facts.usable.begin(), facts.usable.end(), cpu)) node.cpus.push_back(cpu);
    if (!node.cpus.empty()) facts.nodes.push_back(std::move(node));
  }
  if (facts.nodes.empty()) facts.nodes.push_back({0, facts.usable});
}

std::string core_types(const ReadFile &read) {
  std::string text;
  for (const char *type : {"cpu_core", "cpu_atom", "cpu_lowpower"}) {
    const auto list = read("/sys/devices/" + std::string(type) + "/cpus");
    if (!list) continue;
    const auto cpus = parse_cpu_list(*list);
    if (cpus) text.append(text.empty() ? "" : " ").append(type).append(":").append(cpu_list_text(*cpus));
  }
  return text;
}

}  // namespace

std::optional<std::string> read_file(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) return std::nullopt;
  return text;
}

HostFacts discover_host(const ReadFile &read, const CpuList &affinity) {
  HostFacts facts;
  facts.usable = affinity;
  if (const CpuList online = list_file(read, kCpuRoot + "online"); !online.empty())
    std::erase_if(facts.usable, [&](unsigned cpu) { return !std::binary_search(online.begin(), online.end(), cpu); });
  if (facts.usable.empty()) facts.usable = affinity;

  std::vector<CpuList> siblings;
  for (const unsigned cpu : facts.usable) {
    const std::string folder = kCpuRoot + "cpu" + std::to_string(cpu) + "/topology/";
    CpuList list = list_file(read, folder + "thread_siblings_list");
    facts.cores_known = facts.cores_known || !list.empty();
    siblings.push_back(std::move(list));
  }
  facts.cores = group_cores(facts.usable, siblings);
  read_nodes(read, facts);
  read_caches(read, facts);
  facts.cpu_quota = cpu_quota(read);
  const MemoryLimit limit = memory_limit(read);
  facts.memory_limit = limit.limit;
  facts.memory_total = meminfo_bytes(read("/proc/meminfo").value_or(""), "MemTotal").value_or(0);
  facts.memory_available = available_memory(read, limit);
  const std::string cpuinfo = read("/proc/cpuinfo").value_or("");
  facts.model_name = cpuinfo_value(cpuinfo, "model name");
  if (facts.model_name.empty()) facts.model_name = cpuinfo_value(cpuinfo, "Model");
  facts.governor = trimmed_file(read, kCpuRoot + "cpu0/cpufreq/scaling_governor");
  facts.huge_pages = selected_word(read("/sys/kernel/mm/transparent_hugepage/enabled").value_or(""));
  facts.smt = trimmed_file(read, kCpuRoot + "smt/control");
  facts.core_types = core_types(read);
  return facts;
}

CpuList affinity_mask() {
  for (int cpus = 1024; cpus <= 65536; cpus *= 4) {
    cpu_set_t *set = CPU_ALLOC(cpus);
    if (set == nullptr) break;
    const std::size_t size = CPU_ALLOC_SIZE(cpus);
    CpuList list;
    const bool read = sched_getaffinity(0, size, set) == 0;
    for (unsigned cpu = 0; read && cpu < static_cast<unsigned>(cpus); ++cpu)
      if (CPU_ISSET_S(cpu, size, set)) list.push_back(cpu);
    CPU_FREE(set);
    if (read) return list;
  }
  CpuList all;
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  for (unsigned cpu = 0; cpu < static_cast<unsigned>(std::max(1L, online)); ++cpu) all.push_back(cpu);
  return all;
}

std::uint64_t read_available_memory() { return available_memory(read_file, memory_limit(read_file)); }

}  // namespace sits::cpu
