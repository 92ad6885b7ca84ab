// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/options.h"

#include <algorithm>
#include <array>

#include "backends/sdk/failure.h"
#include "backends/sdk/sized.h"
#include "backends/sdk/text.h"

namespace sits::cpu {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"threads", "cpus", "numa", "calibrate", "provider"};

[[noreturn]] void refuse(const std::string &text) { throw sdk::Failure(SITS_INVALID_ARGUMENT, text); }

[[noreturn]] void refuse_value(std::string_view key, std::string_view value, std::string_view expected) {
  refuse("option " + std::string(key) + "='" + std::string(value) + "': expected " + std::string(expected));
}

unsigned number(std::string_view key, std::string_view value, std::uint64_t low, std::uint64_t high) {
  const auto parsed = parse_number(value);
  if (!parsed || *parsed < low || *parsed > high)
    refuse_value(key, value, "a whole number in " + std::to_string(low) + " … " + std::to_string(high));
  return static_cast<unsigned>(*parsed);
}

void apply(Options &options, std::string_view key, std::string_view value) {
  constexpr std::uint64_t kMany = 65536;
  if (key == "threads") {
    options.threads = number(key, value, 1, kMany);
  } else if (key == "cpus") {
    options.cpus = parse_cpu_list(value);
    if (!options.cpus) refuse_value(key, value, "a list such as 0-3,8");
  } else if (key == "numa") {
    options.numa = number(key, value, 0, kMany);
  } else if (key == "calibrate") {
    options.calibrate = number(key, value, 0, 1) == 1;
  } else if (key == "provider") {
    options.provider = value;
  } else {
    refuse(sdk::unknown_name("option", key, kNames));
  }
}

/// Usable hardware threads by core, less those outside `allowed`.
std::vector<CpuList> within(const std::vector<CpuList> &cores, const CpuList &allowed) {
  std::vector<CpuList> kept;
  for (const CpuList &core : cores) {
    CpuList left;
    for (const unsigned cpu : core)
      if (std::binary_search(allowed.begin(), allowed.end(), cpu)) left.push_back(cpu);
    if (!left.empty()) kept.push_back(std::move(left));
  }
  return kept;
}

}  // namespace

Options parse_options(const sits_options *options) {
  Options parsed;
  if (options == nullptr) return parsed;
  const auto list = sdk::read_sized<sits_options>(options, "options");
  if (list.count > 0 && list.items == nullptr) refuse("options.items is null but count is not 0");
  for (std::uint32_t i = 0; i < list.count; ++i) {
    const auto item = sdk::read_sized<sits_key_value>(sdk::element_at(list.items, i), "option");
    if (item.key == nullptr || item.value == nullptr) refuse("an option has no key or no value");
    apply(parsed, item.key, item.value);
  }
  return parsed;
}

CpuList cpus_for(const Options &options, const HostFacts &host) {
  std::vector<CpuList> cores = host.cores;
  if (options.cpus) {
    for (const unsigned cpu : *options.cpus)
      if (!std::binary_search(host.usable.begin(), host.usable.end(), cpu))
        refuse("option cpus: CPU " + std::to_string(cpu) + " is not usable here; usable are " +
               cpu_list_text(host.usable));
    cores = within(cores, *options.cpus);
  }
  if (options.numa) {
    const auto node = std::find_if(host.nodes.begin(), host.nodes.end(),
                                   [&](const NumaNode &candidate) { return candidate.id == *options.numa; });
    if (node == host.nodes.end())
      refuse("option numa=" + std::to_string(*options.numa) + ": no such NUMA node with a usable CPU");
    cores = within(cores, node->cpus);
    if (cores.empty()) refuse("options cpus and numa leave no CPU");
  }
  // CPUs that were named one by one are all meant, SMT siblings too
  const unsigned threads = options.threads == 0 && options.cpus && !options.numa
                               ? static_cast<unsigned>(options.cpus->size())
                               : options.threads;
  CpuList chosen = choose_cpus(cores, host.cpu_quota, threads);
  if (chosen.size() < threads)
    refuse("option threads=" + std::to_string(threads) + ": only " + std::to_string(chosen.size()) +
           " CPUs are usable here");
  return chosen;
}

}  // namespace sits::cpu
