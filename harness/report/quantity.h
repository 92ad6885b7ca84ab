// SPDX-License-Identifier: Apache-2.0
//
// Numbers as text: exact ones for machines, scaled ones for people. No locale changes a byte.
#pragma once

#include <optional>
#include <string>

namespace sits::report {

/// The shortest decimal that reads back as the same double; always marked as a real number ("3.0", "1e+22").
std::string exact_number(double value);

/// Nanoseconds scaled to ns, µs, ms or s, four significant digits: "812.3 ns", "1.235 ms".
std::string time_text(double ns);

/// Per-second rates, 10^9-based: "187.9 GFLOP/s", "3.012 TB/s".
std::string rate_text(double per_second, const std::string &unit);

/// 2^10-based size: "32 KiB", "1.5 GiB".
std::string bytes_text(double bytes);

/// 0.873 -> "87.3 %"
std::string percent_text(double fraction);

/// 12.345 -> "12.3": three significant digits, at least.
std::string ratio_text(double ratio);

}  // namespace sits::report
