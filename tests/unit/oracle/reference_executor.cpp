// SPDX-License-Identifier: Apache-2.0
#include "reference_executor.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include "sits/dtype.h"
#include "sits/generator.h"

namespace sits::microbench::test {
namespace {

float f32(double value) { return static_cast<float>(value); }

double truncated_f32(double exact) {
  const float nearest = f32(exact);
  const bool away = std::fabs(static_cast<double>(nearest)) > std::fabs(exact);
  return static_cast<double>(away ? std::nextafter(nearest, 0.0f) : nearest);
}

/// Row vector times matrix, b being depth x n: one sum per column, in the accumulation type.
std::vector<double> multiply_row(const double *a, const std::vector<double> &b, std::size_t depth, std::size_t n,
                                 std::uint32_t type, Accumulate how) {
  std::vector<double> sums(n);
  if (how == Accumulate::truncated_by_16) {
    for (std::size_t l = 0; l < depth; l += 16)
      for (std::size_t j = 0; j < n; ++j) {
        double block = 0;
        for (std::size_t k = l; k < std::min(depth, l + 16); ++k) block += a[k] * b[k * n + j];
        sums[j] = truncated_f32(sums[j] + block);
      }
    return sums;
  }
  if (type == SITS_F32) {
    std::vector<float> row(n);
    for (std::size_t l = 0; l < depth; ++l)
      for (std::size_t j = 0; j < n; ++j) row[j] += f32(a[l]) * f32(b[l * n + j]);
    std::copy(row.begin(), row.end(), sums.begin());
    return sums;
  }
  const bool narrow = bits_of(type) == 16;
  for (std::size_t l = 0; l < depth; ++l)
    for (std::size_t j = 0; j < n; ++j) {
      sums[j] += a[l] * b[l * n + j];
      if (narrow) sums[j] = rounded(type, sums[j]);
    }
  return sums;
}

float epilogue_f32(std::uint32_t epilogue, float x) {
  switch (epilogue) {
    case SITS_EPILOGUE_BIAS_RELU: return x > 0 ? x : 0.0f;
    case SITS_EPILOGUE_BIAS_GELU: return 0.5f * x * (1.0f + std::erf(x * 0.70710678f));
    case SITS_EPILOGUE_BIAS_SILU: return x / (1.0f + std::exp(-x));
    default: return x;
  }
}

double apply_f64(std::uint32_t epilogue, double x) {
  switch (epilogue) {
    case SITS_EPILOGUE_BIAS_RELU: return x > 0 ? x : 0.0;
    case SITS_EPILOGUE_BIAS_GELU: return 0.5 * x * (1.0 + std::erf(x * 0.70710678118654752440));
    case SITS_EPILOGUE_BIAS_SILU: return x / (1.0 + std::exp(-x));
    default: return x;
  }
}

std::uint32_t accumulation_of(const GemmSpec &s) {
  if (s.type_acc != SITS_DTYPE_NONE) return s.type_acc;
  if (s.type_a == SITS_F64) return SITS_F64;
  const auto integer = [](std::uint32_t t) { return t == SITS_I8 || t == SITS_I4; };
  return integer(s.type_a) && integer(s.type_b) ? SITS_I32 : SITS_F32;
}

}  // namespace

std::uint32_t executed_type(std::uint32_t type) { return type == SITS_F8 ? std::uint32_t{SITS_F8_E4M3} : type; }

Execution::Execution(const Case &c, std::uint64_t seed, std::uint32_t copies, Mistake mistake, Accumulate accumulate)
    : case_(c), seed_(seed), copies_(copies), mistake_(mistake), accumulate_(accumulate), outputs_(copies) {
  std::visit([this](const auto &spec) { run(spec); }, case_.spec);
}

OracleRequest Execution::request(std::uint32_t copy, std::uint64_t sample_seed) const {
  OracleRequest request;
  request.test_case = &case_;
  request.tensors = tensors_;
  request.copy = copy;
  request.seed = seed_;
  request.sample_seed = sample_seed;
  request.steps_total = steps_total;
  if (const auto *gemm = std::get_if<GemmSpec>(&case_.spec)) {
    request.type_a = executed_type(gemm->type_a);
    request.type_b = executed_type(gemm->type_b);
    request.type_acc = accumulation_of(*gemm);
  }
  return request;
}

Reader Execution::reader() const {
  return [this](std::size_t index, std::uint32_t copy, std::uint64_t first, std::uint64_t count) {
    if (index != output_) throw std::logic_error("the oracle read an input");
    const std::uint64_t size = bytes_of(tensors_[index].type, 1);
    const auto &bytes = outputs_.at(copy);
    if ((first + count) * size > bytes.size()) throw std::out_of_range("read beyond the tensor");
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(first * size);
    return std::vector<std::byte>(begin, begin + static_cast<std::ptrdiff_t>(count * size));
  };
}

Verification Execution::verify(std::uint32_t copy, std::uint64_t sample_seed) const {
  return microbench::verify(request(copy, sample_seed), reader());
}

std::uint64_t Execution::output_bits(std::uint64_t index, std::uint32_t copy) const {
  const std::uint64_t size = bytes_of(tensors_[output_].type, 1);
  std::uint64_t bits = 0;
  std::memcpy(&bits, outputs_[copy].data() + index * size, size);
  return bits;
}
double Execution::output_value(std::uint64_t index, std::uint32_t copy) const {
  return decode(tensors_[output_].type, output_bits(index, copy));
}
void Execution::set_output_bits(std::uint64_t index, std::uint64_t bits, std::uint32_t copy) {
  const std::uint64_t size = bytes_of(tensors_[output_].type, 1);
  std::memcpy(outputs_[copy].data() + index * size, &bits, size);
}
void Execution::set_output(std::uint64_t index, double value, std::uint32_t copy) {
  set_output_bits(index, encode(tensors_[output_].type, value), copy);
}
void Execution::poison(std::uint64_t first, std::uint64_t count, std::uint32_t copy) {
  const TensorInfo &tensor = tensors_[output_];
  const std::uint64_t size = bytes_of(tensor.type, 1);
  std::memset(outputs_[copy].data() + first * size, poison_byte(tensor.type), count * size);
}

std::size_t Execution::add(const std::string &name, std::uint32_t role, std::uint32_t type, std::uint32_t fill,
                           std::uint64_t count) {
  TensorInfo tensor;
  tensor.name = name;
  tensor.role = role;
  tensor.type = executed_type(type);
  tensor.fill = fill;
  tensor.count = count;
  tensor.stream = tensors_.size();
  tensor.copies = copies_;
  tensors_.push_back(tensor);
  if (role == SITS_ROLE_OUTPUT) {
    output_ = tensors_.size() - 1;
    for (auto &bytes : outputs_) bytes.resize(bytes_of(tensor.type, count));
  }
  return tensors_.size() - 1;
}

double Execution::input(const std::string &name, std::uint64_t index, std::uint32_t copy) const {
  for (const TensorInfo &t : tensors_)
    if (t.name == name)
      return generated_value(t.type, t.fill, tensor_key(seed_, t.stream + copy * SITS_COPY_STRIDE), index);
  throw std::logic_error("no tensor " + name);
}

void Execution::run(const GemmSpec &s) {
  const auto m = static_cast<std::uint64_t>(s.m), n = static_cast<std::uint64_t>(s.n);
  const auto k = static_cast<std::uint64_t>(s.k), batch = static_cast<std::uint64_t>(s.batch);
  std::vector<std::int64_t> groups = s.group_m;
  if (groups.empty()) groups.assign(batch, s.m);
  const std::uint64_t bias_rows = s.group_m.empty() ? 1 : groups.size();
  const bool has_bias = s.epilogue != SITS_EPILOGUE_NONE;
  add("A", SITS_ROLE_INPUT, s.type_a, SITS_FILL_UNIFORM, batch * m * k);
  add("B", SITS_ROLE_INPUT, s.type_b, SITS_FILL_UNIFORM, groups.size() * k * n);
  if (has_bias) add("bias", SITS_ROLE_INPUT, SITS_F32, SITS_FILL_UNIFORM, bias_rows * n);
  const std::uint64_t blocks = s.block_size == 0 ? 0 : k / s.block_size;
  if (blocks != 0) {
    add("scale_a", SITS_ROLE_INPUT, s.type_block_scale, SITS_FILL_UNIFORM, batch * m * blocks);
    add("scale_b", SITS_ROLE_INPUT, s.type_block_scale, SITS_FILL_UNIFORM, groups.size() * blocks * n);
  }
  add("C", SITS_ROLE_OUTPUT, s.type_out, SITS_FILL_NONE, batch * m * n);

  for (std::uint32_t copy = 0; copy < copies_; ++copy) {
    std::uint64_t first_row = 0;
    for (std::uint64_t g = 0; g < groups.size(); ++g) {
      const auto rows = static_cast<std::uint64_t>(groups[g]);
      multiply(s, {g, first_row, rows, bias_rows > 1 ? g * n : 0}, copy);
      first_row += rows;
    }
  }
}

/// Element (line, l) of A or B: a matrix of `lines` vectors along K whose first element is `first`.
double Execution::operand(const std::string &name, std::uint64_t first, std::uint64_t lines, std::uint64_t k,
                          bool lines_contiguous, std::uint64_t line, std::uint64_t l, std::uint32_t copy) const {
  const auto &s = std::get<GemmSpec>(case_.spec);
  double value = input(name, first + (lines_contiguous ? l * lines + line : line * k + l), copy);
  if (mistake_.multiplies_as_bf16) value = rounded(SITS_BF16, value);
  if (s.block_size == 0) return value;
  const std::uint64_t blocks = k / s.block_size, block = l / s.block_size;
  const std::uint64_t at = first / s.block_size + (lines_contiguous ? block * lines + line : line * blocks + block);
  return value * input(name == "A" ? "scale_a" : "scale_b", at, copy);
}

void Execution::multiply(const GemmSpec &s, const Part &part, std::uint32_t copy) {
  const auto n = static_cast<std::uint64_t>(s.n), k = static_cast<std::uint64_t>(s.k);
  std::vector<double> a(part.rows * k), b(k * n);
  for (std::uint64_t i = 0; i < part.rows; ++i)
    for (std::uint64_t l = 0; l < k; ++l)
      a[i * k + l] = operand("A", part.first_row * k, part.rows, k, s.trans_a, i, l, copy);
  for (std::uint64_t l = 0; l < k; ++l)
    for (std::uint64_t j = 0; j < n; ++j) b[l * n + j] = operand("B", part.index * k * n, n, k, !s.trans_b, j, l, copy);
  const std::uint64_t depth = k - static_cast<std::uint64_t>(mistake_.dropped_k);
  for (std::uint64_t i = 0; i < part.rows; ++i) {
    const auto sums = multiply_row(a.data() + i * k, b, depth, n, accumulation_of(s), accumulate_);
    for (std::uint64_t j = 0; j < n; ++j)
      set_output((part.first_row + i) * n + j, finish(s, sums[j], part.first_bias + j, copy), copy);
  }
}

/// Scale, bias and epilogue in f32 (f64 for f64).
double Execution::finish(const GemmSpec &s, double sum, std::uint64_t bias_index, std::uint32_t copy) const {
  const bool biased = s.epilogue != SITS_EPILOGUE_NONE && !mistake_.missing_bias;
  const double bias = biased ? input("bias", bias_index, copy) : 0;
  if (s.type_out == SITS_I32) return sum;
  if (s.type_a == SITS_F64) return apply_f64(s.epilogue, sum + bias);
  float x = f32(sum) * static_cast<float>(gemm_scale(s));
  if (biased) x += f32(bias);
  return static_cast<double>(mistake_.missing_epilogue ? x : epilogue_f32(s.epilogue, x));
}

void Execution::run(const StreamSpec &s) {
  const std::uint32_t type = executed_type(s.type);
  const std::uint64_t count = s.bytes / bytes_of(type, 1);
  const std::uint32_t fill = s.kind == SITS_STREAM_READ ? SITS_FILL_SMALL_INTEGER : SITS_FILL_UNIFORM;
  static const std::map<std::uint32_t, std::pair<std::vector<std::string>, std::string>> kNames = {
      {SITS_STREAM_COPY, {{"a"}, "c"}},   {SITS_STREAM_SCALE, {{"c"}, "b"}},      {SITS_STREAM_ADD, {{"a", "b"}, "c"}},
      {SITS_STREAM_READ, {{"a"}, "sum"}}, {SITS_STREAM_TRIAD, {{"b", "c"}, "a"}}, {SITS_STREAM_WRITE, {{}, "a"}}};
  const auto &[inputs, output] = kNames.at(s.kind);
  for (const std::string &name : inputs) add(name, SITS_ROLE_INPUT, type, fill, count);
  const std::uint64_t block = SITS_STREAM_READ_BLOCK_BYTES / bytes_of(type, 1);
  if (s.kind == SITS_STREAM_READ)
    add(output, SITS_ROLE_OUTPUT, type == SITS_F64 ? SITS_F64 : SITS_F32, SITS_FILL_NONE, (count + block - 1) / block);
  else
    add(output, SITS_ROLE_OUTPUT, type, SITS_FILL_NONE, count);
  for (std::uint32_t copy = 0; copy < copies_; ++copy) {
    if (s.kind == SITS_STREAM_READ) {
      std::vector<double> sums(output_count());
      for (std::uint64_t i = 0; i < count; ++i) sums[i / block] += input("a", i, copy);
      for (std::uint64_t i = 0; i < sums.size(); ++i) set_output(i, sums[i], copy);
      continue;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      double value = 0.5;
      if (s.kind == SITS_STREAM_COPY) value = input("a", i, copy);
      if (s.kind == SITS_STREAM_SCALE) value = 0.5 * input("c", i, copy);
      if (s.kind == SITS_STREAM_ADD) value = input("a", i, copy) + input("b", i, copy);
      if (s.kind == SITS_STREAM_TRIAD) value = input("b", i, copy) + 0.5 * input("c", i, copy);
      set_output(i, value, copy);
    }
  }
}

void Execution::run(const PeakSpec &) {
  add("acc", SITS_ROLE_OUTPUT, SITS_F64, SITS_FILL_NONE, 8);
  for (std::uint32_t copy = 0; copy < copies_; ++copy)
    for (std::uint64_t i = 0; i < output_count(); ++i) set_output(i, 2, copy);
}

void Execution::run(const MemoryLatencySpec &s) {
  add("last", SITS_ROLE_OUTPUT, SITS_I32, SITS_FILL_NONE, 1);
  const auto lines = static_cast<std::uint32_t>(s.bytes / 64);
  steps_total = std::uint64_t{lines} * 3 + lines / 2 + 1;
  for (std::uint32_t copy = 0; copy < copies_; ++copy) {
    const std::uint32_t key = tensor_key(seed_, tensors_[output_].stream + copy * SITS_COPY_STRIDE);
    std::vector<std::uint32_t> next(lines);
    std::iota(next.begin(), next.end(), 0u);
    for (std::uint32_t i = lines - 1; i > 0; --i) std::swap(next[i], next[cycle_partner(key, i)]);
    std::uint32_t line = 0;
    for (std::uint64_t step = 0; step < steps_total; ++step) line = next[line];
    set_output(0, line, copy);
  }
}

void Execution::run(const TransferSpec &s) {
  add("src", SITS_ROLE_INPUT, SITS_F32, SITS_FILL_UNIFORM, s.bytes / 4);
  add("dst", SITS_ROLE_OUTPUT, SITS_F32, SITS_FILL_NONE, s.bytes / 4);
  for (std::uint32_t copy = 0; copy < copies_; ++copy)
    for (std::uint64_t i = 0; i < output_count(); ++i) set_output(i, input("src", i, copy), copy);
}

void Execution::run(const LaunchSpec &) {}
void Execution::run(const AttentionSpec &) {}
void Execution::run(const CollectiveSpec &) {}

}  // namespace sits::microbench::test
