// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/provider_threads.h"

#include <sched.h>

#include <charconv>
#include <filesystem>
#include <string>
#include <system_error>

#include "backends/sdk/dynamic_library.h"

namespace sits::cpu {
namespace {

// Refused in some sandboxes; the library's threads then stay where the kernel puts them.
void pin(int thread, unsigned cpu) {
  cpu_set_t *set = CPU_ALLOC(cpu + 1);
  if (set == nullptr) return;
  const std::size_t size = CPU_ALLOC_SIZE(cpu + 1);
  CPU_ZERO_S(size, set);
  CPU_SET_S(cpu, size, set);
  sched_setaffinity(thread, size, set);
  CPU_FREE(set);
}

}  // namespace

OpenMpThreads::OpenMpThreads() {
  const sdk::DynamicLibrary library{"libgomp.so.1"};
  set_threads_ = library.symbol<decltype(set_threads_)>("omp_set_num_threads");
  thread_number_ = library.symbol<decltype(thread_number_)>("omp_get_thread_num");
  parallel_ = library.symbol<decltype(parallel_)>("GOMP_parallel");
}

void OpenMpThreads::bind(const Pool &pool) const {
  struct Team {
    const Pool *pool;
    int (*thread_number)();
  } team{&pool, thread_number_};
  use(pool.size());
  parallel_(
      [](void *data) {
        const auto *t = static_cast<const Team *>(data);
        const auto thread = static_cast<std::size_t>(t->thread_number());
        if (thread < t->pool->cpus().size()) pin(0, t->pool->cpus()[thread]);
      },
      &team, pool.size(), 0);
}

std::set<int> thread_ids() {
  std::set<int> ids;
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator("/proc/self/task", error)) {
    const std::string name = entry.path().filename().string();
    int id = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), id).ec == std::errc()) ids.insert(id);
  }
  return ids;
}

void pin_new_threads(const std::set<int> &before, const Pool &pool) {
  std::size_t next = 1;
  for (const int id : thread_ids())
    if (!before.contains(id)) pin(id, pool.cpus()[next++ % pool.cpus().size()]);
}

}  // namespace sits::cpu
