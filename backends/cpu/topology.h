// SPDX-License-Identifier: Apache-2.0
//
// What the system says about CPUs, caches and limits, as pure functions over the text of its files: no file is opened
// here, so that every odd machine is a fixture string.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sits::cpu {

using CpuList = std::vector<unsigned>;

/// "0-3,8" ascending without duplicates; nothing when malformed, reversed or empty. Trailing newline allowed.
std::optional<CpuList> parse_cpu_list(std::string_view text);

/// "0-3,8" of an ascending list.
std::string cpu_list_text(const CpuList &cpus);

/// "32768K", "32M", "512" in bytes; nothing when malformed.
std::optional<std::uint64_t> parse_size(std::string_view text);

/// A whole non-negative decimal number; nothing when malformed or out of range. Trailing newline allowed.
std::optional<std::uint64_t> parse_number(std::string_view text);

/// Cores' worth of CPU time of cgroup v2's cpu.max ("150000 100000" is 1.5); nothing for "max …" or malformed text.
std::optional<double> parse_cpu_max(std::string_view text);

/// The same of cgroup v1's cpu.cfs_quota_us (-1: none) and cpu.cfs_period_us.
std::optional<double> parse_cfs_quota(std::string_view quota, std::string_view period);

/// Bytes of memory.max or memory.limit_in_bytes; nothing for "max" and for v1's "no limit", a huge page-aligned number.
std::optional<std::uint64_t> parse_memory_limit(std::string_view text);

/// Path of the process in the hierarchy of `controller` (v1) or in the unified one (controller ""), from
/// /proc/self/cgroup; nothing when there is none.
std::optional<std::string> cgroup_path(std::string_view proc_self_cgroup, std::string_view controller);

/// Value of the first line "key…: value" of /proc/meminfo (in bytes, "kB" applied) and of /proc/cpuinfo (as text).
std::optional<std::uint64_t> meminfo_bytes(std::string_view text, std::string_view key);
std::string cpuinfo_value(std::string_view text, std::string_view key);

/// Number after "key " on a line of memory.stat.
std::optional<std::uint64_t> stat_value(std::string_view text, std::string_view key);

/// The bracketed word of "always [madvise] never"; "" when there is none.
std::string selected_word(std::string_view text);

/// Usable hardware threads by physical core. `siblings[i]` is the list of thread siblings of usable[i], empty where
/// unknown (then the CPU counts as a core of its own). Cores ascend by their first usable CPU.
std::vector<CpuList> group_cores(const CpuList &usable, const std::vector<CpuList> &siblings);

/// CPUs for `threads` threads: one per core first, then second siblings; 0: one per core, within the quota.
CpuList choose_cpus(const std::vector<CpuList> &cores, std::optional<double> quota, unsigned threads);

/// Whether one cache of this size can belong to `sharing` logical CPUs: virtual machines report a whole socket's (or
/// an invented) last-level cache to two CPUs.
bool plausible_llc(std::uint64_t bytes, std::size_t sharing);

}  // namespace sits::cpu
