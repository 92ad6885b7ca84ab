// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/cpu_gemm/gemm_case.h"

#include <cmath>
#include <numeric>

#include "backends/cpu/isa.h"
#include "sits/dtype.h"
#include "sits/generator.h"

namespace sits::cpu::testing {
namespace {

std::vector<double> generated(std::uint32_t type, std::uint64_t stream, std::uint64_t count) {
  const std::uint32_t key = tensor_key(kSeed, stream);
  std::vector<double> values(count);
  for (std::uint64_t i = 0; i < count; ++i) values[i] = generated_value(type, SITS_FILL_UNIFORM, key, i);
  return values;
}

double activated(std::uint32_t epilogue, double x) {
  switch (epilogue) {
    case SITS_EPILOGUE_BIAS_RELU: return x > 0 ? x : 0;
    case SITS_EPILOGUE_BIAS_GELU: return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    case SITS_EPILOGUE_BIAS_SILU: return x / (1 + std::exp(-x));
    default: return x;
  }
}

std::uint64_t u(std::int64_t value) { return static_cast<std::uint64_t>(value); }

}  // namespace

std::string GemmCase::text() const {
  std::string text = std::string(dtype_name(type_a)) + "." + dtype_name(type_b) + "." + dtype_name(type_out) + " m" +
                     std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k) + " epilogue " +
                     std::to_string(epilogue);
  if (batch > 1) text += " batch " + std::to_string(batch);
  if (!groups.empty()) text += " grouped";
  if (trans_a) text += " ta";
  if (trans_b) text += " tb";
  return text;
}

AbiGemm::AbiGemm(const GemmCase &gemm, const char *provider) {
  spec_.struct_size = sizeof spec_;
  spec_.epilogue = gemm.epilogue;
  spec_.type_a = gemm.type_a;
  spec_.type_b = gemm.type_b;
  spec_.type_out = gemm.type_out;
  spec_.type_acc = gemm.type_acc;
  spec_.trans_a = gemm.trans_a ? 1 : 0;
  spec_.trans_b = gemm.trans_b ? 1 : 0;
  spec_.m = gemm.groups.empty() ? gemm.m : std::accumulate(gemm.groups.begin(), gemm.groups.end(), std::int64_t{0});
  spec_.n = gemm.n;
  spec_.k = gemm.k;
  spec_.batch = gemm.batch;
  spec_.group_count = static_cast<std::uint32_t>(gemm.groups.size());
  spec_.group_m = gemm.groups.empty() ? nullptr : gemm.groups.data();
  spec_.flags = gemm.repack ? SITS_GEMM_REPACK : 0;
  spec_.scale = gemm.scale;
  spec_.block_size = gemm.block_size;
  case_.struct_size = sizeof case_;
  case_.op = SITS_OP_GEMM;
  case_.mode = SITS_MODE_WARM;
  case_.spec = &spec_;
  case_.seed = kSeed;
  case_.id = "gemm/test";
  case_.provider = provider;
}

TestMachine::TestMachine(unsigned threads)
    : pool([threads] {
        std::vector<unsigned> cpus(threads);
        std::iota(cpus.begin(), cpus.end(), 0u);
        return cpus;
      }()) {
  context.machine.isa = detect_isa();
  context.pool = &pool;
}

std::unique_ptr<Workload> prepared(TestMachine &machine, const GemmCase &gemm, const char *provider,
                                   std::uint64_t rotation_bytes) {
  const AbiGemm abi(gemm, provider);
  PrepareRequest request;
  request.test_case = &abi.view();
  request.rotation_bytes = rotation_bytes;
  return gemm_operation().prepare(machine.context, request);
}

std::string first_wrong(Workload &workload, const GemmCase &gemm, std::uint32_t copy) {
  const bool grouped = !gemm.groups.empty();
  const std::vector<std::int64_t> rows = grouped ? gemm.groups : std::vector<std::int64_t>(u(gemm.batch), gemm.m);
  const std::uint64_t all_rows = u(std::accumulate(rows.begin(), rows.end(), std::int64_t{0}));
  const std::uint64_t n = u(gemm.n), k = u(gemm.k), first_stream = std::uint64_t{copy} * SITS_COPY_STRIDE;
  const bool has_bias = gemm.epilogue != SITS_EPILOGUE_NONE;
  const std::vector<double> a = generated(gemm.type_a, first_stream, all_rows * k);
  const std::vector<double> b = generated(gemm.type_b, first_stream + 1, rows.size() * n * k);
  const std::vector<double> bias =
      generated(SITS_F32, first_stream + 2, has_bias ? n * (grouped ? rows.size() : 1) : 0);
  const auto c_tensor = static_cast<std::uint32_t>(workload.tensors().size() - 1);
  std::vector<std::uint8_t> raw(bytes_of(gemm.type_out, all_rows * n) + 8);
  workload.read(c_tensor, copy, 0, all_rows * n, raw.data());

  const bool exact = gemm.type_a == SITS_I8 && gemm.type_b == SITS_I8;
  const double u_acc = gemm.type_a == SITS_F64 ? 0x1p-53 : 0x1p-24;
  const double u_out = unit_roundoff(gemm.type_out);
  std::uint64_t row0 = 0;
  for (std::size_t g = 0; g < rows.size(); ++g) {
    const std::uint64_t m = u(rows[g]);
    for (std::uint64_t i = 0; i < m; ++i) {
      for (std::uint64_t j = 0; j < n; ++j) {
        double sum = 0, squares = 0;
        for (std::uint64_t q = 0; q < k; ++q) {
          const double product = a[row0 * k + (gemm.trans_a ? q * m + i : i * k + q)] *
                                 b[g * n * k + (gemm.trans_b ? j * k + q : q * n + j)];
          sum += product;
          squares += product * product;
        }
        const double shift = has_bias ? bias[(grouped ? g * n : 0) + j] : 0.0;
        const double expected = activated(gemm.epilogue, sum * gemm.scale + shift);
        // the activations' slopes are below 1.2; 6e-7 bounds the f32 erf and exp
        const double epilogue_error =
            (has_bias || gemm.scale != 1.0) ? 4 * u_acc * (std::fabs(sum * gemm.scale) + std::fabs(shift)) : 0;
        const double activation_error =
            gemm.epilogue >= SITS_EPILOGUE_BIAS_GELU && gemm.type_a != SITS_F64 ? 6e-7 * (std::fabs(expected) + 1) : 0;
        const double tolerance =
            1.01 * u_out * std::fabs(expected) + 0x1p-25 + epilogue_error + activation_error +
            (exact ? 0.0 : 4 * u_acc * std::sqrt(static_cast<double>(k)) * std::sqrt(squares) * std::fabs(gemm.scale)) +
            (gemm.type_out == SITS_I32 && (has_bias || gemm.scale != 1.0) ? 0.5 : 0.0);
        const std::uint64_t index = (row0 + i) * n + j;
        std::uint64_t bits = 0;
        for (std::uint64_t byte = bits_of(gemm.type_out) / 8; byte-- > 0;)
          bits = bits << 8 | raw[index * (bits_of(gemm.type_out) / 8) + byte];
        const double got = decode(gemm.type_out, bits);
        if (!(std::fabs(got - expected) <= tolerance))
          return gemm.text() + ": C[" + std::to_string(g) + "][" + std::to_string(i) + "][" + std::to_string(j) +
                 "] is " + std::to_string(got) + ", expected " + std::to_string(expected) + " within " +
                 std::to_string(tolerance) + " by " + workload.provider();
      }
    }
    row0 += m;
  }
  return {};
}

}  // namespace sits::cpu::testing
