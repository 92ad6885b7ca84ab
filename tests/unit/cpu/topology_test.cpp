// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/topology.h"

#include <gtest/gtest.h>

#include <map>

#include "backends/cpu/calibrate.h"
#include "backends/cpu/host_facts.h"
#include "backends/cpu/hwloc_facts.h"

namespace sits::cpu {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

ReadFile files(std::map<std::string, std::string> texts) {
  return [texts = std::move(texts)](const std::string &path) -> std::optional<std::string> {
    const auto found = texts.find(path);
    return found == texts.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(Topology, reads_cpu_lists) {
  EXPECT_EQ(parse_cpu_list("0-3,8\n"), (CpuList{0, 1, 2, 3, 8}));
  EXPECT_EQ(parse_cpu_list("8,0-1,1"), (CpuList{0, 1, 8}));
  for (const char *bad : {"", "\n", "a", "3-1", "1,", ",1", "1-", "-1", "0-99999999", "1 2", "0x1"})
    EXPECT_FALSE(parse_cpu_list(bad)) << bad;
  EXPECT_EQ(cpu_list_text({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
  EXPECT_EQ(cpu_list_text({}), "");
}

TEST(Topology, reads_sizes_of_caches) {
  EXPECT_EQ(parse_size("32768K\n"), 32 * kMiB);
  EXPECT_EQ(parse_size("508M"), 508 * kMiB);
  EXPECT_EQ(parse_size("512"), 512u);
  for (const char *bad : {"", "K", "12X", "-1K", "99999999999999999999K", "36028797018963968K"})
    EXPECT_FALSE(parse_size(bad)) << bad;
}

TEST(Topology, reads_quotas_of_both_cgroup_versions) {
  EXPECT_DOUBLE_EQ(parse_cpu_max("150000 100000\n").value(), 1.5);
  EXPECT_FALSE(parse_cpu_max("max 100000\n"));
  EXPECT_FALSE(parse_cpu_max("0 100000"));
  EXPECT_FALSE(parse_cpu_max("100000 0"));
  EXPECT_FALSE(parse_cpu_max(""));
  EXPECT_DOUBLE_EQ(parse_cfs_quota("200000\n", "100000\n").value(), 2.0);
  EXPECT_FALSE(parse_cfs_quota("-1\n", "100000\n"));
  EXPECT_EQ(parse_memory_limit("1073741824\n"), 1024 * kMiB);
  EXPECT_FALSE(parse_memory_limit("max\n"));
  EXPECT_FALSE(parse_memory_limit("9223372036854771712\n"));  // v1's way of saying none
}

TEST(Topology, finds_the_group_of_a_controller) {
  const std::string v1 = "4:memory:/jobs/7\n3:cpu,cpuacct:/jobs\n0::/unified\n";
  EXPECT_EQ(cgroup_path(v1, "memory"), "/jobs/7");
  EXPECT_EQ(cgroup_path(v1, "cpu"), "/jobs");
  EXPECT_EQ(cgroup_path(v1, "cpuacct"), "/jobs");
  EXPECT_EQ(cgroup_path(v1, ""), "/unified");
  EXPECT_FALSE(cgroup_path(v1, "io"));
  EXPECT_FALSE(cgroup_path("", ""));
}

TEST(Topology, reads_meminfo_and_cpuinfo) {
  EXPECT_EQ(meminfo_bytes("MemTotal:  24 kB\nMemAvailable:    12 kB\n", "MemAvailable"), 12u << 10);
  EXPECT_FALSE(meminfo_bytes("MemTotal: x kB\n", "MemTotal"));
  EXPECT_EQ(cpuinfo_value("processor\t: 0\nmodel name\t: AMD EPYC\n\nmodel name\t: other\n", "model name"), "AMD EPYC");
  EXPECT_EQ(stat_value("cache 5\ntotal_inactive_file 4096\n", "total_inactive_file"), 4096u);
  EXPECT_EQ(selected_word("always [madvise] never\n"), "madvise");
  EXPECT_EQ(selected_word("always"), "");
}

TEST(Topology, takes_one_thread_per_core_of_a_hybrid_cpu) {
  // two P cores with two threads each, then two E cores
  const auto cores = group_cores({0, 1, 2, 3, 4, 5}, {{0, 1}, {0, 1}, {2, 3}, {2, 3}, {4}, {5}});
  EXPECT_EQ(cores, (std::vector<CpuList>{{0, 1}, {2, 3}, {4}, {5}}));
  EXPECT_EQ(choose_cpus(cores, std::nullopt, 0), (CpuList{0, 2, 4, 5}));
  EXPECT_EQ(choose_cpus(cores, std::nullopt, 6), (CpuList{0, 2, 4, 5, 1, 3}));
  EXPECT_EQ(choose_cpus(cores, 2.9, 0), (CpuList{0, 2}));
  EXPECT_EQ(choose_cpus(cores, 0.5, 0), (CpuList{0}));
  EXPECT_EQ(choose_cpus(cores, 1.0, 3), (CpuList{0, 2, 4}));   // an explicit number wins
  EXPECT_EQ(choose_cpus(cores, std::nullopt, 99).size(), 6u);  // never one CPU twice
}

TEST(Topology, counts_a_core_whose_sibling_is_outside_the_affinity_mask_once) {
  EXPECT_EQ(group_cores({1, 2}, {{0, 1}, {2, 3}}), (std::vector<CpuList>{{1}, {2}}));
  EXPECT_EQ(group_cores({0, 1}, {}), (std::vector<CpuList>{{0}, {1}}));
}

TEST(Topology, doubts_a_last_level_cache_that_no_part_has) {
  EXPECT_TRUE(plausible_llc(32 * kMiB, 2));
  EXPECT_TRUE(plausible_llc(96 * kMiB, 1));
  EXPECT_FALSE(plausible_llc(508 * kMiB, 2));
  EXPECT_TRUE(plausible_llc(504 * kMiB, 256));
}

TEST(HostFacts, needs_no_file_at_all) {
  const HostFacts facts = discover_host(files({}), {0, 1, 2});
  EXPECT_EQ(facts.cores.size(), 3u);
  EXPECT_FALSE(facts.cores_known);
  EXPECT_EQ(facts.nodes.size(), 1u);
  EXPECT_FALSE(facts.cpu_quota);
  EXPECT_FALSE(facts.memory_limit);
  EXPECT_EQ(facts.llc_reported, 0u);
  EXPECT_EQ(effective_llc(facts, 0), 0u);
  EXPECT_EQ(effective_llc(facts, 8 * kMiB), 8 * kMiB);
}

TEST(HostFacts, ignores_offline_cpus_and_takes_the_tightest_limit_on_the_way_up) {
  const HostFacts facts = discover_host(files({{"/sys/devices/system/cpu/online", "0-1\n"},
                                               {"/proc/self/cgroup", "0::/a/b\n"},
                                               {"/sys/fs/cgroup/a/b/cpu.max", "max 100000\n"},
                                               {"/sys/fs/cgroup/a/cpu.max", "100000 100000\n"},
                                               {"/sys/fs/cgroup/a/b/memory.max", "1000000\n"},
                                               {"/sys/fs/cgroup/a/b/memory.current", "600000\n"},
                                               {"/sys/fs/cgroup/a/b/memory.stat", "inactive_file 200000\n"},
                                               {"/proc/meminfo", "MemTotal: 8000 kB\nMemAvailable: 7000 kB\n"}}),
                                        {0, 1, 2, 3});
  EXPECT_EQ(facts.usable, (CpuList{0, 1}));
  EXPECT_DOUBLE_EQ(facts.cpu_quota.value(), 1.0);
  EXPECT_EQ(facts.memory_limit, 1000000u);
  EXPECT_EQ(facts.memory_available, 600000u);
}

TEST(HostFacts, adds_up_the_last_level_caches_it_reaches) {
  std::map<std::string, std::string> texts;
  for (unsigned cpu = 0; cpu < 4; ++cpu) {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index3/";
    texts[folder + "level"] = "3\n";
    texts[folder + "size"] = "16384K\n";
    texts[folder + "type"] = "Unified\n";
    texts[folder + "shared_cpu_list"] = cpu < 2 ? "0-1\n" : "2-3\n";
  }
  const HostFacts all = discover_host(files(texts), {0, 1, 2, 3});
  EXPECT_EQ(all.llc_instances, 2u);
  EXPECT_EQ(effective_llc(all, 0), 32 * kMiB);
  EXPECT_EQ(effective_llc(all, 4 * kMiB), 8 * kMiB);    // a neighbour uses the rest
  EXPECT_EQ(effective_llc(all, 64 * kMiB), 32 * kMiB);  // never more than there is
  EXPECT_EQ(effective_llc(discover_host(files(texts), {1}), 0), 16 * kMiB);
}

TEST(HostFacts, hwloc_places_every_usable_cpu_in_one_core_and_overrides_nothing) {
  HostFacts facts = discover_host(files({}), affinity_mask());
  facts.l2_bytes = 12345;
  complete_from_hwloc(facts);  // does nothing on a machine without the library
  std::size_t placed = 0;
  for (const CpuList &core : facts.cores) placed += core.size();
  EXPECT_EQ(placed, facts.usable.size());
  EXPECT_EQ(facts.l2_bytes, 12345u);
  EXPECT_EQ(facts.llc_reported == 0, facts.llc_instances == 0);
}

TEST(Calibration, trusts_a_measurement_over_an_impossible_report) {
  HostFacts facts;
  facts.llc_reported = 508 * kMiB;
  facts.llc_instances = 1;
  facts.llc_sharing = 2;
  EXPECT_EQ(effective_llc(facts, 6 * kMiB), 6 * kMiB);
  EXPECT_LE(effective_llc(facts, 0), 128 * kMiB);
}

TEST(Calibration, finds_the_knee_of_a_latency_curve) {
  EXPECT_EQ(find_knee({{1 * kMiB, 10}, {2 * kMiB, 12}, {4 * kMiB, 14}, {8 * kMiB, 90}, {64 * kMiB, 150}}), 4 * kMiB);
  EXPECT_EQ(find_knee({{1 * kMiB, 10}, {2 * kMiB, 99}, {4 * kMiB, 14}, {8 * kMiB, 90}, {64 * kMiB, 150}}), 4 * kMiB)
      << "an interrupted point";
  EXPECT_FALSE(find_knee({{1 * kMiB, 100}, {2 * kMiB, 101}, {64 * kMiB, 102}}));  // flat: no cache seen
  EXPECT_FALSE(find_knee({{1 * kMiB, 10}, {64 * kMiB, 100}}));
  EXPECT_FALSE(find_knee({}));
}

TEST(Calibration, survives_its_cache_file_and_refuses_a_broken_one) {
  const auto back = parse_calibration(calibration_text({3.5e9, 32 * kMiB, true}));
  ASSERT_TRUE(back);
  EXPECT_DOUBLE_EQ(back->clock_hz, 3.5e9);
  EXPECT_EQ(back->llc_bytes, 32 * kMiB);
  for (const char *bad :
       {"", "other 1\nclock_hz 1\nllc_bytes 1\n", "sits-cpu-calibration 1\nclock_hz x\nllc_bytes 1\n",
        "sits-cpu-calibration 1\nclock_hz 3500000000\n", "sits-cpu-calibration 1\nclock_hz 0\nllc_bytes 1\n"})
    EXPECT_FALSE(parse_calibration(bad)) << bad;
}

TEST(Calibration, fingerprint_changes_with_the_host) {
  HostFacts one, other;
  one.model_name = "A";
  other.model_name = "B";
  EXPECT_NE(host_fingerprint(one, "n"), host_fingerprint(other, "n"));
  EXPECT_NE(host_fingerprint(one, "n"), host_fingerprint(one, "m"));
  EXPECT_EQ(host_fingerprint(one, "n").size(), 16u);
}

}  // namespace
}  // namespace sits::cpu
