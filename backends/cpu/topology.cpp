// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/topology.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace sits::cpu {
namespace {

constexpr unsigned kHighestCpu = 65535;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

template <typename Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

/// The text before `separator` in `rest`, which moves behind it.
std::string_view take_until(std::string_view &rest, char separator) {
  const std::size_t at = rest.find(separator);
  const std::string_view part = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view{} : rest.substr(at + 1);
  return part;
}

/// Value of the first line whose text before `separator`, trimmed, is `key`.
std::optional<std::string_view> line_value(std::string_view text, std::string_view key, char separator) {
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    if (line.find(separator) == std::string_view::npos) continue;
    if (trimmed(take_until(line, separator)) == key) return trimmed(line);
  }
  return std::nullopt;
}

}  // namespace

std::optional<CpuList> parse_cpu_list(std::string_view text) {
  std::string_view rest = trimmed(text);
  if (rest.empty() || rest.back() == ',') return std::nullopt;
  CpuList cpus;
  while (!rest.empty()) {
    std::string_view last = take_until(rest, ',');
    const bool is_range = last.find('-') != std::string_view::npos;
    const auto begin = whole_number<unsigned>(is_range ? take_until(last, '-') : last);
    const auto end = is_range ? whole_number<unsigned>(last) : begin;
    if (!begin || !end || *end < *begin || *end > kHighestCpu) return std::nullopt;
    for (unsigned cpu = *begin; cpu <= *end; ++cpu) cpus.push_back(cpu);
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::string cpu_list_text(const CpuList &cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t j = i;
    while (j + 1 < cpus.size() && cpus[j + 1] == cpus[j] + 1) ++j;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (j > i) text += '-' + std::to_string(cpus[j]);
    i = j + 1;
  }
  return text;
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  std::string_view digits = trimmed(text);
  if (digits.empty()) return std::nullopt;
  unsigned shift = 0;
  switch (digits.back()) {
    case 'K': shift = 10; break;
    case 'M': shift = 20; break;
    case 'G': shift = 30; break;
    default: break;
  }
  if (shift != 0) digits.remove_suffix(1);
  const auto value = whole_number<std::uint64_t>(digits);
  if (!value || *value > (std::numeric_limits<std::uint64_t>::max() >> shift)) return std::nullopt;
  return *value << shift;
}

std::optional<std::uint64_t> parse_number(std::string_view text) { return whole_number<std::uint64_t>(trimmed(text)); }

std::optional<double> parse_cpu_max(std::string_view text) {
  std::string_view rest = trimmed(text);
  const auto quota = whole_number<std::uint64_t>(take_until(rest, ' '));
  const auto period = whole_number<std::uint64_t>(trimmed(rest));
  if (!quota || !period || *quota == 0 || *period == 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<double> parse_cfs_quota(std::string_view quota, std::string_view period) {
  return parse_cpu_max(std::string(trimmed(quota)) + ' ' + std::string(trimmed(period)));
}

std::optional<std::uint64_t> parse_memory_limit(std::string_view text) {
  const auto bytes = parse_number(text);
  if (!bytes || *bytes >= (std::uint64_t{1} << 62)) return std::nullopt;
  return bytes;
}

std::optional<std::string> cgroup_path(std::string_view proc_self_cgroup, std::string_view controller) {
  while (!proc_self_cgroup.empty()) {
    std::string_view line = take_until(proc_self_cgroup, '\n');
    const std::string_view hierarchy = take_until(line, ':');
    std::string_view controllers = take_until(line, ':');
    if (controller.empty()) {
      if (hierarchy == "0" && controllers.empty()) return std::string(line);
      continue;
    }
    while (!controllers.empty())
      if (take_until(controllers, ',') == controller) return std::string(line);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> meminfo_bytes(std::string_view text, std::string_view key) {
  const auto value = line_value(text, key, ':');
  if (!value) return std::nullopt;
  std::string_view rest = *value;
  const auto number = whole_number<std::uint64_t>(take_until(rest, ' '));
  if (!number) return std::nullopt;
  return trimmed(rest) == "kB" ? *number << 10 : *number;
}

std::string cpuinfo_value(std::string_view text, std::string_view key) {
  return std::string(line_value(text, key, ':').value_or(std::string_view{}));
}

std::optional<std::uint64_t> stat_value(std::string_view text, std::string_view key) {
  const auto value = line_value(text, key, ' ');
  return value ? whole_number<std::uint64_t>(*value) : std::nullopt;
}

std::string selected_word(std::string_view text) {
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos) return {};
  const std::size_t close = text.find(']', open);
  return close == std::string_view::npos ? std::string{} : std::string(text.substr(open + 1, close - open - 1));
}

std::vector<CpuList> group_cores(const CpuList &usable, const std::vector<CpuList> &siblings) {
  std::vector<CpuList> cores;
  CpuList placed;
  for (std::size_t i = 0; i < usable.size(); ++i) {
    if (std::find(placed.begin(), placed.end(), usable[i]) != placed.end()) continue;
    CpuList core = {usable[i]};
    if (i < siblings.size())
      for (const unsigned sibling : siblings[i])
        if (sibling != usable[i] && std::binary_search(usable.begin(), usable.end(), sibling)) core.push_back(sibling);
    std::sort(core.begin(), core.end());
    placed.insert(placed.end(), core.begin(), core.end());
    cores.push_back(std::move(core));
  }
  return cores;
}

CpuList choose_cpus(const std::vector<CpuList> &cores, std::optional<double> quota, unsigned threads) {
  std::size_t wanted = threads;
  if (threads == 0) {
    wanted = cores.size();
    if (quota) wanted = std::min(wanted, std::max<std::size_t>(1, static_cast<std::size_t>(*quota)));
  }
  CpuList chosen;
  for (std::size_t sibling = 0; chosen.size() < wanted; ++sibling) {
    const std::size_t before = chosen.size();
    for (const CpuList &core : cores)
      if (sibling < core.size() && chosen.size() < wanted) chosen.push_back(core[sibling]);
    if (chosen.size() == before) break;
  }
  return chosen;
}

bool plausible_llc(std::uint64_t bytes, std::size_t sharing) {
  // The largest real share per logical CPU is a stacked 96 MiB on a few cores; big monolithic caches have 2–6 MiB each.
  constexpr std::uint64_t kAnyCount = std::uint64_t{128} << 20, kPerCpu = std::uint64_t{16} << 20;
  return bytes <= std::max<std::uint64_t>(kAnyCount, kPerCpu * sharing);
}

}  // namespace sits::cpu
