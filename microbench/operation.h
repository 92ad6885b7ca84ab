// SPDX-License-Identifier: Apache-2.0
//
// The table of operations: everything that depends on the operation is one row of it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "microbench/case.h"
#include "microbench/fields.h"
#include "microbench/id_reader.h"

namespace sits::microbench {

struct Operation {
  Op op;
  std::string_view name;
  std::span<const Mode> modes;                     // the first one is the default
  std::span<const std::string_view> option_words;  // how options look, for suggestions
  Spec (*blank)();                                 // all parameters at their defaults
  void (*validate)(const Spec &spec);              // throws CaseError
  std::string (*id_parts)(const Spec &spec);       // "variant/types/shape/options" of a valid spec
  Spec (*read_id)(IdReader &id);                   // the inverse; need not refuse other spellings
  void (*list_fields)(Fields &fields, Spec &spec);
  WorkModel (*work_model)(const Spec &spec, double peak_flops);
  std::uint32_t (*roof_type)(const Spec &spec);
  std::shared_ptr<const void> (*abi_spec)(const Spec &spec);  // the C struct and what it points to
};

/// All operations, at the index of their spec in `Spec`.
std::span<const Operation> operations();

inline const Operation &operation_of(const Spec &spec) { return operations()[spec.index()]; }

inline constexpr Mode kCacheModes[] = {Mode::cold, Mode::warm, Mode::steady};
inline constexpr Mode kSteadyFirst[] = {Mode::steady, Mode::cold, Mode::warm};
inline constexpr Mode kNoModes[] = {Mode::none};

/// A C struct with its size stamped, for abi_spec.
template <class CSpec>
std::shared_ptr<CSpec> make_abi_spec() {
  auto spec = std::make_shared<CSpec>();
  spec->struct_size = sizeof(CSpec);
  return spec;
}

}  // namespace sits::microbench
