// SPDX-License-Identifier: Apache-2.0
//
// Creating operands: elements of the input generator and poison, written by the threads that own them.
#pragma once

#include <cstdint>

#include "backends/cpu/pool.h"

namespace sits::cpu {

/// Elements [first, first + count) of a tensor as packed raw elements. `first` is even for sub-byte types.
/// type: SITS_F64 … SITS_E8M0; fill: SITS_FILL_*; key: tensor_key() of generator.h. Single-threaded.
void generate(void *dst, std::uint32_t type, std::uint32_t fill, std::uint32_t key, std::uint64_t first,
              std::uint64_t count);

/// `count` elements from element 0 on, in parts of `grain` elements by part_of(), as the operation's own threads will
/// own them: this is the first touch.
void generate_parallel(Pool &pool, void *dst, std::uint32_t type, std::uint32_t fill, std::uint32_t key,
                       std::uint64_t count, std::uint64_t grain);

/// The poison pattern of the type over `count` elements, in the same parts.
void poison_parallel(Pool &pool, void *dst, std::uint32_t type, std::uint64_t count, std::uint64_t grain);

}  // namespace sits::cpu
