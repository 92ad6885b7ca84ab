// SPDX-License-Identifier: Apache-2.0
#include "microbench/case.h"

#include <algorithm>
#include <array>

#include "microbench/operation.h"
#include "microbench/words.h"

namespace sits::microbench {
namespace {

constexpr std::array kModeWords = {Word{"none", SITS_MODE_NONE}, Word{"cold", SITS_MODE_COLD},
                                   Word{"warm", SITS_MODE_WARM}, Word{"steady", SITS_MODE_STEADY}};

bool allows(const Operation &operation, Mode mode) {
  return std::ranges::find(operation.modes, mode) != operation.modes.end();
}

void validate_mode(const Operation &operation, Mode mode) {
  if (allows(operation, mode)) return;
  std::string known;
  for (const Mode candidate : operation.modes) known += (known.empty() ? "" : ", ") + std::string(mode_name(candidate));
  throw CaseError("mode of " + std::string(operation.name) + " is " + std::string(mode_name(mode)) + ": use " + known);
}

/// The mode part of an id; anything else that is left there was meant as an option.
Mode read_mode(IdReader &id, const Operation &operation) {
  if (id.left() == 0 && allows(operation, Mode::none)) return Mode::none;
  const std::string_view part = id.next("mode");
  std::vector<std::string_view> known(operation.option_words.begin(), operation.option_words.end());
  for (const Mode mode : operation.modes) {
    if (mode == Mode::none) continue;
    if (mode_name(mode) == part && id.left() == 0) return mode;
    known.push_back(mode_name(mode));
  }
  if (known.empty())
    throw CaseError("id goes on with " + shown(part) + ": " + std::string(operation.name) + " has no such part");
  if (std::ranges::find(known, part) != known.end())
    throw CaseError("part " + shown(part) + " stands in the wrong place: options come in a fixed order, mode last");
  throw CaseError(unknown_word("option or mode", part, known));
}

}  // namespace

Op op_of(const Case &c) { return operation_of(c.spec).op; }

std::string_view op_name(Op op) {
  const auto found = std::ranges::find(operations(), op, &Operation::op);
  if (found == operations().end())
    throw CaseError("operation " + std::to_string(static_cast<std::uint32_t>(op)) + " is not one of sits/backend.h");
  return found->name;
}

Op parse_op(std::string_view name) {
  const auto found = std::ranges::find(operations(), name, &Operation::name);
  if (found != operations().end()) return found->op;
  std::vector<std::string_view> known;
  for (const Operation &operation : operations()) known.push_back(operation.name);
  throw CaseError(unknown_word("operation", name, known));
}

std::string_view mode_name(Mode mode) { return word_name(kModeWords, static_cast<std::uint32_t>(mode), "mode"); }

Mode parse_mode(std::string_view name) { return static_cast<Mode>(word_value(kModeWords, name, "mode")); }

void validate(const Case &c) {
  const Operation &operation = operation_of(c.spec);
  validate_mode(operation, c.mode);
  operation.validate(c.spec);
}

std::string canonical_id(const Case &c) {
  validate(c);
  const Operation &operation = operation_of(c.spec);
  std::string id = std::string(operation.name) + "/" + operation.id_parts(c.spec);
  if (c.mode != Mode::none) id += "/" + std::string(mode_name(c.mode));
  return id;
}

Case parse_id(std::string_view id) try {
  IdReader reader(id);
  const Op op = parse_op(reader.next("operation"));
  const Operation &operation = *std::ranges::find(operations(), op, &Operation::op);
  Case c;
  c.spec = operation.read_id(reader);
  c.mode = read_mode(reader, operation);
  const std::string canonical = canonical_id(c);
  if (canonical != id) throw CaseError("not the canonical spelling: write " + canonical);
  return c;
} catch (const CaseError &error) {
  throw CaseError("case " + shown(id) + ": " + error.what());
}

WorkModel work_model(const Case &c, double peak_flops) { return operation_of(c.spec).work_model(c.spec, peak_flops); }

std::uint32_t roof_type(const Case &c) { return operation_of(c.spec).roof_type(c.spec); }

struct AbiCase::Storage {
  std::shared_ptr<const void> spec;
  std::string id;
  std::optional<std::string> provider;
  sits_case view{};
};

AbiCase::AbiCase(const Case &c, std::uint64_t seed, std::optional<std::string> provider)
    : storage_(std::make_unique<Storage>()) {
  Storage &s = *storage_;
  s.id = canonical_id(c);
  s.spec = operation_of(c.spec).abi_spec(c.spec);
  s.provider = std::move(provider);
  s.view.struct_size = sizeof s.view;
  s.view.op = static_cast<std::uint32_t>(op_of(c));
  s.view.mode = static_cast<std::uint32_t>(c.mode);
  s.view.spec = s.spec.get();
  s.view.seed = seed;
  s.view.id = s.id.c_str();
  s.view.provider = s.provider ? s.provider->c_str() : nullptr;
}

AbiCase::~AbiCase() = default;
AbiCase::AbiCase(AbiCase &&) noexcept = default;
AbiCase &AbiCase::operator=(AbiCase &&) noexcept = default;

const sits_case &AbiCase::view() const { return storage_->view; }

}  // namespace sits::microbench
