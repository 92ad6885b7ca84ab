// SPDX-License-Identifier: Apache-2.0
#include "null_work.h"

#include <algorithm>
#include <cstring>

#include "backends/sdk/failure.h"
#include "sits/generator.h"

namespace sits::null_backend {
namespace {

using sdk::Failure;

constexpr double kBytesPerNs = 80, kFlopsPerNs = 1000, kLaunchNs = 1000;
constexpr std::int64_t kLargestGemm = 1 << 24;  // multiplications: it is computed in double, one by one

NullShape stream_shape(const sits_stream_spec &spec) {
  static constexpr const char *kInputs[6][2] = {{"a", nullptr}, {"c", nullptr}, {"a", "b"},
                                                {"b", "c"},     {"a", nullptr}, {nullptr, nullptr}};
  static constexpr const char *kOutput[6] = {"c", "b", "c", "a", "sum", "a"};
  const std::uint64_t count = spec.bytes * 8 / bits_of(spec.type);
  const bool read = spec.kind == SITS_STREAM_READ;
  NullShape shape;
  for (const char *name : kInputs[spec.kind])
    if (name != nullptr)
      shape.tensors.push_back({name, SITS_ROLE_INPUT, spec.type,
                               std::uint32_t{read ? SITS_FILL_SMALL_INTEGER : SITS_FILL_UNIFORM}, count,
                               shape.tensors.size()});
  const std::uint64_t blocks = (spec.bytes + SITS_STREAM_READ_BLOCK_BYTES - 1) / SITS_STREAM_READ_BLOCK_BYTES;
  const std::uint32_t out_type = !read ? spec.type : std::uint32_t{spec.type == SITS_F64 ? SITS_F64 : SITS_F32};
  shape.tensors.push_back(
      {kOutput[spec.kind], SITS_ROLE_OUTPUT, out_type, SITS_FILL_NONE, read ? blocks : count, shape.tensors.size()});
  shape.iteration_ns = kLaunchNs + static_cast<double>(shape.copy_bytes()) / kBytesPerNs;
  return shape;
}

NullShape gemm_shape(const sits_gemm_spec &spec) {
  const bool plain = spec.epilogue == SITS_EPILOGUE_NONE && spec.type_a == SITS_F32 && spec.type_b == SITS_F32 &&
                     spec.type_out == SITS_F32 && spec.trans_a == 0 && spec.trans_b == 0 && spec.batch == 1 &&
                     spec.group_count == 0 && spec.block_size == 0;
  if (!plain || spec.m * spec.n > kLargestGemm / spec.k)
    throw Failure(SITS_UNSUPPORTED, "the null device multiplies small plain f32 matrices only");
  NullShape shape;
  shape.tensors = {{"A", SITS_ROLE_INPUT, SITS_F32, SITS_FILL_UNIFORM, static_cast<std::uint64_t>(spec.m * spec.k), 0},
                   {"B", SITS_ROLE_INPUT, SITS_F32, SITS_FILL_UNIFORM, static_cast<std::uint64_t>(spec.k * spec.n), 1},
                   {"C", SITS_ROLE_OUTPUT, SITS_F32, SITS_FILL_NONE, static_cast<std::uint64_t>(spec.m * spec.n), 2}};
  shape.iteration_ns = kLaunchNs + 2.0 * static_cast<double>(spec.m * spec.n * spec.k) / kFlopsPerNs;
  return shape;
}

NullShape peak_shape(const sits_peak_spec &spec) {
  if (spec.unit != SITS_PEAK_FMA || spec.type != SITS_F32)
    throw Failure(SITS_UNSUPPORTED, "the null device has an f32 vector unit only");
  NullShape shape;
  shape.tensors = {{"acc", SITS_ROLE_OUTPUT, SITS_F64, SITS_FILL_NONE, 4, 0}};
  shape.peak_flops = 1e8;
  shape.iteration_ns = shape.peak_flops / kFlopsPerNs;
  return shape;
}

}  // namespace

std::uint64_t NullShape::copy_bytes() const {
  std::uint64_t sum = 0;
  for (const NullTensor &tensor : tensors) sum += bytes_of(tensor.type, tensor.count);
  return sum;
}

NullShape shape_of(const sits_case &test_case) {
  switch (test_case.op) {
    case SITS_OP_STREAM: return stream_shape(*static_cast<const sits_stream_spec *>(test_case.spec));
    case SITS_OP_GEMM: return gemm_shape(*static_cast<const sits_gemm_spec *>(test_case.spec));
    case SITS_OP_PEAK: return peak_shape(*static_cast<const sits_peak_spec *>(test_case.spec));
    default: throw Failure(SITS_UNSUPPORTED, "the null device does stream, gemm and peak only");
  }
}

NullWork::NullWork(const sits_case &test_case, std::uint32_t copies)
    : op_(test_case.op), shape_(shape_of(test_case)), data_(copies), fresh_(copies, false) {
  if (op_ == SITS_OP_STREAM) stream_ = *static_cast<const sits_stream_spec *>(test_case.spec);
  if (op_ == SITS_OP_GEMM) gemm_ = *static_cast<const sits_gemm_spec *>(test_case.spec);
  for (std::uint32_t copy = 0; copy < copies; ++copy) {
    for (const NullTensor &tensor : shape_.tensors) {
      data_[copy].emplace_back(bytes_of(tensor.type, tensor.count));
      if (tensor.role != SITS_ROLE_INPUT) continue;
      const std::uint32_t key = tensor_key(test_case.seed, tensor.stream + std::uint64_t{copy} * SITS_COPY_STRIDE);
      for (std::uint64_t i = 0; i < tensor.count; ++i)
        store(copy, data_[copy].size() - 1, i, generated_value(tensor.type, tensor.fill, key, i));
    }
  }
}

double NullWork::value(std::uint32_t copy, std::size_t tensor, std::uint64_t index) const {
  const std::uint32_t type = shape_.tensors[tensor].type, size = bits_of(type) / 8;
  std::uint64_t bits = 0;
  std::memcpy(&bits, data_[copy][tensor].data() + index * size, size);
  return decode(type, bits);
}

void NullWork::store(std::uint32_t copy, std::size_t tensor, std::uint64_t index, double value) {
  const std::uint32_t type = shape_.tensors[tensor].type, size = bits_of(type) / 8;
  const std::uint64_t bits = encode(type, value);
  std::memcpy(data_[copy][tensor].data() + index * size, &bits, size);
}

void NullWork::fill_outputs(bool poison) {
  for (auto &copy : data_)
    for (std::size_t t = 0; t < copy.size(); ++t)
      if (shape_.tensors[t].role != SITS_ROLE_INPUT)
        std::fill(copy[t].begin(), copy[t].end(),
                  poison ? std::byte{poison_byte(shape_.tensors[t].type)} : std::byte{0});
  std::fill(fresh_.begin(), fresh_.end(), false);
}

void NullWork::poison() { fill_outputs(true); }
void NullWork::zero_outputs() { fill_outputs(false); }

void NullWork::compute(std::uint32_t copy) {
  if (fresh_[copy]) return;  // outputs depend on inputs only
  fresh_[copy] = true;
  if (op_ == SITS_OP_STREAM) compute_stream(copy);
  if (op_ == SITS_OP_GEMM) compute_gemm(copy);
  if (op_ == SITS_OP_PEAK)
    for (std::uint64_t i = 0; i < shape_.tensors[0].count; ++i) store(copy, 0, i, 2.0);
}

void NullWork::compute_stream(std::uint32_t copy) {
  const std::size_t out = shape_.tensors.size() - 1;
  const std::uint64_t count = shape_.tensors[0].count;
  if (stream_.kind == SITS_STREAM_READ) {
    const std::uint64_t block = SITS_STREAM_READ_BLOCK_BYTES * std::uint64_t{8} / bits_of(stream_.type);
    for (std::uint64_t b = 0; b < shape_.tensors[out].count; ++b) {
      double sum = 0;
      for (std::uint64_t i = b * block; i < std::min(count, (b + 1) * block); ++i) sum += value(copy, 0, i);
      store(copy, out, b, sum);
    }
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    double result = 0.5;
    switch (stream_.kind) {
      case SITS_STREAM_COPY: result = value(copy, 0, i); break;
      case SITS_STREAM_SCALE: result = 0.5 * value(copy, 0, i); break;
      case SITS_STREAM_ADD: result = value(copy, 0, i) + value(copy, 1, i); break;
      case SITS_STREAM_TRIAD: result = value(copy, 0, i) + 0.5 * value(copy, 1, i); break;
      default: break;
    }
    store(copy, out, i, result);
  }
}

void NullWork::compute_gemm(std::uint32_t copy) {
  const auto m = static_cast<std::uint64_t>(gemm_.m), n = static_cast<std::uint64_t>(gemm_.n),
             k = static_cast<std::uint64_t>(gemm_.k);
  for (std::uint64_t row = 0; row < m; ++row)
    for (std::uint64_t column = 0; column < n; ++column) {
      double sum = 0;
      for (std::uint64_t i = 0; i < k; ++i) sum += value(copy, 0, row * k + i) * value(copy, 1, i * n + column);
      store(copy, 2, row * n + column, gemm_.scale * sum);
    }
}

}  // namespace sits::null_backend
