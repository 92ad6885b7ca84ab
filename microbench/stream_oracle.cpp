// SPDX-License-Identifier: Apache-2.0
//
// Outputs whose element i is a simple function of element i of the inputs (stream, transfer), and READ's block sums.
//
// An output is always read back whole. Up to kWholeBytes every element is compared; beyond, of every block of
// SITS_STREAM_READ_BLOCK_BYTES the first and the last element, kRandomPerBlock random ones, and one every kPageBytes at
// an offset that is the same in all blocks: any kPageBytes bytes in a row hold one that is compared.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "microbench/checkers.h"
#include "microbench/inputs.h"
#include "microbench/tolerance.h"
#include "sits/dtype.h"
#include "sits/generator.h"

namespace sits::microbench {
namespace {

constexpr std::uint64_t kWholeBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t kChunkBytes = std::uint64_t{1} << 20;  // a multiple of the block
constexpr std::uint64_t kRandomPerBlock = 4;
constexpr double kFactor = 0.5;  // s of the contract

/// out = Σ weights[i] · input i + constant.
struct Formula {
  std::vector<std::size_t> inputs;
  std::vector<double> weights;
  double constant = 0;
  std::size_t output = 0;
};

class ElementwiseChecker : public Checker {
 public:
  ElementwiseChecker(Formula formula, const OracleRequest &request)
      : formula_(std::move(formula)),
        tensors_(request.tensors.begin(), request.tensors.end()),
        out_(tensors_[formula_.output]),
        seed_(request.seed),
        sample_key_(tensor_key(request.sample_seed, 0)) {
    const bool rounds = formula_.inputs.size() > 1 || (formula_.inputs.size() == 1 && formula_.weights[0] != 1);
    if (!rounds) return;
    // one unit in the last place: correct rounding, truncation and a fused or separate multiply-add all pass
    ulp_ = 2 * unit_roundoff(out_.type);
    const FloatFormat format = format_of(out_.type);
    if (format.exponent_bits != 0) spacing_ = power_of_two(std::max(-1022, 1 - format.bias - format.mantissa_bits));
  }

  Verification check(std::uint32_t copy, std::uint64_t, const Reader &read) override {
    std::vector<InputStream> inputs;
    for (const std::size_t index : formula_.inputs) inputs.push_back(input_stream(tensors_[index], seed_, copy));
    const bool whole = bytes_of(out_.type, out_.count) <= kWholeBytes;
    const std::uint64_t chunk = kChunkBytes / bytes_of(out_.type, 1);
    Tally tally(kTypicalMagnitude);
    for (std::uint64_t first = 0; first < out_.count; first += chunk) {
      const std::uint64_t count = std::min(chunk, out_.count - first);
      if (whole)
        check_all(inputs, first, count, copy, read, tally);
      else
        check_some(inputs, first, count, copy, read, tally);
    }
    return std::move(tally).finish(whole ? "recomputed" : "sampled");
  }

 private:
  static constexpr double kTypicalMagnitude = 0.577;  // of an input: uniform in [-1, 1)

  void compare(std::uint64_t index, double got, double want, Tally &tally) const {
    const double bound = ulp_ * std::fabs(want) + spacing_;
    tally.compare(got, want, bound, [&] { return out_.name + "[" + std::to_string(index) + "]"; });
  }

  /// Expected values of elements first, first + step, …
  void expect(std::span<const InputStream> inputs, std::uint64_t first, std::uint64_t step,
              std::vector<double> &want) const {
    std::fill(want.begin(), want.end(), formula_.constant);
    std::vector<double> input(want.size());
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      generate(inputs[k], first, step, input);
      for (std::size_t i = 0; i < want.size(); ++i) want[i] += formula_.weights[k] * input[i];
    }
  }

  void check_all(std::span<const InputStream> inputs, std::uint64_t first, std::uint64_t count, std::uint32_t copy,
                 const Reader &read, Tally &tally) const {
    std::vector<double> got(static_cast<std::size_t>(count)), want(got.size());
    read_elements(read, formula_.output, out_.type, copy_of(out_, copy), first, got);
    expect(inputs, first, 1, want);
    for (std::size_t i = 0; i < got.size(); ++i) compare(first + i, got[i], want[i], tally);
  }

  void check_some(std::span<const InputStream> inputs, std::uint64_t first, std::uint64_t count, std::uint32_t copy,
                  const Reader &read, Tally &tally) const {
    const std::uint64_t element = bytes_of(out_.type, 1);
    const std::uint64_t block = SITS_STREAM_READ_BLOCK_BYTES / element, page = kPageBytes / element;
    const std::vector<std::byte> bytes = read_raw(read, formula_.output, out_.type, copy_of(out_, copy), first, count);
    const auto check_run = [&](std::uint64_t start, std::uint64_t step, std::uint64_t how_many) {
      std::vector<double> want(static_cast<std::size_t>(how_many));
      expect(inputs, first + start, step, want);
      for (std::size_t i = 0; i < want.size(); ++i) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, bytes.data() + (start + i * step) * element, static_cast<std::size_t>(element));
        compare(first + start + i * step, decode(out_.type, bits), want[i], tally);
      }
    };
    const std::uint64_t in_page = random_bits(sample_key_, ~std::uint64_t{0}) % page;
    for (std::uint64_t start = 0; start < count; start += block) {
      const std::uint64_t length = std::min(block, count - start);
      if (length > in_page) check_run(start + in_page, page, (length - in_page + page - 1) / page);
      check_run(start, std::max<std::uint64_t>(length - 1, 1), length > 1 ? 2 : 1);
      for (std::uint64_t i = 0; i < kRandomPerBlock; ++i)
        check_run(start + random_bits(sample_key_, (first + start) * kRandomPerBlock + i) % length, 1, 1);
    }
  }

  Formula formula_;
  std::vector<TensorInfo> tensors_;
  TensorInfo out_;
  std::uint64_t seed_;
  std::uint32_t sample_key_;
  double ulp_ = 0, spacing_ = 0;
};

