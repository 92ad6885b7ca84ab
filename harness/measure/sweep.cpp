// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <variant>

#include "harness/measure/plausibility.h"

namespace sits {
namespace {

using namespace microbench;

constexpr double kMoreWork = 64;
constexpr double kBytesThatShow = 256.0 * 1024 * 1024;
constexpr double kOperationsThatShow = 68719476736.0;  // 2^36
constexpr double kMoreBytes = 4;  // and as much more to move: few rows of a product cost what one row costs
constexpr double kGrowth = 1.1;

void forget_size(GemmSpec &s) {
  s.m = s.n = s.k = s.batch = 1;
  s.group_m.clear();
}
void forget_size(StreamSpec &s) { s.bytes = 0; }
void forget_size(AttentionSpec &s) { s.batch = s.q_heads = s.kv_heads = s.q_len = s.kv_len = 1; }
void forget_size(CollectiveSpec &s) { s.bytes = 0; }
void forget_size(TransferSpec &s) { s.bytes = 0; }
void forget_size(LaunchSpec &) {}
void forget_size(MemoryLatencySpec &) {}
void forget_size(PeakSpec &) {}

/// The case without its sizes: equal for the members of one sweep.
Case family_of(Case c) {
  std::visit([](auto &spec) { forget_size(spec); }, c.spec);
  return c;
}

/// Operations where there are any, else bytes.
double amount(const WorkModel &work) { return work.flops > 0 ? work.flops : work.bytes_total(); }

bool shows(const WorkModel &work) { return work.flops >= kOperationsThatShow || work.bytes_total() >= kBytesThatShow; }

/// The work of one iteration of these is fixed, whatever their size.
bool has_sweep(const Case &c) {
  const Op op = op_of(c);
  return op != Op::launch && op != Op::memory_latency && op != Op::peak;
}

struct Sweep {
  std::string device;
  Case family;
  std::vector<std::size_t> members;
};

std::vector<Sweep> sweeps_of(std::span<const SweepPoint> points) {
  std::vector<Sweep> sweeps;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!has_sweep(points[i].test_case)) continue;
    const Case family = family_of(points[i].test_case);
    const auto same = std::find_if(sweeps.begin(), sweeps.end(),
                                   [&](const Sweep &s) { return s.device == points[i].device && s.family == family; });
    if (same != sweeps.end())
      same->members.push_back(i);
    else
      sweeps.push_back({points[i].device, family, {i}});
  }
  return sweeps;
}

}  // namespace

std::vector<SweepFault> check_sweeps(std::span<const SweepPoint> points) {
  std::vector<SweepFault> faults;
  for (const Sweep &sweep : sweeps_of(points)) {
    const SweepPoint &smallest =
        points[*std::min_element(sweep.members.begin(), sweep.members.end(), [&](std::size_t a, std::size_t b) {
          return amount(points[a].work) < amount(points[b].work);
        })];
    for (const std::size_t i : sweep.members) {
      const double times_work = amount(points[i].work) / amount(smallest.work);
      const double times_bytes = points[i].work.bytes_total() / smallest.work.bytes_total();
      if (!(times_work >= kMoreWork) || !(times_bytes >= kMoreBytes) || !shows(points[i].work)) continue;
      if (points[i].median_ns > kGrowth * smallest.median_ns) continue;
      faults.push_back({i,
                        {"time_does_not_grow",
                         fmt::format("{:.6g} ns for {:.4g} × the work that takes {:.6g} ns: the timer does not wait "
                                     "for the device",
                                     points[i].median_ns, times_work, smallest.median_ns)}});
    }
  }
  return faults;
}

}  // namespace sits
