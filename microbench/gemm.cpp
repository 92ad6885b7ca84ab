// SPDX-License-Identifier: Apache-2.0
#include "microbench/gemm.h"

#include <algorithm>
#include <limits>

#include "microbench/checked.h"
#include "sits/dtype.h"

namespace sits::microbench {
namespace {

constexpr std::array kEpilogues = {
    Word{"none", SITS_EPILOGUE_NONE},           Word{"bias", SITS_EPILOGUE_BIAS},
    Word{"bias_relu", SITS_EPILOGUE_BIAS_RELU}, Word{"bias_gelu", SITS_EPILOGUE_BIAS_GELU},
    Word{"bias_silu", SITS_EPILOGUE_BIAS_SILU},
};

bool is_integer(std::uint32_t type) { return type == SITS_I8 || type == SITS_I4; }
/// The types of the MX formats, which may meet each other.
bool is_micro(std::uint32_t type) { return type == SITS_F8 || type == SITS_F8_E5M2 || type == SITS_F4_E2M1; }
bool is_wide_float(std::uint32_t type) { return type == SITS_F32 || type == SITS_F16 || type == SITS_BF16; }

std::string type_text(std::uint32_t type) { return std::string(word_name(type_words(), type, "type")); }

std::string types_text(const GemmSpec &s) {
  return type_text(s.type_a) + "." + type_text(s.type_b) + "." + type_text(s.type_out);
}

void set_types(GemmSpec &s, std::string_view text) {
  const auto parts = split(text, '.');
  if (parts.size() != 3) throw CaseError("types " + shown(text) + ": write A.B.OUT, for example f16.f16.f16");
  s.type_a = word_value(type_words(), parts[0], "type");
  s.type_b = word_value(type_words(), parts[1], "type");
  s.type_out = word_value(type_words(), parts[2], "type");
}

std::uint32_t natural_accumulation(const GemmSpec &s) {
  if (s.type_a == SITS_F64) return SITS_F64;
  return is_integer(s.type_a) && is_integer(s.type_b) ? SITS_I32 : SITS_F32;
}

void set_accumulation(GemmSpec &s, std::string_view name) {
  const std::uint32_t type = word_value(type_words(), name, "accumulation type");
  s.type_acc = type == natural_accumulation(s) ? std::uint32_t{SITS_DTYPE_NONE} : type;
}

void validate_operand_types(const GemmSpec &s) {
  require_type(
      "type of A", s.type_a,
      {SITS_F64, SITS_F32, SITS_TF32, SITS_F16, SITS_BF16, SITS_F8, SITS_F8_E5M2, SITS_I8, SITS_I4, SITS_F4_E2M1});
  require_type(
      "type of B", s.type_b,
      {SITS_F64, SITS_F32, SITS_TF32, SITS_F16, SITS_BF16, SITS_F8, SITS_F8_E5M2, SITS_I8, SITS_I4, SITS_F4_E2M1});
  const bool weights_only =
      is_wide_float(s.type_a) && (is_integer(s.type_b) || s.type_b == SITS_F8 || s.type_b == SITS_F8_E5M2);
  const bool both_micro = is_micro(s.type_a) && is_micro(s.type_b);
  const bool mixed_integer = s.type_a == SITS_I8 && s.type_b == SITS_I4;
  if (s.type_a != s.type_b && !weights_only && !both_micro && !mixed_integer)
    throw CaseError("types " + types_text(s) + ": A and B must agree, be f8, f8e5m2 or f4 both, be i8.i4, or be a " +
                    "float A with integer or f8 weights B");
}

void validate_result_types(const GemmSpec &s) {
  if (s.type_a == SITS_F64)
    require_type("output of f64.f64", s.type_out, {SITS_F64});
  else if (s.type_a == SITS_TF32)
    require_type("output of tf32.tf32", s.type_out, {SITS_F32});
  else if (is_integer(s.type_a))
    require_type("output of an integer product", s.type_out, {SITS_F32, SITS_F16, SITS_BF16, SITS_I8, SITS_I32});
  else if (is_micro(s.type_a))
    require_type("output of an f8 or f4 product", s.type_out, {SITS_F32, SITS_F16, SITS_BF16, SITS_F8, SITS_F8_E5M2});
  else
    require_type("output", s.type_out, {SITS_F32, SITS_F16, SITS_BF16});
  if (s.type_out == SITS_I32 && s.epilogue != SITS_EPILOGUE_NONE)
    throw CaseError("output i32 is the bare accumulator: use epilogue none, or output f16");
  if (s.type_acc == SITS_DTYPE_NONE) return;
  if (s.type_acc == natural_accumulation(s))
    throw CaseError("accumulation " + type_text(s.type_acc) + " is the natural one of " + types_text(s) +
                    ": leave it out");
  if (natural_accumulation(s) != SITS_F32)
    throw CaseError("accumulation of " + types_text(s) + " is always " + type_text(natural_accumulation(s)) +
                    ": leave type_acc out");
  require_type("accumulation", s.type_acc, {SITS_F16, SITS_BF16});
}

std::int64_t sum_of_groups(const GemmSpec &s) {
  std::int64_t sum = 0;
  for (const std::int64_t rows : s.group_m) {
    if (rows < 0) throw CaseError("group_m holds " + std::to_string(rows) + ": rows of a group must be 0 or more");
    if (__builtin_add_overflow(sum, rows, &sum)) throw CaseError("group_m sums beyond 2^63 - 1: use smaller groups");
  }
  return sum;
}

void validate_groups(const GemmSpec &s) {
  if (s.group_m.empty()) return;
  if (s.batch != 1) throw CaseError("batch " + std::to_string(s.batch) + " with groups: a grouped case has batch 1");
  if (s.group_m.size() > std::numeric_limits<std::uint32_t>::max())
    throw CaseError("too many groups: at most 2^32 - 1");
  const std::int64_t sum = sum_of_groups(s);
  if (sum != s.m)
    throw CaseError("m is " + std::to_string(s.m) + " but group_m sums to " + std::to_string(sum) +
                    ": m must be that sum");
}

void validate_block_scales(const GemmSpec &s) {
  const bool has_f4 = s.type_a == SITS_F4_E2M1 || s.type_b == SITS_F4_E2M1;
  if (s.block_size == 0) {
    if (s.type_block_scale != SITS_DTYPE_NONE) throw CaseError("type_block_scale without block_size: give both");
    if (has_f4) throw CaseError("f4 needs block scales: add block scales 32_e8m0");
    return;
  }
  if (!is_micro(s.type_a) || !is_micro(s.type_b))
    throw CaseError("block scales with " + types_text(s) + ": they need f8, f8e5m2 or f4 for both A and B");
  require_type("type of block scales", s.type_block_scale, {SITS_E8M0});
  if (s.block_size != 16 && s.block_size != 32 && s.block_size != 64 && s.block_size != 128)
    throw CaseError("block_size " + std::to_string(s.block_size) + ": use 16, 32, 64 or 128");
  if (s.k % s.block_size != 0)
    throw CaseError("k " + std::to_string(s.k) + " is not a multiple of block_size " + std::to_string(s.block_size));
}

/// Rows of 4-bit elements begin at a byte.
void validate_packing(std::string_view name, std::uint32_t type, std::int64_t row_elements) {
  if (bits_of(type) < 8 && row_elements % 2 != 0)
    throw CaseError("rows of " + std::string(name) + " hold " + std::to_string(row_elements) +
                    " 4-bit elements: make it an even number");
}

struct OperandBytes {
  std::uint64_t a, b, bias, scales, out;
};

std::int64_t weight_matrices(const GemmSpec &s) {
  return s.group_m.empty() ? s.batch : static_cast<std::int64_t>(s.group_m.size());
}

OperandBytes operand_bytes(const GemmSpec &s) {
  const std::int64_t matrices = weight_matrices(s);
  const std::int64_t bias_rows = s.group_m.empty() ? 1 : matrices;
  OperandBytes bytes{};
  bytes.a = tensor_bytes("A", s.type_a, {s.batch, s.m, s.k});
  bytes.b = tensor_bytes("B", s.type_b, {matrices, s.k, s.n});
  bytes.out = tensor_bytes("C", s.type_out, {s.batch, s.m, s.n});
  if (s.epilogue != SITS_EPILOGUE_NONE) bytes.bias = tensor_bytes("bias", SITS_F32, {bias_rows, s.n});
  if (s.block_size != 0) {
    const std::int64_t blocks = s.k / s.block_size;
    bytes.scales = tensor_bytes("scale_a", s.type_block_scale, {s.batch, s.m, blocks}) +
                   tensor_bytes("scale_b", s.type_block_scale, {matrices, blocks, s.n});
  }
  return bytes;
}

std::string layout_text(const GemmSpec &s) { return {s.trans_a ? 't' : 'n', s.trans_b ? 't' : 'n'}; }

void set_layout(GemmSpec &s, std::string_view text) {
  const bool known = text.size() == 2 && text.find_first_not_of("nt") == std::string_view::npos;
  if (!known) throw CaseError("unknown layout " + shown(text) + ": use nn, nt, tn or tt");
  s.trans_a = text[0] == 't';
  s.trans_b = text[1] == 't';
}

std::string block_text(const GemmSpec &s) {
  return s.block_size == 0 ? "none" : std::to_string(s.block_size) + "_" + type_text(s.type_block_scale);
}

void set_block_scales(GemmSpec &s, std::string_view text) {
  if (text == "none") return;
  const auto parts = split(text, '_');
  if (parts.size() != 2) throw CaseError("block scales " + shown(text) + ": write 32_e8m0");
  const std::int64_t size = parse_whole(parts[0], "block size");
  if (size < 1 || size > std::numeric_limits<std::int32_t>::max())
    throw CaseError("block size " + std::to_string(size) + ": use 16, 32, 64 or 128");
  s.block_size = static_cast<std::uint32_t>(size);
  s.type_block_scale = word_value(type_words(), parts[1], "type");
}

/// 128,128,64 -> "128x2_64"
std::string groups_text(const std::vector<std::int64_t> &groups) {
  std::string text;
  for (auto run = groups.begin(); run != groups.end();) {
    const auto end = std::find_if(run, groups.end(), [&](std::int64_t rows) { return rows != *run; });
    text += (text.empty() ? "" : "_") + std::to_string(*run);
    if (end - run > 1) text += "x" + std::to_string(end - run);
    run = end;
  }
  return text;
}

std::vector<std::int64_t> parse_groups(std::string_view text) {
  constexpr std::int64_t kMostGroups = 65536;
  std::vector<std::int64_t> groups;
  for (const std::string_view part : split(text, '_')) {
    const std::size_t times = part.find('x');
    const std::int64_t rows = parse_whole(part.substr(0, times), "rows of a group");
    const std::int64_t count =
        times == std::string_view::npos ? 1 : parse_whole(part.substr(times + 1), "number of groups");
    if (count < 1 || count > kMostGroups - static_cast<std::int64_t>(groups.size()))
      throw CaseError("groups " + shown(text) + ": give 1 to " + std::to_string(kMostGroups) + " of them");
    groups.insert(groups.end(), static_cast<std::size_t>(count), rows);
  }
  return groups;
}

}  // namespace

void GemmOperation::validate(const GemmSpec &s) {
  word_name(kEpilogues, s.epilogue, "epilogue");
  validate_operand_types(s);
  validate_result_types(s);
  require_positive("m", s.m);
  require_positive("n", s.n);
  require_positive("k", s.k);
  require_positive("batch", s.batch);
  validate_groups(s);
  validate_block_scales(s);
  validate_packing("A", s.type_a, s.trans_a ? s.m : s.k);
  validate_packing("B", s.type_b, s.trans_b ? s.k : s.n);
  const OperandBytes bytes = operand_bytes(s);
  std::uint64_t total = 0;
  for (const std::uint64_t part : {bytes.a, bytes.b, bytes.bias, bytes.scales, bytes.out})
    if (__builtin_add_overflow(total, part, &total) || total > std::numeric_limits<std::int64_t>::max())
      throw CaseError("operands of m " + std::to_string(s.m) + ", n " + std::to_string(s.n) + ", k " +
                      std::to_string(s.k) + " are beyond 2^63 - 1 bytes: choose smaller ones");
}

std::string GemmOperation::id_parts(const GemmSpec &s) {
  std::string id = std::string(word_name(kEpilogues, s.epilogue, "epilogue")) + "/" + types_text(s) + "/m" +
                   std::to_string(s.m) + "n" + std::to_string(s.n) + "k" + std::to_string(s.k);
  if (s.trans_a || s.trans_b) id += "/" + layout_text(s);
  if (s.type_acc != SITS_DTYPE_NONE) id += "/acc_" + type_text(s.type_acc);
  if (s.batch != 1) id += "/b" + std::to_string(s.batch);
  if (!s.group_m.empty()) id += "/groups" + groups_text(s.group_m);
  if (s.block_size != 0) id += "/block" + block_text(s);
  if (s.repack) id += "/repack";
  return id;
}

GemmSpec GemmOperation::read_id(IdReader &id) {
  GemmSpec s;
  s.epilogue = word_value(kEpilogues, id.next("epilogue"), "epilogue");
  set_types(s, id.next("types"));
  const auto shape = parse_shape(id.next("shape"), {"m", "n", "k"});
  s.m = shape[0];
  s.n = shape[1];
  s.k = shape[2];
  for (const std::string_view layout : {"nt", "tn", "tt"})
    if (id.option(layout)) set_layout(s, layout);
  if (const auto type = id.prefixed("acc_")) set_accumulation(s, *type);
  if (const auto batch = id.numbered("b")) s.batch = *batch;
  if (const auto groups = id.prefixed("groups")) s.group_m = parse_groups(*groups);
  if (const auto block = id.prefixed("block")) set_block_scales(s, *block);
  s.repack = id.option("repack");
  return s;
}

void GemmOperation::list_fields(Fields &fields, GemmSpec &s) {
  fields.word("variant", s.epilogue, kEpilogues, Presence::required);
  if (const auto text = fields.text("types", types_text(s), Presence::required)) set_types(s, *text);
  fields.integer("m", s.m, Presence::optional);
  fields.integer("n", s.n, Presence::required);
  fields.integer("k", s.k, Presence::required);
  if (const auto text = fields.text("layout", layout_text(s), Presence::optional)) set_layout(s, *text);
  const std::uint32_t accumulation = s.type_acc == SITS_DTYPE_NONE ? natural_accumulation(s) : s.type_acc;
  if (const auto text = fields.text("type_acc", type_text(accumulation), Presence::optional))
    set_accumulation(s, *text);
  fields.integer("batch", s.batch, Presence::optional);
  fields.list("group_m", s.group_m);
  if (s.m == 0 && !s.group_m.empty()) s.m = sum_of_groups(s);
  if (const auto text = fields.text("block_scales", block_text(s), Presence::optional)) set_block_scales(s, *text);
  fields.flag("repack", s.repack);
}

WorkModel GemmOperation::work_model(const GemmSpec &s, double) {
  const OperandBytes bytes = operand_bytes(s);
  WorkModel work;
  work.flops = 2.0 * static_cast<double>(s.batch) * static_cast<double>(s.m) * static_cast<double>(s.n) *
               static_cast<double>(s.k);
  work.bytes_read = static_cast<double>(bytes.a + bytes.b + bytes.bias + bytes.scales);
  work.bytes_written = static_cast<double>(bytes.out);
  work.bytes_counted = work.bytes_total();
  work.bytes_convention = "read+write";
  work.footprint_bytes = work.bytes_total();
  return work;
}

std::uint32_t GemmOperation::roof_type(const GemmSpec &s) {
  const bool f4_in_f8 = s.type_a == SITS_F4_E2M1 && s.type_b != SITS_F4_E2M1;
  return f4_in_f8 ? s.type_b : s.type_a;  // weights of fewer bits are widened to A's type
}

std::shared_ptr<const void> GemmOperation::abi_spec(const GemmSpec &s) {
  struct Owner {
    std::vector<std::int64_t> group_m;
    sits_gemm_spec spec{};
  };
  auto owner = std::make_shared<Owner>();
  owner->group_m = s.group_m;
  sits_gemm_spec &c = owner->spec;
  c.struct_size = sizeof c;
  c.epilogue = s.epilogue;
  c.type_a = s.type_a;
  c.type_b = s.type_b;
  c.type_out = s.type_out;
  c.type_acc = s.type_acc;
  c.trans_a = s.trans_a ? 1 : 0;
  c.trans_b = s.trans_b ? 1 : 0;
  c.m = s.m;
  c.n = s.n;
  c.k = s.k;
  c.batch = s.batch;
  c.group_count = static_cast<std::uint32_t>(owner->group_m.size());
  c.flags = s.repack ? std::uint32_t{SITS_GEMM_REPACK} : 0;
  c.group_m = owner->group_m.empty() ? nullptr : owner->group_m.data();
  c.scale = gemm_scale(s);
  c.block_size = s.block_size;
  c.type_block_scale = s.type_block_scale;
  return {owner, &c};
}

double gemm_scale(const GemmSpec &s) {
  if (s.type_out == SITS_I32) return 1.0;
  const auto largest = [](std::uint32_t type) { return type == SITS_I8 ? 127.0 : 1.0; };
  return static_cast<double>(static_cast<float>(1.0 / (largest(s.type_a) * largest(s.type_b))));
}

}  // namespace sits::microbench
