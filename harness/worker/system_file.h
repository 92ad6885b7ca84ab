// SPDX-License-Identifier: Apache-2.0
//
// Small files of /proc, /sys and /etc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sits::worker {

/// The whole file, "" when it cannot be read; at most 1 MiB.
std::string file_text(const std::string &path);
/// Its first line without surrounding blanks.
std::string first_line(const std::string &path);
/// A non-negative decimal number at the start of the text.
std::optional<std::uint64_t> parse_number(std::string_view text);
/// "0-3,8" -> 0 1 2 3 8; stops at what does not parse.
std::vector<std::uint32_t> parse_cpu_list(std::string_view text);
/// The value of "key<blanks>: value" or "key=value" lines: the first such line's value, "" when there is none.
std::string value_of(std::string_view text, std::string_view key, char separator);

}  // namespace sits::worker
