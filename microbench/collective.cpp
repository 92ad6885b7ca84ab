// SPDX-License-Identifier: Apache-2.0
#include "microbench/collective.h"

#include <algorithm>

#include "microbench/checked.h"
#include "microbench/suite.h"

namespace sits::microbench {
namespace {

/// What a kind means to NCCL's conventions: which buffer `bytes` counts, and the bus factor.
struct Kind {
  Word word;
  double bus_steps;            // bus factor is bus_steps * (n-1)/n; 0: it is 1
  bool divides_buffer;         // a rank's share is bytes / n
  bool shares_in, shares_out;  // the input or output buffer of a rank is one share
};
constexpr std::array kKinds = {
    Kind{{"all_reduce", SITS_ALL_REDUCE}, 2, false, false, false},
    Kind{{"all_gather", SITS_ALL_GATHER}, 1, true, true, false},
    Kind{{"reduce_scatter", SITS_REDUCE_SCATTER}, 1, true, false, true},
    Kind{{"broadcast", SITS_BROADCAST}, 0, false, false, false},
    Kind{{"reduce", SITS_REDUCE}, 0, false, false, false},
    Kind{{"all_to_all", SITS_ALL_TO_ALL}, 1, true, false, false},
    Kind{{"send_recv", SITS_SEND_RECV}, 0, false, false, false},
};
constexpr auto kWords = [] {
  std::array<Word, kKinds.size()> words{};
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = kKinds[i].word;
  return words;
}();

const Kind &kind_of(const CollectiveSpec &s) {
  word_name(kWords, s.kind, "collective kind");
  return *std::ranges::find(kKinds, s.kind, [](const Kind &kind) { return kind.word.value; });
}

std::uint32_t checked_ranks(std::int64_t ranks) {
  constexpr std::int64_t kMost = 1 << 20;
  if (ranks < 0 || ranks > kMost)
    throw CaseError("ranks is " + std::to_string(ranks) + ": use 1 to " + std::to_string(kMost));
  return static_cast<std::uint32_t>(ranks);
}

}  // namespace

void CollectiveOperation::validate(const CollectiveSpec &s) {
  const Kind &kind = kind_of(s);
  require_type("type of a collective", s.type,
               {SITS_F64, SITS_F32, SITS_F16, SITS_BF16, SITS_F8, SITS_F8_E5M2, SITS_I8, SITS_I32});
  require_positive("ranks", s.ranks);
  require_size("buffer", s.bytes, element_bytes(s.type) * (kind.divides_buffer ? s.ranks : 1u));
  if (s.in_place && s.kind == SITS_SEND_RECV)
    throw CaseError("send_recv in place: a rank sends and receives at once, leave in_place out");
  checked_product("footprint", {s.bytes, 2});
}

std::string CollectiveOperation::id_parts(const CollectiveSpec &s) {
  std::string id = std::string(kind_of(s).word.name) + "/" + std::string(word_name(type_words(), s.type, "type")) +
                   "/" + format_bytes(s.bytes) + "/n" + std::to_string(s.ranks);
  if (s.in_place) id += "/in_place";
  if (s.graph) id += "/graph";
  if (s.registered) id += "/registered";
  return id;
}

CollectiveSpec CollectiveOperation::read_id(IdReader &id) {
  CollectiveSpec s;
  s.kind = word_value(kWords, id.next("collective kind"), "collective kind");
  s.type = word_value(type_words(), id.next("type"), "type");
  s.bytes = parse_bytes(id.next("size"));
  const auto ranks = id.numbered("n");
  if (!ranks) throw CaseError("collective without its number of ranks: write n8 after the size");
  s.ranks = checked_ranks(*ranks);
  s.in_place = id.option("in_place");
  s.graph = id.option("graph");
  s.registered = id.option("registered");
  return s;
}

void CollectiveOperation::list_fields(Fields &fields, CollectiveSpec &s) {
  fields.word("variant", s.kind, kWords, Presence::required);
  fields.word("type", s.type, type_words(), Presence::required);
  fields.bytes("bytes", s.bytes);
  std::int64_t ranks = s.ranks;
  fields.integer("ranks", ranks, Presence::required);
  s.ranks = checked_ranks(ranks);
  fields.flag("in_place", s.in_place);
  fields.flag("graph", s.graph);
  fields.flag("registered", s.registered);
}

WorkModel CollectiveOperation::work_model(const CollectiveSpec &s, double) {
  const Kind &kind = kind_of(s);
  const auto bytes = static_cast<double>(s.bytes);
  const double n = s.ranks;
  WorkModel work;
  work.bytes_read = kind.shares_in ? bytes / n : bytes;
  work.bytes_written = kind.shares_out ? bytes / n : bytes;
  work.bytes_counted = bytes;
  work.bytes_convention = "algorithm";
  work.bus_factor = kind.bus_steps == 0 ? 1.0 : kind.bus_steps * (n - 1) / n;
  work.footprint_bytes = s.in_place ? bytes : work.bytes_total();
  return work;
}

std::uint32_t CollectiveOperation::roof_type(const CollectiveSpec &) { return SITS_DTYPE_NONE; }

std::shared_ptr<const void> CollectiveOperation::abi_spec(const CollectiveSpec &s) {
  auto spec = make_abi_spec<sits_collective_spec>();
  spec->kind = s.kind;
  spec->type = s.type;
  if (s.in_place) spec->flags |= SITS_COLLECTIVE_IN_PLACE;
  if (s.graph) spec->flags |= SITS_COLLECTIVE_GRAPH;
  if (s.registered) spec->flags |= SITS_COLLECTIVE_REGISTERED;
  spec->bytes = s.bytes;
  spec->ranks = s.ranks;
  return spec;
}

}  // namespace sits::microbench
