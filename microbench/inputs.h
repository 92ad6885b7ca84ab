// SPDX-License-Identifier: Apache-2.0
//
// Elements in bulk, as doubles: those that the generator makes and those that a backend hands back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "microbench/oracle.h"

namespace sits::microbench {

/// What generated_value() needs besides the index.
struct InputStream {
  std::uint32_t type = SITS_DTYPE_NONE;
  std::uint32_t fill = SITS_FILL_NONE;
  std::uint32_t key = 0;
};

/// The copy of a tensor that goes with copy `copy` of the workload: tensors of one copy go with all.
std::uint32_t copy_of(const TensorInfo &tensor, std::uint32_t copy);

/// The generator's parameters for one copy of a tensor.
InputStream input_stream(const TensorInfo &tensor, std::uint64_t seed, std::uint32_t copy);

/// out[i] = generated_value(first + i * step), many times faster than one by one.
void generate(const InputStream &input, std::uint64_t first, std::uint64_t step, std::span<double> out);

/// Sum of `count` elements of a SITS_FILL_SMALL_INTEGER tensor from element `first`.
std::int64_t sum_of_small_integers(std::uint32_t key, std::uint64_t first, std::uint64_t count);

/// Packed bytes of elements `first` … `first + count - 1`. Throws CaseError when the reader hands back another number.
std::vector<std::byte> read_raw(const Reader &read, std::size_t index, std::uint32_t type, std::uint32_t copy,
                                std::uint64_t first, std::uint64_t count);

/// The same as doubles, out.size() elements. Types of 8 bits or more.
void read_elements(const Reader &read, std::size_t index, std::uint32_t type, std::uint32_t copy, std::uint64_t first,
                   std::span<double> out);

/// `resolved` when it is an encoding of the type that the case asks for (SITS_F8 stands for the e4m3 class), `asked`
/// when `resolved` is SITS_DTYPE_NONE and nothing was left open. Else throws CaseError.
std::uint32_t resolved_type(std::string_view name, std::uint32_t asked, std::uint32_t resolved);

/// Index of the tensor called `name`. Throws CaseError when it is missing, or its role, type or count is another.
std::size_t find_tensor(std::span<const TensorInfo> tensors, std::string_view name, std::uint32_t role,
                        std::uint32_t type, std::uint64_t count);
/// The same, of an input with the given fill.
std::size_t find_input(std::span<const TensorInfo> tensors, std::string_view name, std::uint32_t fill,
                       std::uint32_t type, std::uint64_t count);

}  // namespace sits::microbench
