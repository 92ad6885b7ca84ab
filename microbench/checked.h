// SPDX-License-Identifier: Apache-2.0
//
// Checks that every operation's validation is made of. All throw CaseError.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "microbench/words.h"

namespace sits::microbench {

/// `value` must be 1 or more.
void require_positive(std::string_view name, std::int64_t value);

/// `type` must be one of `allowed`; `what` names the role, e.g. "type of B".
void require_type(std::string_view what, std::uint32_t type, std::initializer_list<std::uint32_t> allowed);

/// `bytes` must be a positive multiple of `unit`; `what` names the buffer.
void require_size(std::string_view what, std::uint64_t bytes, std::uint64_t unit);

/// Product of `factors`, which must stay within 2^63 - 1; `what` names it, e.g. "A" or "footprint".
std::uint64_t checked_product(std::string_view what, std::initializer_list<std::uint64_t> factors);

/// Bytes of a tensor of the given type and (positive) extents, within 2^63 - 1.
std::uint64_t tensor_bytes(std::string_view what, std::uint32_t type, std::initializer_list<std::int64_t> extents);

/// Bytes of one element of a type of 8 bits or more.
std::uint64_t element_bytes(std::uint32_t type);

/// Digits only, within int64. `what` names the number.
std::int64_t parse_whole(std::string_view digits, std::string_view what);

}  // namespace sits::microbench
