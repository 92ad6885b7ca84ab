// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <numeric>
#include <utility>

#include "backends/cpu/operations.h"
#include "backends/cpu/spec.h"
#include "backends/cpu/workload.h"
#include "sits/dtype.h"
#include "sits/generator.h"

namespace sits::cpu {
namespace {

constexpr std::uint64_t kLine = 64;
constexpr std::uint32_t kStepsPerCall = 4096;
constexpr std::uint64_t kGeneratorTensor = 0;

std::uint32_t lines_of(const sits_case &test_case) {
  require_own_provider(test_case);
  const auto spec = spec_of<sits_memory_latency_spec>(test_case);
  constexpr std::uint64_t kMostLines = std::uint64_t{1} << 31;  // "last" is an i32
  if (spec.bytes % kLine != 0 || spec.bytes < 2 * kLine || spec.bytes / kLine >= kMostLines)
    throw sdk::Failure(SITS_INVALID_ARGUMENT, "memory_latency bytes " + std::to_string(spec.bytes) +
                                                  " must be a multiple of 64 in 128 … 128 GiB");
  return static_cast<std::uint32_t>(spec.bytes / kLine);
}

/// A walk by one thread over a ring of lines, each of which holds the address of the next.
class Chase final : public Workload {
 public:
  Chase(Context &, const PrepareRequest &request) {
    const std::uint32_t lines = lines_of(*request.test_case);
    memory_ = Buffer(lines * kLine);
    const std::uint32_t key = tensor_key(request.test_case->seed, kGeneratorTensor);
    std::vector<std::uint32_t> next(lines);
    std::iota(next.begin(), next.end(), 0u);
    for (std::uint32_t i = lines - 1; i > 0; --i) std::swap(next[i], next[cycle_partner(key, i)]);
    for (std::uint32_t i = 0; i < lines; ++i) {
      const std::uint8_t *target = line(next[i]);
      std::memcpy(line(i), &target, sizeof target);
    }
    at_ = line(0);
    tensors_.push_back({"last", SITS_ROLE_OUTPUT, SITS_I32, SITS_FILL_NONE, 1, kGeneratorTensor, 1});
  }

  const std::vector<Tensor> &tensors() const override { return tensors_; }
  std::uint32_t copies() const override { return 1; }
  std::string provider() const override { return kOwnProvider; }
  std::uint32_t iterations_per_call() const override { return kStepsPerCall; }
  std::uint64_t steps_total() const override { return steps_; }
  bool on_pool() const override { return true; }
  unsigned threads_used() const override { return 1; }

  void read(std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t count, void *dst) override {
    std::memcpy(dst, &last_, count * sizeof last_);
  }
  void poison() override { std::memset(&last_, poison_byte(SITS_I32), sizeof last_); }

  void iterate(std::uint32_t) override {
    const void *at = at_;
    for (std::uint32_t step = 0; step < kStepsPerCall; ++step) at = *static_cast<const void *const *>(at);
    at_ = at;
    steps_ += kStepsPerCall;
    last_ = static_cast<std::int32_t>((static_cast<const std::uint8_t *>(at) - line(0)) /
                                      static_cast<std::ptrdiff_t>(kLine));
  }

 private:
  std::uint8_t *line(std::uint32_t index) { return memory_.as<std::uint8_t>() + index * kLine; }

  Buffer memory_;
  const void *at_ = nullptr;
  std::uint64_t steps_ = 0;
  std::int32_t last_ = 0;
  std::vector<Tensor> tensors_;
};

Answer query(const Context &, const sits_case &test_case) {
  const std::uint64_t lines = lines_of(test_case);
  Answer answer;
  answer.type_a = answer.type_b = answer.type_acc = SITS_I32;
  answer.copy_bytes = lines * kLine;
  answer.host_bytes = lines * sizeof(std::uint32_t);  // while the cycle is built
  constexpr double kGuessedNs = 100;
  answer.predicted_ns = kGuessedNs;
  answer.providers = kOwnProvider;
  return answer;
}

std::unique_ptr<Workload> prepare(Context &context, const PrepareRequest &request) {
  return std::make_unique<Chase>(context, request);
}

}  // namespace

OperationEntry memory_latency_operation() { return {SITS_OP_MEMORY_LATENCY, &query, &prepare}; }

}  // namespace sits::cpu
