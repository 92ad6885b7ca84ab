// SPDX-License-Identifier: Apache-2.0
#include "microbench/launch.h"

namespace sits::microbench {
namespace {

constexpr std::array kKinds = {
    Word{"host_call", SITS_LAUNCH_HOST_CALL},
    Word{"round_trip", SITS_LAUNCH_ROUND_TRIP},
    Word{"device_gap", SITS_LAUNCH_DEVICE_GAP},
    Word{"graph_node", SITS_LAUNCH_GRAPH_NODE},
};

}  // namespace

void LaunchOperation::validate(const LaunchSpec &s) { word_name(kKinds, s.kind, "launch kind"); }

std::string LaunchOperation::id_parts(const LaunchSpec &s) {
  return std::string(word_name(kKinds, s.kind, "launch kind"));
}

LaunchSpec LaunchOperation::read_id(IdReader &id) {
  return {.kind = word_value(kKinds, id.next("launch kind"), "launch kind")};
}

void LaunchOperation::list_fields(Fields &fields, LaunchSpec &s) {
  fields.word("variant", s.kind, kKinds, Presence::required);
}

WorkModel LaunchOperation::work_model(const LaunchSpec &, double) { return {}; }

std::uint32_t LaunchOperation::roof_type(const LaunchSpec &) { return SITS_DTYPE_NONE; }

std::shared_ptr<const void> LaunchOperation::abi_spec(const LaunchSpec &s) {
  auto spec = make_abi_spec<sits_launch_spec>();
  spec->kind = s.kind;
  return spec;
}

}  // namespace sits::microbench