class BlockSumChecker : public Checker {
 public:
  BlockSumChecker(std::uint32_t type, std::uint64_t count, const OracleRequest &request)
      : count_(count), block_(SITS_STREAM_READ_BLOCK_BYTES / bytes_of(type, 1)), seed_(request.seed) {
    const std::uint32_t sum_type = type == SITS_F64 ? SITS_F64 : SITS_F32;
    const std::uint64_t blocks = (count_ + block_ - 1) / block_;
    input_ = request.tensors[find_input(request.tensors, "a", SITS_FILL_SMALL_INTEGER, type, count_)];
    output_ = find_tensor(request.tensors, "sum", SITS_ROLE_OUTPUT, sum_type, blocks);
    out_ = request.tensors[output_];
  }

  Verification check(std::uint32_t copy, std::uint64_t, const Reader &read) override {
    if (copy_ != copy) prepare(copy);
    std::vector<double> got(expected_.size());
    read_elements(read, output_, out_.type, copy_of(out_, copy), 0, got);
    Tally tally(1);
    for (std::size_t i = 0; i < got.size(); ++i)
      tally.compare(got[i], expected_[i], 0, [&] { return "sum[" + std::to_string(i) + "]"; });
    return std::move(tally).finish("exact_blocks");
  }

 private:
  void prepare(std::uint32_t copy) {
    const InputStream input = input_stream(input_, seed_, copy);
    expected_.clear();
    for (std::uint64_t first = 0; first < count_; first += block_)
      expected_.push_back(
          static_cast<double>(sum_of_small_integers(input.key, first, std::min(block_, count_ - first))));
    copy_ = copy;
  }

  std::uint64_t count_, block_, seed_;
  TensorInfo input_, out_;
  std::size_t output_ = 0;
  std::optional<std::uint32_t> copy_;
  std::vector<double> expected_;
};

/// Inputs with their weights, and the output, of each kind but READ: the names of the contract.
struct StreamFormula {
  std::vector<std::pair<const char *, double>> inputs;
  const char *output;
  double constant;
};

StreamFormula stream_formula(std::uint32_t kind) {
  switch (kind) {
    case SITS_STREAM_COPY: return {{{"a", 1}}, "c", 0};
    case SITS_STREAM_SCALE: return {{{"c", kFactor}}, "b", 0};
    case SITS_STREAM_ADD: return {{{"a", 1}, {"b", 1}}, "c", 0};
    case SITS_STREAM_TRIAD: return {{{"b", 1}, {"c", kFactor}}, "a", 0};
    case SITS_STREAM_WRITE: return {{}, "a", kFactor};
    default: throw CaseError("no oracle for stream kind " + std::to_string(kind));
  }
}

}  // namespace

std::unique_ptr<Checker> make_stream_checker(const StreamSpec &spec, const OracleRequest &request) {
  if (request.tensors.empty()) throw CaseError("the workload has no tensors");
  const std::uint32_t type = resolved_type("the array", spec.type, request.tensors.front().type);
  const std::uint64_t count = spec.bytes / bytes_of(type, 1);
  if (spec.kind == SITS_STREAM_READ) return std::make_unique<BlockSumChecker>(type, count, request);
  const StreamFormula named = stream_formula(spec.kind);
  Formula formula;
  for (const auto &[name, weight] : named.inputs) {
    formula.inputs.push_back(find_input(request.tensors, name, SITS_FILL_UNIFORM, type, count));
    formula.weights.push_back(weight);
  }
  formula.constant = named.constant;
  formula.output = find_tensor(request.tensors, named.output, SITS_ROLE_OUTPUT, type, count);
  return std::make_unique<ElementwiseChecker>(std::move(formula), request);
}

std::unique_ptr<Checker> make_transfer_checker(const TransferSpec &spec, const OracleRequest &request) {
  const auto source = std::find_if(request.tensors.begin(), request.tensors.end(),
                                   [](const TensorInfo &tensor) { return tensor.name == "src"; });
  if (source == request.tensors.end()) throw CaseError("the workload has no tensor src");
  if (bits_of(source->type) < 8 || bytes_of(source->type, source->count) != spec.bytes)
    throw CaseError("tensor src holds " + std::to_string(source->count) + " elements of type " +
                    dtype_name(source->type) + ", the transfer moves " + std::to_string(spec.bytes) + " bytes");
  Formula formula;
  formula.inputs = {find_tensor(request.tensors, "src", SITS_ROLE_INPUT, source->type, source->count)};
  formula.weights = {1};
  formula.output = find_tensor(request.tensors, "dst", SITS_ROLE_OUTPUT, source->type, source->count);
  return std::make_unique<ElementwiseChecker>(std::move(formula), request);
}

}  // namespace sits::microbench
