// SPDX-License-Identifier: Apache-2.0
#include "microbench/stream.h"

#include <algorithm>

#include "microbench/checked.h"
#include "microbench/suite.h"

namespace sits::microbench {
namespace {

/// What one kind does per element; the weights of every bandwidth figure.
struct Kind {
  Word word;
  std::uint32_t reads, writes, flops;
  bool needs_half;  // multiplies by or writes 0.5, or adds: not for integers
};
constexpr std::array kKinds = {
    Kind{{"copy", SITS_STREAM_COPY}, 1, 1, 0, false}, Kind{{"scale", SITS_STREAM_SCALE}, 1, 1, 1, true},
    Kind{{"add", SITS_STREAM_ADD}, 2, 1, 1, true},    Kind{{"triad", SITS_STREAM_TRIAD}, 2, 1, 2, true},
    Kind{{"read", SITS_STREAM_READ}, 1, 0, 1, false}, Kind{{"write", SITS_STREAM_WRITE}, 0, 1, 0, true},
};
constexpr auto kWords = [] {
  std::array<Word, kKinds.size()> words{};
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = kKinds[i].word;
  return words;
}();

const Kind &kind_of(const StreamSpec &s) {
  word_name(kWords, s.kind, "stream kind");
  return *std::ranges::find(kKinds, s.kind, [](const Kind &kind) { return kind.word.value; });
}

}  // namespace

void StreamOperation::validate(const StreamSpec &s) {
  const Kind &kind = kind_of(s);
  if (kind.needs_half)
    require_type("type of stream " + std::string(kind.word.name), s.type,
                 {SITS_F64, SITS_F32, SITS_F16, SITS_BF16, SITS_F8, SITS_F8_E5M2});
  else
    require_type("type of stream " + std::string(kind.word.name), s.type,
                 {SITS_F64, SITS_F32, SITS_F16, SITS_BF16, SITS_F8, SITS_F8_E5M2, SITS_I8, SITS_I32});
  require_size("array", s.bytes, element_bytes(s.type));
  checked_product("footprint", {s.bytes, kind.reads + kind.writes});
}

std::string StreamOperation::id_parts(const StreamSpec &s) {
  return std::string(kind_of(s).word.name) + "/" + std::string(word_name(type_words(), s.type, "type")) + "/" +
         format_bytes(s.bytes);
}

StreamSpec StreamOperation::read_id(IdReader &id) {
  StreamSpec s;
  s.kind = word_value(kWords, id.next("stream kind"), "stream kind");
  s.type = word_value(type_words(), id.next("type"), "type");
  s.bytes = parse_bytes(id.next("size"));
  return s;
}

void StreamOperation::list_fields(Fields &fields, StreamSpec &s) {
  fields.word("variant", s.kind, kWords, Presence::required);
  fields.word("type", s.type, type_words(), Presence::required);
  fields.bytes("bytes", s.bytes);
}

WorkModel StreamOperation::work_model(const StreamSpec &s, double) {
  const Kind &kind = kind_of(s);
  const auto bytes = static_cast<double>(s.bytes);
  WorkModel work;
  work.flops = kind.flops * bytes / static_cast<double>(element_bytes(s.type));
  work.bytes_read = kind.reads * bytes;
  work.bytes_written = kind.writes * bytes;
  work.bytes_counted = work.bytes_total();
  work.bytes_convention = "read+write";
  work.footprint_bytes = work.bytes_total();
  return work;
}

std::uint32_t StreamOperation::roof_type(const StreamSpec &) { return SITS_DTYPE_NONE; }

std::shared_ptr<const void> StreamOperation::abi_spec(const StreamSpec &s) {
  auto spec = make_abi_spec<sits_stream_spec>();
  spec->kind = s.kind;
  spec->type = s.type;
  spec->bytes = s.bytes;
  return spec;
}

}  // namespace sits::microbench
