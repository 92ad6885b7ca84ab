// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/host_facts.h"

#include <gtest/gtest.h>

#include "harness/worker/system_file.h"
#include "tests/unit/plugin/temporary_folder.h"

namespace sits::worker {
namespace {

struct HostFactsTest : ::testing::Test {
  sits::testing::TemporaryFolder root;
  HostFacts facts() const { return host_facts(root.path()); }
};

TEST_F(HostFactsTest, reads_a_machine_with_two_cores_of_two_threads) {
  root.write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Some CPU @ 3 GHz\nflags\t\t: fpu sse4_2 avx2 fma\n\n");
  root.write("proc/meminfo", "MemTotal:       1024 kB\nMemFree: 1 kB\n");
  root.write("etc/os-release", "NAME=x\nPRETTY_NAME=\"Some Linux 12\"\n");
  root.write("sys/devices/system/cpu/online", "0-3\n");
  root.write("sys/devices/system/node/online", "0\n");
  for (const int cpu : {0, 1, 2, 3}) {
    const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    root.write(folder + "physical_package_id", "0\n");
    root.write(folder + "core_id", std::to_string(cpu / 2) + "\n");
  }
  const std::string cache = "sys/devices/system/cpu/cpu0/cache/index";
  root.write(cache + "0/size", "32K\n"), root.write(cache + "0/type", "Data\n"), root.write(cache + "0/level", "1\n");
  root.write(cache + "0/shared_cpu_list", "0-1\n");
  root.write(cache + "1/size", "32K\n"), root.write(cache + "1/type", "Instruction\n");
  const HostFacts f = facts();
  EXPECT_EQ(f.cpu_model, "Some CPU @ 3 GHz");
  EXPECT_EQ(f.os, "Some Linux 12");
  EXPECT_EQ(f.memory_bytes, 1024u * 1024u);
  EXPECT_EQ(f.threads, 4u);
  EXPECT_EQ(f.cores, 2u);
  EXPECT_EQ(f.sockets, 1u);
  EXPECT_EQ(f.numa_nodes, 1u);
  EXPECT_EQ(f.isa, (std::vector<std::string>{"sse4_2", "fma", "avx2"}));
  ASSERT_EQ(f.caches.size(), 1u);
  EXPECT_EQ(f.caches[0].bytes, 32768u);
  EXPECT_EQ(f.caches[0].shared_by, 2u);
  EXPECT_EQ(f.virtualization, "");
}

TEST_F(HostFactsTest, leaves_absent_what_cannot_be_read) {
  const HostFacts f = facts();
  EXPECT_EQ(f.cpu_model, "");
  EXPECT_FALSE(f.threads || f.cores || f.sockets || f.numa_nodes || f.memory_bytes);
  EXPECT_TRUE(f.caches.empty() && f.isa.empty());
}

TEST_F(HostFactsTest, tells_a_guest_from_the_metal_of_the_same_vendor) {
  root.write("sys/class/dmi/id/sys_vendor", "Google\n");
  EXPECT_EQ(facts().virtualization, "");
  root.write("proc/cpuinfo", "flags : fpu hypervisor\n");
  EXPECT_EQ(facts().virtualization, "google");
  root.write("sys/class/dmi/id/sys_vendor", "unheard of\n");
  EXPECT_EQ(facts().virtualization, "vm");
}

TEST_F(HostFactsTest, names_the_container) {
  EXPECT_EQ(facts().container, "");
  root.write("proc/1/cgroup", "0::/kubepods/besteffort/pod1\n");
  EXPECT_EQ(facts().container, "kubepods");
  root.write(".dockerenv", "");
  EXPECT_EQ(facts().container, "docker");
}

TEST(Environment, states_the_allowed_variables_alone_and_cuts_them) {
  const std::string endless = "MKL_LONG=" + std::string(5000, 'x');
  const char *const environment[] = {"OMP_NUM_THREADS=2",     "AWS_SECRET_ACCESS_KEY=hush", "GITHUB_TOKEN=hush",
                                     "CUDA_VISIBLE_DEVICES=", "CUDA_VISIBLE_DEVICES_X=no",  "no equals",
                                     endless.c_str(),         "HIP_VISIBLE_DEVICES=a=b",    nullptr};
  const auto recorded = recorded_environment(environment);
  EXPECT_EQ(recorded.size(), 4u);
  EXPECT_EQ(recorded.at("OMP_NUM_THREADS"), "2");
  EXPECT_EQ(recorded.at("CUDA_VISIBLE_DEVICES"), "");
  EXPECT_EQ(recorded.at("HIP_VISIBLE_DEVICES"), "a=b");
  EXPECT_EQ(recorded.at("MKL_LONG").size(), 1024u);
}

TEST(Environment, tells_what_steers_a_library_from_what_selects_a_device) {
  for (const char *name :
       {"OPENBLAS_CORETYPE", "OMP_NUM_THREADS", "DNNL_MAX_CPU_ISA", "MALLOC_ARENA_MAX", "GLIBC_TUNABLES", "NCCL_ALGO"})
    EXPECT_TRUE(changes_results(name)) << name;
  for (const char *name : {"CUDA_VISIBLE_DEVICES", "SITS_PLUGIN_PATH", "ZE_AFFINITY_MASK", "PATH"})
    EXPECT_FALSE(changes_results(name)) << name;
}

TEST(SystemFile, reads_cpu_lists_and_stops_at_nonsense) {
  EXPECT_EQ(parse_cpu_list("0-2,5"), (std::vector<std::uint32_t>{0, 1, 2, 5}));
  EXPECT_EQ(parse_cpu_list(""), (std::vector<std::uint32_t>{}));
  EXPECT_EQ(parse_cpu_list("1,x"), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(parse_cpu_list("0-4000000000"), (std::vector<std::uint32_t>{}));
}

}  // namespace
}  // namespace sits::worker
