// SPDX-License-Identifier: Apache-2.0
//
// oneDNN 2.x: weights in its own layout, bias and activation fused, on libgomp's threads.
#include <algorithm>
#include <map>
#include <optional>

#include "backends/cpu/provider.h"
#include "backends/cpu/provider_onednn_matmul.h"
#include "backends/cpu/provider_threads.h"
#include "backends/sdk/failure.h"
#include "sits/dtype.h"

namespace sits::cpu {
namespace {

#if defined(SITS_CPU_HAS_ONEDNN)

struct Engine {
  OneDnnHandle<dnnl_engine_t> engine;
  OneDnnHandle<dnnl_stream_t> stream;

  explicit Engine(const OneDnnApi &api) {
    dnnl_engine_t raw_engine = nullptr;
    api.check(api.engine_create(&raw_engine, dnnl_cpu, 0), "dnnl_engine_create");
    engine = {raw_engine, api.engine_destroy};
    dnnl_stream_t raw_stream = nullptr;
    api.check(api.stream_create(&raw_stream, raw_engine, dnnl_stream_default_flags), "dnnl_stream_create");
    stream = {raw_stream, api.stream_destroy};
  }
};

// Below VNNI oneDNN multiplies u8 by s8 into i16 pairs that saturate. What it really does may also depend on
// DNNL_MAX_CPU_ISA, so the largest products are tried once.
bool integers_are_exact(const OneDnnApi &api, const Engine &engine) {
  constexpr std::int64_t kM = 16, kN = 64, kK = 256;
  const std::vector<std::int8_t> a(kM * kK, 127), b(kK * kN, 127);
  std::vector<std::int32_t> c(kM * kN);
  OneDnnMatmul matmul(api, engine.engine.get(),
                      {1, kM, kN, kK, false, false, SITS_I8, SITS_I8, SITS_I32, SITS_EPILOGUE_NONE, 1.0});
  std::vector<std::int8_t> weights(matmul.packed_bytes());
  const std::size_t index = matmul.bind({a.data(), weights.data(), nullptr, c.data()}, b.data());
  matmul.pack(index, engine.stream.get());
  matmul.run(index, engine.stream.get());
  return std::all_of(c.begin(), c.end(), [](std::int32_t value) { return value == 127 * 127 * kK; });
}

constexpr std::size_t kPackedAlignment = 64;

class OneDnnPlan final : public GemmPlan {
 public:
  OneDnnPlan(const GemmProblem &problem, Context &context)
      : problem_(problem), pool_(*context.pool), api_(onednn_api(context)), engine_(api_) {
    pool_.park();
    threads_.bind(pool_);
    if (problem.compute == GemmCompute::i32 && !integers_are_exact(api_, engine_))
      throw sdk::Failure(SITS_UNSUPPORTED, "oneDNN " + api_.version + " saturates i8 products on this instruction set");
    if (problem.grouped) {
      for (const GemmPart &part : problem.parts)
        if (part.m > 0) add(part, 1);
    } else {
      add(problem.parts.front(), static_cast<std::int64_t>(problem.parts.size()));
    }
  }

  std::string description() const override {
    std::string text = "onednn " + api_.version;
    if (!matmuls_.empty()) text += " " + matmuls_.begin()->second.implementation();
    return text;
  }
  std::size_t packed_bytes() const override { return packed_bytes_; }
  bool uses_library_threads() const override { return true; }

  void bind(std::vector<GemmOperands> copies) override {
    for (std::size_t copy = 0; copy < copies.size(); ++copy) {
      const GemmOperands &o = copies[copy];
      const float *bias = o.bias == nullptr ? nullptr : scaled_bias(o.bias);
      for (Step &step : steps_) {
        const GemmPart &part = step.part;
        const auto at = [](const void *base, std::uint32_t type, std::uint64_t element) {
          return static_cast<const char *>(base) + bytes_of(type, element);
        };
        step.bound.push_back(matmuls_.at(part.m).bind(
            {at(o.a, problem_.type_a, part.a), static_cast<char *>(o.packed) + step.packed_offset,
             bias == nullptr ? nullptr : bias + part.bias,
             static_cast<char *>(o.c) + bytes_of(problem_.type_out, part.c)},
            at(o.b, problem_.type_b, part.b)));
      }
    }
  }

