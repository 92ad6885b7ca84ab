// SPDX-License-Identifier: Apache-2.0
//
// Text that came from drivers and users, made fit for a document or a terminal column.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sits::report {

/// `text` as valid UTF-8: every maximal ill-formed sequence becomes one U+FFFD.
std::string clean_utf8(std::string_view text);

/// clean_utf8, with control characters (C0, DEL, C1, line and paragraph separators, bidirectional overrides) written as
/// `\n`, `\t`, `\x1b`, `\u202e`: safe in a terminal and on one line.
std::string one_line(std::string_view text);

/// Columns a terminal needs for valid UTF-8 text: combining marks 0, East Asian wide and emoji 2, the rest 1.
std::size_t display_width(std::string_view text);

/// The longest prefix within `columns`, ended by "…" when something was cut.
std::string shorten(std::string_view text, std::size_t columns);

/// `text` filled with spaces to `columns`, at its left when `right` is set.
std::string pad(std::string_view text, std::size_t columns, bool right);

}  // namespace sits::report
