// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/pool.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <atomic>

#include "backends/cpu/host_facts.h"
#include "backends/cpu/memory.h"
#include "backends/sdk/failure.h"

namespace sits::cpu {
namespace {

TEST(PartOf, covers_every_element_once_in_whole_grains) {
  for (const std::uint64_t count : {0u, 1u, 63u, 64u, 65u, 1000u, 4096u})
    for (const unsigned threads : {1u, 2u, 3u, 7u})
      for (const std::uint64_t grain : {1u, 64u, 100u}) {
        std::uint64_t at = 0;
        for (unsigned t = 0; t < threads; ++t) {
          const Range part = part_of(count, t, threads, grain);
          EXPECT_EQ(part.begin, at);
          EXPECT_TRUE(part.begin % grain == 0 || part.begin == count);
          at = part.end;
        }
        EXPECT_EQ(at, count);
      }
}

TEST(PartOf, differs_by_one_grain_at_most) {
  for (unsigned t = 0; t < 3; ++t) {
    const Range part = part_of(10 * 64, t, 3, 64);
    EXPECT_GE(part.end - part.begin, 3 * 64u);
    EXPECT_LE(part.end - part.begin, 4 * 64u);
  }
}

TEST(Pool, calls_each_thread_once_also_after_parking) {
  const unsigned cpu = affinity_mask().front();
  Pool pool({cpu, cpu, cpu});  // more threads than CPUs: nobody may depend on spinning
  std::array<std::atomic<int>, 3> calls{};
  for (int round = 1; round <= 20; ++round) {
    pool.run([&](unsigned t) { calls[t].fetch_add(1); });
    for (const auto &count : calls) ASSERT_EQ(count.load(), round);
    if (round % 3 == 0) pool.park();
  }
}

TEST(Pool, parks_and_wakes_with_threads_of_their_own) {
  const CpuList usable = affinity_mask();
  if (usable.size() < 2) GTEST_SKIP() << "one CPU";
  Pool pool({usable[0], usable[1]});
  std::atomic<unsigned> sum{0};
  for (int round = 0; round < 200; ++round) {
    pool.run([&](unsigned t) { sum += t + 1; });
    if (round % 50 == 0) pool.park();
  }
  EXPECT_EQ(sum.load(), 200u * 3u);
}

TEST(Pool, ends_while_parked_and_restores_the_callers_mask) {
  const CpuList before = affinity_mask();
  {
    Pool pool({before.front(), before.back()});
    EXPECT_EQ(affinity_mask(), (CpuList{before.front()}));
    {
      const WholeMask mask(pool);
      EXPECT_EQ(affinity_mask().size(), before.front() == before.back() ? 1u : 2u);
    }
    EXPECT_EQ(affinity_mask(), (CpuList{before.front()}));
    pool.park();
  }
  EXPECT_EQ(affinity_mask(), before);
}

TEST(Pool, counts_the_work_of_all_its_threads) {
  const unsigned cpu = affinity_mask().front();
  Pool pool({cpu, cpu});
  const Gates before = pool.gates();
  pool.begin_region();
  pool.run([](unsigned) {
    volatile unsigned x = 0;
    for (unsigned i = 0; i < 1'000'000; ++i) x = x + i;
  });
  EXPECT_GT(pool.region_ns(), 0);
  EXPECT_GT(pool.gates().cpu_ns, before.cpu_ns);
}

TEST(Buffer, is_zero_aligned_and_movable) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4097}, std::size_t{3} << 20}) {
    Buffer buffer(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % (bytes >= (2u << 20) ? 2u << 20 : 64u), 0u);
    EXPECT_EQ(buffer.as<char>()[bytes - 1], 0);
    buffer.as<char>()[bytes - 1] = 1;
    const Buffer moved = std::move(buffer);
    EXPECT_EQ(moved.as<char>()[bytes - 1], 1);
  }
  EXPECT_EQ(Buffer(0).data(), nullptr);
}

TEST(Buffer, refuses_more_than_is_available) {
  try {
    const Buffer buffer(available_bytes() + (1u << 30));
    FAIL() << "promised memory that is not there";
  } catch (const sdk::Failure &failure) {
    EXPECT_EQ(failure.status, SITS_OUT_OF_MEMORY);
    EXPECT_NE(std::string(failure.what()).find("MiB"), std::string::npos);
  }
}

}  // namespace
}  // namespace sits::cpu