  void pack(std::uint32_t copy) override {
    threads_.use(pool_.size());
    for (const Step &step : steps_) matmuls_.at(step.part.m).pack(step.bound[copy], engine_.stream.get());
  }
  void run(std::uint32_t copy) override {
    threads_.use(pool_.size());
    for (const Step &step : steps_) matmuls_.at(step.part.m).run(step.bound[copy], engine_.stream.get());
  }

 private:
  struct Step {
    GemmPart part;
    std::size_t packed_offset;
    std::vector<std::size_t> bound;  // per copy
  };

  void add(const GemmPart &part, std::int64_t batch) {
    auto found = matmuls_.find(part.m);
    if (found == matmuls_.end()) {
      const GemmProblem &p = problem_;
      found = matmuls_
                  .try_emplace(part.m, api_, engine_.engine.get(),
                               OneDnnShape{batch, part.m, p.n, p.k, p.trans_a, p.trans_b, p.type_a, p.type_b,
                                           p.type_out, p.epilogue, p.scale})
                  .first;
    }
    steps_.push_back({part, packed_bytes_, {}});
    packed_bytes_ += (found->second.packed_bytes() + kPackedAlignment - 1) / kPackedAlignment * kPackedAlignment;
  }

  // oneDNN 2.x scales the sum of product and bias; the contract scales the product alone.
  const float *scaled_bias(const float *bias) {
    if (problem_.scale == 1.0) return bias;
    std::vector<float> &scaled = biases_.emplace_back(problem_.bias_count);
    std::transform(bias, bias + problem_.bias_count, scaled.begin(),
                   [&](float value) { return static_cast<float>(static_cast<double>(value) / problem_.scale); });
    return scaled.data();
  }

  GemmProblem problem_;
  Pool &pool_;
  const OneDnnApi &api_;
  OpenMpThreads threads_;
  Engine engine_;
  std::map<std::int64_t, OneDnnMatmul> matmuls_;  // by rows of A
  std::vector<Step> steps_;
  std::size_t packed_bytes_ = 0;
  std::vector<std::vector<float>> biases_;  // per copy
};

#endif

class OneDnnProvider final : public GemmProvider {
 public:
  const char *name() const override { return "onednn"; }

#if defined(SITS_CPU_HAS_ONEDNN)
  std::string refusal(const GemmProblem &p, const Context &context) const override {
    const Isa &isa = context.machine.isa;
    const bool f32 = p.type_a == SITS_F32 && p.type_b == SITS_F32 && p.type_out == SITS_F32;
    const bool bf16 =
        p.type_a == SITS_BF16 && p.type_b == SITS_BF16 && (p.type_out == SITS_F32 || p.type_out == SITS_BF16);
    const bool i8 = p.compute == GemmCompute::i32 && p.type_out != SITS_F16;
    if (!f32 && !bf16 && !i8)
      return std::string("oneDNN 2.x does not multiply ") + dtype_name(p.type_a) + "." + dtype_name(p.type_b) + "." +
             dtype_name(p.type_out) + " on a CPU";
    if (bf16 && !isa.avx512) return "oneDNN 2.x multiplies bf16 only with AVX-512";
    if (i8 && !isa.avx512_vnni) return "oneDNN 2.x saturates i8 products without AVX-512 VNNI";
    if (i8 && p.scale == 0.0) return "a scale of 0 cannot be divided out of the bias";
    return onednn_api(context).reason;
  }
  std::unique_ptr<GemmPlan> plan(const GemmProblem &problem, Context &context) const override {
    return std::make_unique<OneDnnPlan>(problem, context);
  }
#else
  std::string refusal(const GemmProblem & /*problem*/, const Context & /*context*/) const override {
    return "this build had no oneDNN 2.x headers";
  }
  std::unique_ptr<GemmPlan> plan(const GemmProblem &problem, Context &context) const override {
    throw sdk::Failure(SITS_UNSUPPORTED, refusal(problem, context));
  }
#endif
};

}  // namespace

const GemmProvider &onednn_provider() {
  static const OneDnnProvider provider;
  return provider;
}

}  // namespace sits::cpu
