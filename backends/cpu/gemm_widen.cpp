// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/gemm_widen.h"

#include <algorithm>
#include <cstring>

#include "sits/dtype.h"

namespace sits::cpu {
namespace {

// target[r][i] = source[i][r]: rows of a transposed A, `leading` elements apart.
template <typename T>
void transpose(const T *source, std::size_t leading, T *target, std::size_t rows, std::size_t count) {
  constexpr std::size_t kRows = 16;
  for (std::size_t first = 0; first < rows; first += kRows) {
    const std::size_t last = std::min(first + kRows, rows);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t r = first; r < last; ++r) target[r * count + i] = source[i * leading + r];
  }
}

void transpose_any(std::size_t bytes, const void *source, std::size_t leading, void *target, std::size_t rows,
                   std::size_t count) {
  const auto as = [&]<typename T>(T) {
    transpose(static_cast<const T *>(source), leading, static_cast<T *>(target), rows, count);
  };
  switch (bytes) {
    case 1: return as(std::uint8_t{});
    case 2: return as(std::uint16_t{});
    case 4: return as(std::uint32_t{});
    default: return as(std::uint64_t{});
  }
}

}  // namespace

std::size_t compute_bytes(GemmCompute compute) {
  switch (compute) {
    case GemmCompute::f64: return 8;
    case GemmCompute::i32: return 2;
    case GemmCompute::f32: break;
  }
  return 4;
}

Widener::Widener(const GemmKernels &kernels, GemmCompute compute, std::uint32_t type)
    : kernels_(&kernels),
      type_(type),
      source_bytes_(bits_of(type) / 8),
      target_bytes_(compute_bytes(compute)),
      copies_only_(type == SITS_F32 || type == SITS_F64),
      exact_integers_(compute == GemmCompute::i32) {
  by_table_ = source_bytes_ == 1 && type != SITS_I8;
  for (std::size_t code = 0; by_table_ && code < table_.size(); ++code)
    table_[code] = static_cast<float>(decode(type, code));
}

void Widener::widen(const void *source, void *target, std::size_t count) const {
  if (copies_only_) {
    std::memcpy(target, source, count * source_bytes_);
  } else if (exact_integers_) {
    kernels_->widen_i16(static_cast<const std::int8_t *>(source), static_cast<std::int16_t *>(target), count);
  } else if (by_table_) {
    const auto *codes = static_cast<const std::uint8_t *>(source);
    auto *values = static_cast<float *>(target);
    for (std::size_t i = 0; i < count; ++i) values[i] = table_[codes[i]];
  } else {
    kernels_->widen_f32(type_, source, static_cast<float *>(target), count);
  }
}

void widen_rows(const Widener &widener, const GemmProblem &problem, const GemmPart &part, const void *a,
                std::size_t row, std::size_t rows, std::size_t k0, std::size_t count, void *target, std::size_t stride,
                void *scratch) {
  const auto k = static_cast<std::size_t>(problem.k), m = static_cast<std::size_t>(part.m);
  const std::size_t from = widener.source_bytes(), to = widener.target_bytes();
  const char *base = static_cast<const char *>(a) + part.a * from;
  const char *source = base + (row * k + k0) * from;
  std::size_t step = k;
  if (problem.trans_a) {
    transpose_any(from, base + (k0 * m + row) * from, m, scratch, rows, count);
    source = static_cast<const char *>(scratch);
    step = count;
  }
  for (std::size_t r = 0; r < rows; ++r) {
    char *place = static_cast<char *>(target) + r * stride * to;
    widener.widen(source + r * step * from, place, count);
    std::memset(place + count * to, 0, to);
  }
}

}  // namespace sits::cpu
