// SPDX-License-Identifier: Apache-2.0
#include "microbench/attention.h"

#include <limits>

#include "microbench/checked.h"

namespace sits::microbench {
namespace {

constexpr std::array kKinds = {Word{"prefill", SITS_ATTENTION_PREFILL}, Word{"decode", SITS_ATTENTION_DECODE}};
constexpr std::array kLayouts = {Word{"contiguous", SITS_KV_LAYOUT_CONTIGUOUS}, Word{"paged", SITS_KV_LAYOUT_PAGED}};

bool is_decode(const AttentionSpec &s) { return s.kind == SITS_ATTENTION_DECODE; }

std::string types_text(const AttentionSpec &s) {
  std::string text(word_name(type_words(), s.type_q, "type"));
  if (s.type_kv != s.type_q) text += "." + std::string(word_name(type_words(), s.type_kv, "type"));
  return text;
}

void set_types(AttentionSpec &s, std::string_view text) {
  const auto parts = split(text, '.');
  if (parts.size() > 2) throw CaseError("types " + shown(text) + ": write Q or Q.KV, for example bf16 or bf16.f8");
  s.type_q = word_value(type_words(), parts.front(), "type");
  s.type_kv = word_value(type_words(), parts.back(), "type");
}

std::int64_t pages_of_one(const AttentionSpec &s) {
  return s.kv_len / s.page_size + (s.kv_len % s.page_size != 0 ? 1 : 0);
}

void validate_extents(const AttentionSpec &s) {
  require_positive("batch", s.batch);
  require_positive("q_heads", s.q_heads);
  require_positive("kv_heads", s.kv_heads);
  require_positive("q_len", s.q_len);
  require_positive("kv_len", s.kv_len);
  require_positive("head_dim", s.head_dim);
  if (s.q_heads % s.kv_heads != 0)
    throw CaseError("q_heads " + std::to_string(s.q_heads) + " is not a multiple of kv_heads " +
                    std::to_string(s.kv_heads));
}

void validate_decode(const AttentionSpec &s) {
  if (s.q_len != 1) throw CaseError("q_len is " + std::to_string(s.q_len) + ": decode has one query, use prefill");
  if (s.causal) throw CaseError("causal decode: its one query attends every key, leave causal out");
  if (s.kv_layout != SITS_KV_LAYOUT_PAGED) throw CaseError("decode has paged keys and values: give page_size");
  require_positive("page_size", s.page_size);
  const std::uint64_t pages = checked_product(
      "block table", {static_cast<std::uint64_t>(s.batch), static_cast<std::uint64_t>(pages_of_one(s))});
  if (pages > std::numeric_limits<std::int32_t>::max())
    throw CaseError(std::to_string(pages) + " pages do not fit the 32-bit block table: use a larger page_size");
}

void validate_prefill(const AttentionSpec &s) {
  if (s.kv_layout != SITS_KV_LAYOUT_CONTIGUOUS || s.page_size != 0)
    throw CaseError("prefill has contiguous keys and values: leave page_size out");
  if (s.causal && s.kv_len < s.q_len)
    throw CaseError("kv_len " + std::to_string(s.kv_len) + " is less than q_len " + std::to_string(s.q_len) +
                    ": the first queries of a causal case would attend no key");
}

/// Query–key pairs attended per head and batch entry.
double attended_pairs(const AttentionSpec &s) {
  const auto q = static_cast<double>(s.q_len), kv = static_cast<double>(s.kv_len);
  return s.causal ? q * (kv - q) + q * (q + 1) / 2 : q * kv;
}

struct OperandBytes {
  std::uint64_t q, kv, table;  // one of K and V; O is as large as Q
};

OperandBytes operand_bytes(const AttentionSpec &s) {
  OperandBytes bytes{};
  bytes.q = tensor_bytes("Q", s.type_q, {s.batch, s.q_heads, s.q_len, s.head_dim});
  bytes.kv = tensor_bytes("K", s.type_kv, {s.batch, s.kv_heads, s.kv_len, s.head_dim});
  if (is_decode(s)) bytes.table = tensor_bytes("block table", SITS_I32, {s.batch, pages_of_one(s)});
  return bytes;
}

std::uint64_t footprint(const AttentionSpec &s) {
  const OperandBytes bytes = operand_bytes(s);
  const std::uint64_t kv =
      is_decode(s) ? tensor_bytes("K", s.type_kv, {s.batch, pages_of_one(s), s.kv_heads, s.page_size, s.head_dim})
                   : bytes.kv;
  std::uint64_t total = bytes.table;
  for (const std::uint64_t part : {bytes.q, bytes.q, kv, kv})
    if (__builtin_add_overflow(total, part, &total) || total > std::numeric_limits<std::int64_t>::max())
      throw CaseError("Q, K, V and O together are beyond 2^63 - 1 bytes: choose smaller sizes");
  return total;
}

}  // namespace

void AttentionOperation::validate(const AttentionSpec &s) {
  word_name(kKinds, s.kind, "attention kind");
  require_type("type of Q", s.type_q, {SITS_F32, SITS_F16, SITS_BF16, SITS_F8});
  if (s.type_kv != s.type_q) require_type("type of K and V, when not that of Q,", s.type_kv, {SITS_F8, SITS_F8_E5M2});
  validate_extents(s);
  if (is_decode(s))
    validate_decode(s);
  else
    validate_prefill(s);
  footprint(s);
}

std::string AttentionOperation::id_parts(const AttentionSpec &s) {
  const auto part = [](std::string_view name, std::int64_t value) { return std::string(name) + std::to_string(value); };
  std::string id = std::string(word_name(kKinds, s.kind, "attention kind")) + "/" + types_text(s) + "/" +
                   part("b", s.batch) + part("hq", s.q_heads) + part("hkv", s.kv_heads);
  if (!is_decode(s)) id += part("q", s.q_len);
  id += part("kv", s.kv_len) + part("d", s.head_dim);
  if (s.causal) id += "/causal";
  if (s.page_size != 0) id += part("/page", s.page_size);
  return id;
}

AttentionSpec AttentionOperation::read_id(IdReader &id) {
  AttentionSpec s;
  s.kind = word_value(kKinds, id.next("attention kind"), "attention kind");
  set_types(s, id.next("types"));
  const std::string_view shape = id.next("shape");
  const auto extents = is_decode(s) ? parse_shape(shape, {"b", "hq", "hkv", "kv", "d"})
                                    : parse_shape(shape, {"b", "hq", "hkv", "q", "kv", "d"});
  s.batch = extents[0];
  s.q_heads = extents[1];
  s.kv_heads = extents[2];
  s.q_len = is_decode(s) ? 1 : extents[3];
  s.kv_len = extents[extents.size() - 2];
  s.head_dim = extents.back();
  s.causal = id.option("causal");
  if (const auto page_size = id.numbered("page")) {
    s.page_size = *page_size;
    s.kv_layout = SITS_KV_LAYOUT_PAGED;
  }
  return s;
}

void AttentionOperation::list_fields(Fields &fields, AttentionSpec &s) {
  fields.word("variant", s.kind, kKinds, Presence::required);
  if (const auto text = fields.text("types", types_text(s), Presence::required)) set_types(s, *text);
  if (is_decode(s) && s.q_len == 0) {
    s.q_len = 1;
    s.kv_layout = SITS_KV_LAYOUT_PAGED;
  }
  fields.integer("batch", s.batch, Presence::optional);
  fields.integer("q_heads", s.q_heads, Presence::required);
  fields.integer("kv_heads", s.kv_heads, Presence::required);
  fields.integer("q_len", s.q_len, is_decode(s) ? Presence::optional : Presence::required);
  fields.integer("kv_len", s.kv_len, Presence::required);
  fields.integer("head_dim", s.head_dim, Presence::required);
  fields.flag("causal", s.causal);
  fields.word("kv_layout", s.kv_layout, kLayouts, Presence::optional);
  fields.integer("page_size", s.page_size, Presence::optional);
}

WorkModel AttentionOperation::work_model(const AttentionSpec &s, double) {
  const OperandBytes bytes = operand_bytes(s);
  WorkModel work;
  work.flops = 4.0 * static_cast<double>(s.batch) * static_cast<double>(s.q_heads) * static_cast<double>(s.head_dim) *
               attended_pairs(s);
  work.bytes_read =
      static_cast<double>(bytes.q) + 2.0 * static_cast<double>(bytes.kv) + static_cast<double>(bytes.table);
  work.bytes_written = static_cast<double>(bytes.q);
  work.bytes_counted = work.bytes_total();
  work.bytes_convention = "read+write";
  work.footprint_bytes = static_cast<double>(footprint(s));
  return work;
}

std::uint32_t AttentionOperation::roof_type(const AttentionSpec &s) { return s.type_q; }

std::shared_ptr<const void> AttentionOperation::abi_spec(const AttentionSpec &s) {
  auto spec = make_abi_spec<sits_attention_spec>();
  spec->kind = s.kind;
  spec->type_q = s.type_q;
  spec->type_kv = s.type_kv;
  spec->batch = s.batch;
  spec->q_heads = s.q_heads;
  spec->kv_heads = s.kv_heads;
  spec->q_len = s.q_len;
  spec->kv_len = s.kv_len;
  spec->head_dim = s.head_dim;
  spec->causal = s.causal ? 1 : 0;
  spec->kv_layout = s.kv_layout;
  spec->page_size = s.page_size;
  return spec;
}

}  // namespace sits::microbench
