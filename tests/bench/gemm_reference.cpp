// SPDX-License-Identifier: Apache-2.0
//
// GEMM of the CPU backend against what it must reach: alternating pairs of our workload and a bare loop over the
// library's own call on the same operands, and for decode shapes against the stream read of the same machine.
// Prints the ratio of speeds (above 1: ours is faster) with its paired 95 % interval.
//
//   gemm_reference [threads=2] [pairs=25] [only=SUBSTRING]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "backends/cpu/isa.h"
#include "backends/cpu/provider_onednn_matmul.h"
#include "backends/cpu/provider_threads.h"
#include "backends/cpu/workload.h"
#include "backends/sdk/dynamic_library.h"
#include "backends/sdk/failure.h"
#include "sits/dtype.h"

namespace {

using namespace sits::cpu;

struct Options {
  unsigned threads = 2;
  int pairs = 25;
  std::string only;
};

struct Gemm {
  std::uint32_t type_ab, type_out;
  std::int64_t m, n, k;
  std::uint32_t epilogue = SITS_EPILOGUE_NONE;
  std::string text() const {
    return std::string(sits::dtype_name(type_ab)) + "." + sits::dtype_name(type_out) + " " + std::to_string(m) + "x" +
           std::to_string(n) + "x" + std::to_string(k) + (epilogue == SITS_EPILOGUE_NONE ? "" : " bias_silu");
  }
  double flops() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
};

/// One side of a comparison; `rest` is how long its threads go on spinning when it has returned.
struct Side {
  std::function<void()> iterate;
  std::chrono::milliseconds rest{0};
};

constexpr double kSampleNs = 10e6;

double sample_ns(const Side &side, int iterations) {
  side.iterate();
  const std::uint64_t start = now_ns();
  for (int i = 0; i < iterations; ++i) side.iterate();
  const auto elapsed = static_cast<double>(now_ns() - start);
  std::this_thread::sleep_for(side.rest);
  return elapsed / iterations;
}

int iterations_of(const Side &side) {
  side.iterate();
  return std::max(1, static_cast<int>(kSampleNs / sample_ns(side, 1)));
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

/// `work`: what one iteration of each side does, in the same unit; rates are work per time.
void compare(const std::string &name, const std::string &reference, const Side &ours, const Side &theirs, int pairs,
             double our_work, double their_work, const char *unit) {
  const int our_iterations = iterations_of(ours), their_iterations = iterations_of(theirs);
  std::vector<double> ratios, our_ns, their_ns;
  for (int pair = 0; pair < pairs; ++pair) {
    // alternate the order too, so that a drift of the machine favours neither side
    if (pair % 2 == 0) our_ns.push_back(sample_ns(ours, our_iterations));
    their_ns.push_back(sample_ns(theirs, their_iterations));
    if (pair % 2 != 0) our_ns.push_back(sample_ns(ours, our_iterations));
    ratios.push_back(std::log(our_work / our_ns.back() / (their_work / their_ns.back())));
  }
  double mean = 0, squares = 0;
  for (const double r : ratios) mean += r / pairs;
  for (const double r : ratios) squares += (r - mean) * (r - mean);
  const double half = 2.06 * std::sqrt(squares / (pairs - 1) / pairs);  // Student's t for 24 degrees of freedom
  std::printf("%-38s / %-34s %8.1f / %8.1f %s  ratio %.3f [%.3f, %.3f]\n", name.c_str(), reference.c_str(),
              our_work / median(our_ns), their_work / median(their_ns), unit, std::exp(mean), std::exp(mean - half),
              std::exp(mean + half));
  std::fflush(stdout);
}

std::unique_ptr<Workload> gemm_workload(Context &context, const Gemm &gemm, const char *provider,
                                        std::uint64_t rotation_bytes) {
  sits_gemm_spec spec{};
  spec.struct_size = sizeof spec;
  spec.type_a = spec.type_b = gemm.type_ab;
  spec.type_out = gemm.type_out;
  spec.epilogue = gemm.epilogue;
  spec.m = gemm.m, spec.n = gemm.n, spec.k = gemm.k, spec.batch = 1;
  spec.scale = 1.0;
  sits_case test_case{};
  test_case.struct_size = sizeof test_case;
  test_case.op = SITS_OP_GEMM;
  test_case.spec = &spec;
  test_case.provider = provider;
  return gemm_operation().prepare(context, {&test_case, rotation_bytes, 0});
}

Side side_of(Workload &workload) {
  auto copy = std::make_shared<std::uint32_t>(0);
  return {[&workload, copy] { workload.iterate((*copy)++ % workload.copies()); }, std::chrono::milliseconds(60)};
}

#if defined(SITS_CPU_HAS_ONEDNN)
void against_onednn(Context &context, Workload &ours, const Gemm &gemm, const Options &options) {
  const OneDnnApi &api = onednn_api(context);
  if (!api.reason.empty()) return;
  try {
    dnnl_engine_t engine = nullptr;
    dnnl_stream_t stream = nullptr;
    api.check(api.engine_create(&engine, dnnl_cpu, 0), "dnnl_engine_create");
    api.check(api.stream_create(&stream, engine, dnnl_stream_default_flags), "dnnl_stream_create");
    OpenMpThreads threads;
    context.pool->park();
    threads.bind(*context.pool);
    OneDnnMatmul matmul(
        api, engine,
        {1, gemm.m, gemm.n, gemm.k, false, false, gemm.type_ab, gemm.type_ab, gemm.type_out, gemm.epilogue, 1.0});
    Buffer packed(matmul.packed_bytes()), a(sits::bytes_of(gemm.type_ab, static_cast<std::uint64_t>(gemm.m * gemm.k))),
        b(sits::bytes_of(gemm.type_ab, static_cast<std::uint64_t>(gemm.k * gemm.n))),
        c(sits::bytes_of(gemm.type_out, static_cast<std::uint64_t>(gemm.m * gemm.n))),
        bias(static_cast<std::size_t>(gemm.n) * sizeof(float));
    ours.read(0, 0, 0, static_cast<std::uint64_t>(gemm.m * gemm.k), a.data());
    ours.read(1, 0, 0, static_cast<std::uint64_t>(gemm.k * gemm.n), b.data());
    const std::size_t index = matmul.bind({a.data(), packed.data(), bias.data(), c.data()}, b.data());
    matmul.pack(index, stream);
    const Side theirs{[&] {
                        context.pool->park();
                        matmul.run(index, stream);
                      },
                      std::chrono::milliseconds(60)};
    compare(gemm.text() + " " + ours.provider(), "bare onednn " + matmul.implementation(), side_of(ours), theirs,
            options.pairs, gemm.flops(), gemm.flops(), "GF/s");
  } catch (const sits::sdk::Failure &failure) {
    std::printf("%-38s / bare onednn: %s\n", gemm.text().c_str(), failure.what());
  }
}
#endif

void against_openblas(Context &context, Workload &ours, const Gemm &gemm, const Options &options) {
  if (gemm.type_ab != SITS_F32 || gemm.epilogue != SITS_EPILOGUE_NONE) return;
  try {
    const sits::sdk::DynamicLibrary library{"libopenblas.so.0"};
    using Sgemm =
        void (*)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
    const auto sgemm = library.symbol<Sgemm>("cblas_sgemm");
    const std::set<int> before = thread_ids();
    library.symbol<void (*)(int)>("openblas_set_num_threads")(static_cast<int>(options.threads));
    pin_new_threads(before, *context.pool);
    const int m = static_cast<int>(gemm.m), n = static_cast<int>(gemm.n), k = static_cast<int>(gemm.k);
    Buffer a(static_cast<std::size_t>(gemm.m * gemm.k) * 4), b(static_cast<std::size_t>(gemm.k * gemm.n) * 4),
        c(static_cast<std::size_t>(gemm.m * gemm.n) * 4);
    ours.read(0, 0, 0, static_cast<std::uint64_t>(gemm.m * gemm.k), a.data());
    ours.read(1, 0, 0, static_cast<std::uint64_t>(gemm.k * gemm.n), b.data());
    const Side theirs{[&] {
                        context.pool->park();
                        sgemm(101, 111, 111, m, n, k, 1.0f, a.as<float>(), k, b.as<float>(), n, 0.0f, c.as<float>(), n);
                      },
                      std::chrono::milliseconds(60)};
    compare(gemm.text() + " " + ours.provider(), "bare openblas", side_of(ours), theirs, options.pairs, gemm.flops(),
            gemm.flops(), "GF/s");
  } catch (const sits::sdk::Failure &failure) {
    std::printf("%-38s / bare openblas: %s\n", gemm.text().c_str(), failure.what());
  }
}

/// Weight bandwidth of a decode shape, cold, against a read of 256 MiB.
void against_stream_read(Context &context, const Gemm &gemm, const Options &options) {
  constexpr std::uint64_t kBytes = std::uint64_t{256} << 20;
  const auto ours = gemm_workload(context, gemm, nullptr, kBytes);
  sits_stream_spec spec{sizeof(sits_stream_spec), SITS_STREAM_READ, SITS_F32, 0, kBytes};
  sits_case test_case{};
  test_case.struct_size = sizeof test_case;
  test_case.op = SITS_OP_STREAM;
  test_case.spec = &spec;
  const auto read = stream_operation().prepare(context, {&test_case, 0, 0});
  const auto weights = static_cast<double>(sits::bytes_of(gemm.type_ab, static_cast<std::uint64_t>(gemm.n * gemm.k)));
  compare(gemm.text() + " " + ours->provider(), "stream read", side_of(*ours), side_of(*read), options.pairs, weights,
          static_cast<double>(kBytes), "GB/s");
}

std::vector<Gemm> square_cases() {
  std::vector<Gemm> cases;
  for (const std::int64_t size : {256, 512, 1024, 2048, 4096}) {
    cases.push_back({SITS_F32, SITS_F32, size, size, size});
    cases.push_back({SITS_BF16, SITS_BF16, size, size, size});
    cases.push_back({SITS_F16, SITS_F16, size, size, size});
    cases.push_back({SITS_I8, SITS_I32, size, size, size});
  }
  cases.push_back({SITS_F32, SITS_F32, 1024, 1024, 1024, SITS_EPILOGUE_BIAS_SILU});
  cases.push_back({SITS_BF16, SITS_BF16, 1024, 1024, 1024, SITS_EPILOGUE_BIAS_SILU});
  return cases;
}

std::vector<Gemm> decode_cases() {
  std::vector<Gemm> cases;
  for (const auto &[type, out] : {std::pair{SITS_F32, SITS_F32}, {SITS_BF16, SITS_BF16}, {SITS_I8, SITS_I32}}) {
    cases.push_back({static_cast<std::uint32_t>(type), static_cast<std::uint32_t>(out), 1, 4096, 14336});
    cases.push_back({static_cast<std::uint32_t>(type), static_cast<std::uint32_t>(out), 1, 14336, 4096});
  }
  return cases;
}

Options options_of(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    const std::string key = argument.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    if (key == "threads") {
      options.threads = static_cast<unsigned>(std::max(1, std::atoi(value.c_str())));
    } else if (key == "pairs") {
      options.pairs = std::max(2, std::atoi(value.c_str()));
    } else if (key == "only") {
      options.only = value;
    } else {
      std::fprintf(stderr, "unknown argument %s; usage: gemm_reference [threads=N] [pairs=N] [only=TEXT]\n", argv[i]);
      std::exit(2);
    }
  }
  return options;
}

}  // namespace

int main(int argc, char **argv) {
  const Options options = options_of(argc, argv);
  std::vector<unsigned> cpus(options.threads);
  for (unsigned i = 0; i < options.threads; ++i) cpus[i] = i;
  Pool pool(cpus);
  Context context;
  context.machine.isa = detect_isa();
  context.pool = &pool;
  const auto wanted = [&](const Gemm &gemm) {
    return options.only.empty() || gemm.text().find(options.only) != std::string::npos;
  };
  for (const Gemm &gemm : square_cases()) {
    if (!wanted(gemm)) continue;
    const auto ours = gemm_workload(context, gemm, nullptr, 0);
    const auto own = gemm_workload(context, gemm, "sits", 0);
    for (Workload *workload : {ours.get(), own.get()}) {
      if (workload == own.get() && own->provider() == ours->provider()) continue;
#if defined(SITS_CPU_HAS_ONEDNN)
      against_onednn(context, *workload, gemm, options);
#endif
      against_openblas(context, *workload, gemm, options);
    }
  }
  for (const Gemm &gemm : decode_cases())
    if (wanted(gemm)) against_stream_read(context, gemm, options);
  return 0;
}
