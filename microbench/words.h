// SPDX-License-Identifier: Apache-2.0
//
// Named constants: the words of ids and suites, and the ABI values they stand for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sits::microbench {

struct Word {
  std::string_view name;
  std::uint32_t value;
};
using Words = std::span<const Word>;

/// The element types a case may name. `f8` is the e4m3 class, whatever its encoding.
Words type_words();

/// Value of a word. Throws CaseError with the nearest word and the list; `what` names the kind, e.g. "type".
std::uint32_t word_value(Words words, std::string_view name, std::string_view what);
/// Name of a value. Throws CaseError when it has none.
std::string_view word_name(Words words, std::uint32_t value, std::string_view what);

/// "unknown type 'f9': did you mean 'f8'? (f64, f32, …)"
std::string unknown_word(std::string_view what, std::string_view word, std::span<const std::string_view> known);

/// Foreign text as valid, printable UTF-8: control and invalid bytes as \xNN.
std::string printable(std::string_view text);
/// User input as it may be shown in a message: printable, in single quotes, cut at 80 bytes.
std::string shown(std::string_view text);

}  // namespace sits::microbench
