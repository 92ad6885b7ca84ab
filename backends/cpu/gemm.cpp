// SPDX-License-Identifier: Apache-2.0
//
// The GEMM operation: query, and a workload whose provider is chosen when it is prepared.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "backends/cpu/fill.h"
#include "backends/cpu/gemm_problem.h"
#include "backends/cpu/gemm_select.h"
#include "backends/sdk/failure.h"
#include "sits/dtype.h"
#include "sits/generator.h"

namespace sits::cpu {
namespace {

enum GemmTensor : std::uint64_t { kA = 0, kB = 1, kBias = 2, kC = 3 };  // streams of the generator

constexpr std::uint64_t kTouchGrain = 4096;  // elements

// Only for the host's plan of time: vector width times two units, most of the time reached; one stream per core.
double predicted_ns(const GemmProblem &problem, const Context &context) {
  constexpr double kEfficiency = 0.6, kBytesPerNsOfCore = 10.0, kTypicalClock = 3e9;
  const Isa &isa = context.machine.isa;
  const double vector_bytes = isa.avx512 ? 64 : isa.avx2 ? 32 : 16;
  const double element_bytes = problem.compute == GemmCompute::f64 ? 8 : problem.compute == GemmCompute::i32 ? 2 : 4;
  const double clock = context.machine.clock_hz > 0 ? context.machine.clock_hz : kTypicalClock;
  const auto threads = static_cast<double>(context.pool == nullptr ? 1 : context.pool->size());
  const double flops_per_ns = threads * clock * 1e-9 * 4 * vector_bytes / element_bytes * kEfficiency;
  const auto bytes = static_cast<double>(problem.a_bytes() + problem.b_bytes() + problem.c_bytes());
  return std::max(problem.flops() / flops_per_ns, bytes / (threads * kBytesPerNsOfCore));
}

Answer query(const Context &context, const sits_case &test_case) {
  const GemmProblem problem = gemm_problem(test_case);
  Answer answer;
  answer.type_a = problem.type_a;
  answer.type_b = problem.type_b;
  answer.type_acc = accumulator_type(problem.compute);
  // B counts twice: providers read it packed, the plain one stays for reading back. Panels pad B a little.
  answer.copy_bytes = problem.a_bytes() + 2 * problem.b_bytes() + problem.bias_bytes() + problem.c_bytes();
  // While two providers are compared, both hold packed weights.
  answer.fixed_bytes = problem.b_bytes();
  answer.predicted_ns = predicted_ns(problem, context);
  for (const GemmProvider *provider : able_providers(problem, context, test_case.provider))
    answer.providers += (answer.providers.empty() ? "" : ",") + std::string(provider->name());
  answer.note = storage_note(problem);
  return answer;
}

class GemmWorkload final : public Workload {
 public:
  GemmWorkload(GemmProblem problem, Context &context, const PrepareRequest &request);

  const std::vector<Tensor> &tensors() const override { return tensors_; }
  std::uint32_t copies() const override { return static_cast<std::uint32_t>(operands_.size()); }
  void read(std::uint32_t tensor, std::uint32_t copy, std::uint64_t first, std::uint64_t count, void *dst) override;
  void poison() override;
  void iterate(std::uint32_t copy) override { run_iteration(*choice_.chosen.plan, pool_, problem_.repack, copy); }
  std::string provider() const override { return choice_.chosen.plan->description(); }
  std::string alternatives_json() const override;
  std::string weights() const override { return choice_.chosen.packed.empty() || problem_.repack ? "" : "prepacked"; }

 private:
  void declare_tensors(std::uint32_t copies);
  void allocate(const sits_case &test_case, std::uint32_t copies);

