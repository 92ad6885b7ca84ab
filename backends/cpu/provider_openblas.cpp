// SPDX-License-Identifier: Apache-2.0
//
// OpenBLAS: f32 and f64 products by cblas_?gemm, bias and activation in a pass of our own.
#include <algorithm>
#include <climits>
#include <cstdlib>
#include <optional>

#include "backends/cpu/kernels_gemm.h"
#include "backends/cpu/provider.h"
#include "backends/cpu/provider_threads.h"
#include "backends/sdk/dynamic_library.h"
#include "backends/sdk/failure.h"

namespace sits::cpu {
namespace {

// cblas.h comes in several mutually exclusive variants; these declarations are the part that all of them share.
enum CblasOrder { kRowMajor = 101 };
enum CblasTranspose { kNoTranspose = 111, kTranspose = 112 };
template <typename T>
using Gemm = void (*)(CblasOrder, CblasTranspose, CblasTranspose, int, int, int, T, const T *, int, const T *, int, T,
                      T *, int);

struct OpenBlas {
  Gemm<float> sgemm = nullptr;
  Gemm<double> dgemm = nullptr;
  void (*set_num_threads)(int) = nullptr;
  int (*get_num_threads)() = nullptr;
  std::string text;    // "openblas 0.3.21 Zen"
  std::string reason;  // why it cannot be used, else empty
};

std::string version_of(const char *config) {  // "OpenBLAS 0.3.21 DYNAMIC_ARCH …"
  const std::string text = config == nullptr ? "" : config;
  const std::size_t begin = text.find(' ');
  return begin == std::string::npos ? text : text.substr(begin + 1, text.find(' ', begin + 1) - begin - 1);
}

OpenBlas open_library(const Context &context) {
  OpenBlas api;
  try {
    // its threads take the mask they are born with
    std::optional<WholeMask> mask;
    if (context.pool != nullptr) mask.emplace(*context.pool);
    const std::set<int> before = thread_ids();
    const sdk::DynamicLibrary library{"libopenblas.so.0"};
    api.sgemm = library.symbol<Gemm<float>>("cblas_sgemm");
    api.dgemm = library.symbol<Gemm<double>>("cblas_dgemm");
    api.set_num_threads = library.symbol<void (*)(int)>("openblas_set_num_threads");
    api.get_num_threads = library.symbol<int (*)()>("openblas_get_num_threads");
    api.text = "openblas " + version_of(library.symbol<char *(*)()>("openblas_get_config")()) + " " +
               library.symbol<char *(*)()>("openblas_get_corename")();
    if (context.pool != nullptr) pin_new_threads(before, *context.pool);
  } catch (const sdk::Failure &failure) {
    api.reason = failure.what();
  }
  return api;
}

const OpenBlas &openblas(const Context &context) {
  static const OpenBlas api = open_library(context);
  return api;
}

class OpenBlasPlan final : public GemmPlan {
 public:
  OpenBlasPlan(const GemmProblem &problem, Context &context)
      : problem_(problem), pool_(*context.pool), api_(openblas(context)), kernels_(gemm_kernels(context.machine.isa)) {
    use_threads();
  }

  std::string description() const override { return api_.text; }
  bool uses_library_threads() const override { return true; }
  void bind(std::vector<GemmOperands> copies) override { copies_ = std::move(copies); }

  void run(std::uint32_t copy) override {
    use_threads();
    const GemmOperands &operands = copies_[copy];
    const bool wide = problem_.compute == GemmCompute::f64;
    for (const GemmPart &part : problem_.parts) {
      if (part.m == 0) continue;
      if (wide)
        multiply<double>(api_.dgemm, operands, part);
      else
        multiply<float>(api_.sgemm, operands, part);
    }
    if (problem_.epilogue == SITS_EPILOGUE_NONE) return;
    pool_.run([&](unsigned thread) { finish(operands, thread); });
    pool_.park();
  }

 private:
  void use_threads() const {
    const auto wanted = static_cast<int>(pool_.size());
    if (api_.get_num_threads() == wanted) return;
    const std::set<int> before = thread_ids();
    api_.set_num_threads(wanted);
    pin_new_threads(before, pool_);
  }

  template <typename T>
  void multiply(Gemm<T> gemm, const GemmOperands &operands, const GemmPart &part) const {
    const auto m = static_cast<int>(part.m), n = static_cast<int>(problem_.n), k = static_cast<int>(problem_.k);
    gemm(kRowMajor, problem_.trans_a ? kTranspose : kNoTranspose, problem_.trans_b ? kTranspose : kNoTranspose, m, n, k,
         static_cast<T>(problem_.scale), static_cast<const T *>(operands.a) + part.a, problem_.trans_a ? m : k,
         static_cast<const T *>(operands.b) + part.b, problem_.trans_b ? k : n, T{0},
         static_cast<T *>(operands.c) + part.c, n);
  }

  void finish(const GemmOperands &operands, unsigned thread) const {
    const auto n = static_cast<std::uint64_t>(problem_.n);
    for (const GemmPart &part : problem_.parts) {
      const Range rows = part_of(static_cast<std::uint64_t>(part.m), thread, pool_.size(), 1);
      const float *bias = operands.bias + part.bias;
      for (std::uint64_t r = rows.begin; r < rows.end; ++r) {
        if (problem_.compute == GemmCompute::f64)
          kernels_.finish_row_f64(problem_.epilogue, bias, static_cast<double *>(operands.c) + part.c + r * n, n);
        else
          kernels_.finish_row_f32(problem_.epilogue, bias, static_cast<float *>(operands.c) + part.c + r * n, n);
      }
    }
  }

  GemmProblem problem_;
  Pool &pool_;
  const OpenBlas &api_;
  const GemmKernels &kernels_;
  std::vector<GemmOperands> copies_;
};

class OpenBlasProvider final : public GemmProvider {
 public:
  const char *name() const override { return "openblas"; }
  std::string refusal(const GemmProblem &p, const Context &context) const override {
    const auto all = [&](std::uint32_t type) { return p.type_a == type && p.type_b == type && p.type_out == type; };
    if (!all(SITS_F32) && !all(SITS_F64)) return "OpenBLAS multiplies f32 or f64 with results of the same type";
    if (std::max({p.max_m, p.n, p.k}) > INT_MAX) return "OpenBLAS takes no dimension above 2^31 - 1";
    return openblas(context).reason;
  }
  std::unique_ptr<GemmPlan> plan(const GemmProblem &problem, Context &context) const override {
    return std::make_unique<OpenBlasPlan>(problem, context);
  }
};

}  // namespace

const GemmProvider &openblas_provider() {
  static const OpenBlasProvider provider;
  return provider;
}

}  // namespace sits::cpu
