// SPDX-License-Identifier: Apache-2.0
#include "microbench/operation.h"

#include <array>

#include "microbench/attention.h"
#include "microbench/collective.h"
#include "microbench/gemm.h"
#include "microbench/launch.h"
#include "microbench/memory_latency.h"
#include "microbench/peak.h"
#include "microbench/stream.h"
#include "microbench/transfer.h"

namespace sits::microbench {
namespace {

/// The row of an operation whose functions take its own spec type.
template <class O>
constexpr Operation row() {
  using S = typename O::SpecType;
  return {
      O::kOp,
      O::kName,
      O::kModes,
      O::kOptionWords,
      []() -> Spec { return S{}; },
      [](const Spec &spec) { O::validate(std::get<S>(spec)); },
      [](const Spec &spec) { return O::id_parts(std::get<S>(spec)); },
      [](IdReader &id) -> Spec { return O::read_id(id); },
      [](Fields &fields, Spec &spec) { O::list_fields(fields, std::get<S>(spec)); },
      [](const Spec &spec, double peak_flops) { return O::work_model(std::get<S>(spec), peak_flops); },
      [](const Spec &spec) { return O::roof_type(std::get<S>(spec)); },
      [](const Spec &spec) { return O::abi_spec(std::get<S>(spec)); },
  };
}

template <class... O>
constexpr std::array<Operation, sizeof...(O)> rows() {
  static_assert(std::is_same_v<Spec, std::variant<typename O::SpecType...>>, "rows stand in the order of Spec");
  return {row<O>()...};
}

constexpr auto kOperations = rows<GemmOperation, StreamOperation, AttentionOperation, CollectiveOperation,
                                  TransferOperation, LaunchOperation, MemoryLatencyOperation, PeakOperation>();

}  // namespace

std::span<const Operation> operations() { return kOperations; }

}  // namespace sits::microbench