  GemmProblem problem_;
  Pool &pool_;
  std::vector<Tensor> tensors_;
  std::vector<std::vector<Buffer>> buffers_;  // [copy][tensor]
  std::vector<GemmOperands> operands_;        // [copy]
  GemmChoice choice_;
};

GemmWorkload::GemmWorkload(GemmProblem problem, Context &context, const PrepareRequest &request)
    : problem_(std::move(problem)), pool_(*context.pool) {
  const auto providers = able_providers(problem_, context, request.test_case->provider);
  // what an iteration touches: the weights once, packed or plain
  const std::uint64_t touched = problem_.a_bytes() + problem_.b_bytes() + problem_.bias_bytes() + problem_.c_bytes();
  const std::uint32_t copies = copies_for(request, touched);
  declare_tensors(copies);
  allocate(*request.test_case, copies);
  choice_ = choose_provider(problem_, context, providers, operands_);
}

void GemmWorkload::declare_tensors(std::uint32_t copies) {
  const auto input = [&](const char *name, std::uint32_t type, std::uint64_t count, std::uint64_t stream) {
    tensors_.push_back({name, SITS_ROLE_INPUT, type, SITS_FILL_UNIFORM, count, stream, copies});
  };
  input("A", problem_.type_a, problem_.a_count, kA);
  input("B", problem_.type_b, problem_.b_count, kB);
  if (problem_.bias_count > 0) input("bias", SITS_F32, problem_.bias_count, kBias);
  tensors_.push_back({"C", SITS_ROLE_OUTPUT, problem_.type_out, SITS_FILL_NONE, problem_.c_count, kC, copies});
}

void GemmWorkload::allocate(const sits_case &test_case, std::uint32_t copies) {
  for (std::uint32_t copy = 0; copy < copies; ++copy) {
    std::vector<Buffer> &buffers = buffers_.emplace_back();
    for (const Tensor &tensor : tensors_) {
      Buffer &buffer = buffers.emplace_back(std::max<std::uint64_t>(1, bytes_of(tensor.type, tensor.count)));
      const std::uint32_t key = tensor_key(test_case.seed, tensor.stream + std::uint64_t{copy} * SITS_COPY_STRIDE);
      if (tensor.role == SITS_ROLE_INPUT)
        generate_parallel(pool_, buffer.data(), tensor.type, tensor.fill, key, tensor.count, kTouchGrain);
      else
        poison_parallel(pool_, buffer.data(), tensor.type, tensor.count, kTouchGrain);
    }
    operands_.push_back({buffers[0].data(), buffers[1].data(),
                         problem_.bias_count > 0 ? buffers[2].as<float>() : nullptr, buffers.back().data(), nullptr});
  }
}

void GemmWorkload::read(std::uint32_t tensor, std::uint32_t copy, std::uint64_t first, std::uint64_t count, void *dst) {
  if (tensor >= tensors_.size() || copy >= copies() || first > tensors_[tensor].count ||
      count > tensors_[tensor].count - first)
    throw sdk::Failure(SITS_INVALID_ARGUMENT, "read beyond a tensor of the gemm");
  const std::uint32_t type = tensors_[tensor].type;
  std::memcpy(dst, buffers_[copy][tensor].as<char>() + bytes_of(type, first), bytes_of(type, count));
}

void GemmWorkload::poison() {
  for (std::vector<Buffer> &buffers : buffers_)
    poison_parallel(pool_, buffers.back().data(), problem_.type_out, problem_.c_count, kTouchGrain);
}

std::string GemmWorkload::alternatives_json() const {
  std::string json;
  for (const GemmAlternative &alternative : choice_.alternatives) {
    json += json.empty() ? "[" : ",";
    // names and versions of libraries: no character that JSON would have to escape
    json += R"({"provider":")" + alternative.provider + R"(","median_ns":)" +
            std::to_string(std::llround(alternative.median_ns)) + "}";
  }
  return json.empty() ? json : json + "]";
}

std::unique_ptr<Workload> prepare(Context &context, const PrepareRequest &request) {
  return std::make_unique<GemmWorkload>(gemm_problem(*request.test_case), context, request);
}

}  // namespace

OperationEntry gemm_operation() { return {SITS_OP_GEMM, &query, &prepare}; }

}  // namespace sits::cpu
