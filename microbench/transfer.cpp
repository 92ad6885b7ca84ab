// SPDX-License-Identifier: Apache-2.0
#include "microbench/transfer.h"

#include "microbench/checked.h"
#include "microbench/suite.h"

namespace sits::microbench {
namespace {

constexpr std::array kKinds = {
    Word{"h2d", SITS_TRANSFER_H2D},
    Word{"d2h", SITS_TRANSFER_D2H},
    Word{"d2d", SITS_TRANSFER_D2D},
    Word{"p2p", SITS_TRANSFER_P2P},
    Word{"bidirectional", SITS_TRANSFER_BIDIRECTIONAL},
};
constexpr std::array kHostMemory = {Word{"pinned", SITS_HOST_MEMORY_PINNED},
                                    Word{"pageable", SITS_HOST_MEMORY_PAGEABLE}};
constexpr std::string_view kDeviceMemory = "device";

bool has_host_side(const TransferSpec &s) { return s.kind != SITS_TRANSFER_D2D && s.kind != SITS_TRANSFER_P2P; }

std::string memory_text(const TransferSpec &s) {
  return std::string(has_host_side(s) ? word_name(kHostMemory, s.host_memory, "host memory") : kDeviceMemory);
}

void set_memory(TransferSpec &s, std::string_view text) {
  if (has_host_side(s)) {
    s.host_memory = word_value(kHostMemory, text, "host memory");
  } else if (text != kDeviceMemory) {
    throw CaseError("memory " + shown(text) + ": d2d and p2p copy device memory, write device");
  }
}

std::string numa_text(std::int32_t numa) {
  switch (numa) {
    case SITS_NUMA_ANY: return "any";
    case SITS_NUMA_NEAR: return "near";
    case SITS_NUMA_FAR: return "far";
    default: return std::to_string(numa);
  }
}

std::int32_t parse_numa(std::string_view text) {
  constexpr std::int64_t kMostNodes = 1024;
  if (text == "any") return SITS_NUMA_ANY;
  if (text == "near") return SITS_NUMA_NEAR;
  if (text == "far") return SITS_NUMA_FAR;
  const bool number = !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  if (!number) throw CaseError("unknown NUMA node " + shown(text) + ": use near, far or a node's number");
  const std::int64_t node = parse_whole(text, "NUMA node");
  if (node >= kMostNodes) throw CaseError("NUMA node " + std::string(text) + ": at most 1023");
  return static_cast<std::int32_t>(node);
}

}  // namespace

void TransferOperation::validate(const TransferSpec &s) {
  word_name(kKinds, s.kind, "transfer kind");
  word_name(kHostMemory, s.host_memory, "host memory");
  if (s.numa < SITS_NUMA_FAR)
    throw CaseError("NUMA node " + std::to_string(s.numa) + ": use near, far or a node's number");
  if (!has_host_side(s) && (s.numa != SITS_NUMA_ANY || s.host_memory != SITS_HOST_MEMORY_PINNED))
    throw CaseError("d2d and p2p have no host memory: leave numa and memory out");
  require_size("copy", s.bytes, 1);
  checked_product("footprint", {s.bytes, s.kind == SITS_TRANSFER_BIDIRECTIONAL ? 4u : 2u});
}

std::string TransferOperation::id_parts(const TransferSpec &s) {
  std::string id =
      std::string(word_name(kKinds, s.kind, "transfer kind")) + "/" + memory_text(s) + "/" + format_bytes(s.bytes);
  if (s.numa != SITS_NUMA_ANY) id += "/numa_" + numa_text(s.numa);
  return id;
}

TransferSpec TransferOperation::read_id(IdReader &id) {
  TransferSpec s;
  s.kind = word_value(kKinds, id.next("transfer kind"), "transfer kind");
  set_memory(s, id.next("memory"));
  s.bytes = parse_bytes(id.next("size"));
  if (const auto numa = id.prefixed("numa_")) s.numa = parse_numa(*numa);
  return s;
}

void TransferOperation::list_fields(Fields &fields, TransferSpec &s) {
  fields.word("variant", s.kind, kKinds, Presence::required);
  if (const auto text = fields.text("memory", memory_text(s), Presence::optional)) set_memory(s, *text);
  fields.bytes("bytes", s.bytes);
  if (const auto text = fields.text("numa", numa_text(s.numa), Presence::optional)) s.numa = parse_numa(*text);
}

WorkModel TransferOperation::work_model(const TransferSpec &s, double) {
  const double directions = s.kind == SITS_TRANSFER_BIDIRECTIONAL ? 2 : 1;
  WorkModel work;
  work.bytes_read = directions * static_cast<double>(s.bytes);
  work.bytes_written = work.bytes_read;
  const bool within_device = s.kind == SITS_TRANSFER_D2D;
  work.bytes_counted = within_device ? work.bytes_total() : work.bytes_read;
  work.bytes_convention = within_device ? "read+write" : "one-way";
  work.footprint_bytes = work.bytes_total();
  return work;
}

std::uint32_t TransferOperation::roof_type(const TransferSpec &) { return SITS_DTYPE_NONE; }

std::shared_ptr<const void> TransferOperation::abi_spec(const TransferSpec &s) {
  auto spec = make_abi_spec<sits_transfer_spec>();
  spec->kind = s.kind;
  spec->host_memory = s.host_memory;
  spec->numa = s.numa;
  spec->bytes = s.bytes;
  return spec;
}

}  // namespace sits::microbench
