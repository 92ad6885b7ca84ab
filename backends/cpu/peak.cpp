// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "backends/cpu/operations.h"
#include "backends/cpu/peak_kernels.h"
#include "backends/cpu/spec.h"
#include "backends/cpu/workload.h"
#include "sits/dtype.h"

namespace sits::cpu {
namespace {

/// Sixteen independent accumulators, as wide as the compiler's baseline makes them: the floor without a kernel.
template <typename T>
double portable(std::uint64_t rounds) {
  constexpr int kLanes = 16;
  T acc[kLanes] = {};
  for (std::uint64_t round = 0; round < rounds; ++round)
    for (T &lane : acc) lane = lane * T(0.5) + T(1);
  double sum = 0;
  for (const T lane : acc) sum += static_cast<double>(lane);
  return sum / kLanes;
}
constexpr PeakKernel kPortableF32{"portable f32", 16 * 2, 100'000, &portable<float>};
constexpr PeakKernel kPortableF64{"portable f64", 16 * 2, 100'000, &portable<double>};

std::string why_not(std::uint32_t type) {
  switch (type) {
    case SITS_BF16: return "bf16 needs avx512_bf16, which this CPU does not have";
    case SITS_I8: return "i8 needs avx2 at least, which this CPU does not have";
    case SITS_F16: return "f16 arithmetic is not native to the kernels of this backend";
    default: return std::string(dtype_name(type)) + " is not a native type of this CPU";
  }
}

struct Plan {
  const PeakKernel *kernel = nullptr;
  std::uint32_t type = 0;
};

Plan plan_of(const Context &context, const sits_case &test_case) {
  require_own_provider(test_case);
  const auto spec = spec_of<sits_peak_spec>(test_case);
  if (spec.unit != SITS_PEAK_FMA)
    throw sdk::Failure(SITS_UNSUPPORTED, "the cpu backend has no kernel for a matrix unit; only fma");
  const PeakKernel *kernel = peak_kernel(context.machine.isa, spec.type);
  if (kernel == nullptr) throw sdk::Failure(SITS_UNSUPPORTED, why_not(spec.type));
  return {kernel, spec.type};
}

class Peak final : public Workload {
 public:
  Peak(Context &context, const PrepareRequest &request)
      : pool_(*context.pool), kernel_(*plan_of(context, *request.test_case).kernel), results_(pool_.size()) {
    tensors_.push_back({"acc", SITS_ROLE_OUTPUT, SITS_F64, SITS_FILL_NONE, pool_.size(), 0, 1});
  }

  const std::vector<Tensor> &tensors() const override { return tensors_; }
  std::uint32_t copies() const override { return 1; }
  std::string provider() const override { return std::string(kOwnProvider) + ' ' + kernel_.name; }
  bool on_pool() const override { return true; }

  void read(std::uint32_t, std::uint32_t, std::uint64_t first, std::uint64_t count, void *dst) override {
    for (std::uint64_t i = 0; i < count; ++i)
      std::memcpy(static_cast<double *>(dst) + i, &results_[first + i].acc, sizeof(double));
  }
  void poison() override {
    for (Result &result : results_) std::memset(&result.acc, poison_byte(SITS_F64), sizeof result.acc);
  }
  void iterate(std::uint32_t) override {
    pool_.run([this](unsigned t) { results_[t].acc = kernel_.run(kernel_.rounds); });
  }

 private:
  struct alignas(64) Result {
    double acc = 0;
  };
  Pool &pool_;
  const PeakKernel &kernel_;
  std::vector<Result> results_;
  std::vector<Tensor> tensors_;
};

Answer query(const Context &context, const sits_case &test_case) {
  const Plan plan = plan_of(context, test_case);
  Answer answer;
  answer.type_a = answer.type_b = plan.type;
  answer.type_acc = plan.type == SITS_F64 ? SITS_F64 : (plan.type == SITS_I8 ? SITS_I32 : SITS_F32);
  answer.peak_flops = plan.kernel->ops_per_round * plan.kernel->rounds * context.pool->size();
  const double per_clock = plan.type == SITS_F64 ? 8 : 16;  // a low guess, for a first time estimate
  constexpr double kGuessedHz = 3e9;
  answer.predicted_ns = plan.kernel->ops_per_round * plan.kernel->rounds / (per_clock * kGuessedHz) * 1e9;
  answer.providers = kOwnProvider;
  answer.note = plan.kernel->name;
  return answer;
}

std::unique_ptr<Workload> prepare(Context &context, const PrepareRequest &request) {
  return std::make_unique<Peak>(context, request);
}

}  // namespace

const PeakKernel *peak_kernel(const Isa &isa, std::uint32_t type) {
  if (const PeakKernel *native = native_peak_kernel(isa, type)) return native;
  if (type == SITS_F32) return &kPortableF32;
  return type == SITS_F64 ? &kPortableF64 : nullptr;
}

OperationEntry peak_operation() { return {SITS_OP_PEAK, &query, &prepare}; }

}  // namespace sits::cpu
