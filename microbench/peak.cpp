// SPDX-License-Identifier: Apache-2.0
#include "microbench/peak.h"

#include "microbench/checked.h"

namespace sits::microbench {
namespace {

constexpr std::array kUnits = {Word{"fma", SITS_PEAK_FMA}, Word{"matrix", SITS_PEAK_MATRIX}};

}  // namespace

void PeakOperation::validate(const PeakSpec &s) {
  word_name(kUnits, s.unit, "peak unit");
  if (s.unit == SITS_PEAK_FMA)
    require_type("type of peak fma", s.type, {SITS_F64, SITS_F32, SITS_F16, SITS_BF16, SITS_I8, SITS_I32});
  else
    require_type(
        "type of peak matrix", s.type,
        {SITS_F64, SITS_F32, SITS_TF32, SITS_F16, SITS_BF16, SITS_F8, SITS_F8_E5M2, SITS_I8, SITS_I4, SITS_F4_E2M1});
}

std::string PeakOperation::id_parts(const PeakSpec &s) {
  return std::string(word_name(kUnits, s.unit, "peak unit")) + "/" +
         std::string(word_name(type_words(), s.type, "type"));
}

PeakSpec PeakOperation::read_id(IdReader &id) {
  PeakSpec s;
  s.unit = word_value(kUnits, id.next("peak unit"), "peak unit");
  s.type = word_value(type_words(), id.next("type"), "type");
  return s;
}

void PeakOperation::list_fields(Fields &fields, PeakSpec &s) {
  fields.word("variant", s.unit, kUnits, Presence::required);
  fields.word("type", s.type, type_words(), Presence::required);
}

WorkModel PeakOperation::work_model(const PeakSpec &, double peak_flops) {
  WorkModel work;
  work.flops = peak_flops;
  return work;
}

std::uint32_t PeakOperation::roof_type(const PeakSpec &s) { return s.type; }

std::shared_ptr<const void> PeakOperation::abi_spec(const PeakSpec &s) {
  auto spec = make_abi_spec<sits_peak_spec>();
  spec->unit = s.unit;
  spec->type = s.type;
  return spec;
}

}  // namespace sits::microbench
