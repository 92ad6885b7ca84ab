// SPDX-License-Identifier: Apache-2.0
//
// Suites: what to run. JSON (results_schema/suite.schema.json): defaults, and entries whose parameters are values,
// lists or ranges; every combination becomes a case.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "microbench/case.h"

namespace sits::microbench {

/// How long and how often; unset means the program's default. Times in nanoseconds.
struct Effort {
  std::optional<std::uint32_t> min_samples, max_samples, warmup_iterations, exact_iterations;
  std::optional<double> ci_relative;  // half-width of the CI of the median to stop at
  std::optional<double> budget_ns;    // of one case: preparation, verification, warm-up, samples
  std::optional<double> soak_ns;      // load before the first scored case of a dtype family, power-managed devices
  bool operator==(const Effort &) const = default;
};

struct SuiteCase {
  Case test_case;
  std::string id;
  Effort effort;          // of the entry, over that of the suite
  bool required = false;  // counts for the overall score
};

struct Suite {
  std::string name, version, description;
  std::string sha256;  // of the file's bytes
  Effort effort;
  std::uint32_t runs = 1;
  std::vector<SuiteCase> cases;  // in file order, ids unique
};

/// A suite file that cannot be used. The message names file, line and column (syntax) or JSON pointer (content).
struct SuiteError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Parses the text of a suite. `name` is for messages. Throws SuiteError: syntax, unknown key (with the nearest known
/// one), bad value, duplicate case, more than 100000 cases.
Suite parse_suite(std::string_view text, const std::string &name);

/// "64k", "1.5GiB", "128mib", "4096" -> bytes (2^10-based, case-insensitive, whole bytes only). Throws CaseError on
/// anything else: sign, empty, fraction of a byte, overflow.
std::uint64_t parse_bytes(std::string_view text);
/// 65536 -> "64kib"; the form used in ids: the largest unit that leaves a whole number.
std::string format_bytes(std::uint64_t bytes);
/// "500ms", "60s", "2m", "1h" -> nanoseconds. Throws CaseError; a bare number is refused.
double parse_duration(std::string_view text);

/// Lower-case hexadecimal SHA-256.
std::string sha256(std::string_view bytes);

/// Of `candidates` the one nearest to `word` by edit distance, or "" when none is within a third of its length.
std::string nearest(std::string_view word, const std::vector<std::string> &candidates);

}  // namespace sits::microbench
