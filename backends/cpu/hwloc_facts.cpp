// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/hwloc_facts.h"

#ifdef SITS_HAS_HWLOC_HEADER
#include <hwloc.h>

#include <algorithm>
#include <map>
#include <memory>

#include "backends/sdk/dynamic_library.h"
#include "backends/sdk/failure.h"

namespace sits::cpu {
namespace {

struct Hwloc {
  sdk::DynamicLibrary library{"libhwloc.so.15"};
  decltype(&hwloc_topology_init) init = library.symbol<decltype(&hwloc_topology_init)>("hwloc_topology_init");
  decltype(&hwloc_topology_load) load = library.symbol<decltype(&hwloc_topology_load)>("hwloc_topology_load");
  decltype(&hwloc_topology_destroy) destroy =
      library.symbol<decltype(&hwloc_topology_destroy)>("hwloc_topology_destroy");
  decltype(&hwloc_get_type_depth) type_depth = library.symbol<decltype(&hwloc_get_type_depth)>("hwloc_get_type_depth");
  decltype(&hwloc_get_nbobjs_by_depth) count_at =
      library.symbol<decltype(&hwloc_get_nbobjs_by_depth)>("hwloc_get_nbobjs_by_depth");
  decltype(&hwloc_get_obj_by_depth) object_at =
      library.symbol<decltype(&hwloc_get_obj_by_depth)>("hwloc_get_obj_by_depth");
};

struct Found {
  std::map<unsigned, unsigned> core_of_cpu;
  std::map<unsigned, std::size_t> cpus_of_llc;  // by the cache's logical index
  std::uint64_t l1d = 0, l2 = 0, llc = 0;
};

void visit_ancestors(const hwloc_obj &pu, Found &found) {
  for (const hwloc_obj *object = pu.parent; object != nullptr; object = object->parent) {
    switch (object->type) {
      case HWLOC_OBJ_CORE: found.core_of_cpu[pu.os_index] = object->logical_index; break;
      case HWLOC_OBJ_L1CACHE: found.l1d = std::max<std::uint64_t>(found.l1d, object->attr->cache.size); break;
      case HWLOC_OBJ_L2CACHE: found.l2 = std::max<std::uint64_t>(found.l2, object->attr->cache.size); break;
      case HWLOC_OBJ_L3CACHE:
        found.llc = std::max<std::uint64_t>(found.llc, object->attr->cache.size);
        ++found.cpus_of_llc[object->logical_index];
        break;
      default: break;
    }
  }
}

Found read_topology(const Hwloc &hwloc, const CpuList &usable) {
  Found found;
  hwloc_topology_t raw = nullptr;
  if (hwloc.init(&raw) != 0) return found;
  const std::unique_ptr<hwloc_topology, decltype(hwloc.destroy)> topology(raw, hwloc.destroy);
  if (hwloc.load(raw) != 0) return found;
  const int depth = hwloc.type_depth(raw, HWLOC_OBJ_PU);
  const unsigned count = hwloc.count_at(raw, depth);
  for (unsigned i = 0; i < count; ++i)
    if (const hwloc_obj_t pu = hwloc.object_at(raw, depth, i);
        pu != nullptr && std::binary_search(usable.begin(), usable.end(), pu->os_index))
      visit_ancestors(*pu, found);
  return found;
}

std::vector<CpuList> siblings_of(const CpuList &usable, const std::map<unsigned, unsigned> &core_of_cpu) {
  std::vector<CpuList> siblings;
  for (const unsigned cpu : usable) {
    CpuList list;
    if (const auto own = core_of_cpu.find(cpu); own != core_of_cpu.end())
      for (const auto &[other, core] : core_of_cpu)
        if (core == own->second) list.push_back(other);
    siblings.push_back(std::move(list));
  }
  return siblings;
}

}  // namespace

void complete_from_hwloc(HostFacts &facts) {
  if (facts.cores_known && facts.llc_reported != 0) return;
  try {
    const Found found = read_topology(Hwloc{}, facts.usable);
    if (!facts.cores_known && !found.core_of_cpu.empty()) {
      facts.cores = group_cores(facts.usable, siblings_of(facts.usable, found.core_of_cpu));
      facts.cores_known = true;
    }
    if (facts.l1d_bytes == 0) facts.l1d_bytes = found.l1d;
    if (facts.l2_bytes == 0) facts.l2_bytes = found.l2;
    if (facts.llc_reported != 0 || found.llc == 0) return;
    facts.llc_reported = found.llc;
    facts.llc_instances = found.cpus_of_llc.size();
    for (const auto &[cache, cpus] : found.cpus_of_llc) facts.llc_sharing = std::max(facts.llc_sharing, cpus);
  } catch (const sdk::Failure &) {
    // without the library the facts stay unknown
  }
}

}  // namespace sits::cpu

#else

namespace sits::cpu {
void complete_from_hwloc(HostFacts &) {}
}  // namespace sits::cpu

#endif
