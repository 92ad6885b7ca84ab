// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "backends/cpu/provider.h"
#include "backends/sdk/failure.h"
#include "sits/dtype.h"
#include "sits/generator.h"
#include "tests/unit/cpu_gemm/gemm_case.h"

namespace sits::cpu::testing {
namespace {

constexpr std::uint32_t kNone = SITS_EPILOGUE_NONE, kBias = SITS_EPILOGUE_BIAS, kRelu = SITS_EPILOGUE_BIAS_RELU,
                        kGelu = SITS_EPILOGUE_BIAS_GELU, kSilu = SITS_EPILOGUE_BIAS_SILU;

// Isa sets under which the dispatch picks each table this machine can run.
std::vector<Isa> selectable_isas() {
  const Isa best = TestMachine(1).context.machine.isa;
  std::vector<Isa> isas = {best};
  if (best.avx512) {
    Isa no_avx512 = best;
    no_avx512.avx512 = no_avx512.avx512_vnni = no_avx512.avx512_bf16 = false;
    isas.push_back(no_avx512);
  }
  if (best.avx2) isas.emplace_back();
  return isas;
}

std::vector<GemmCase> cases() {
  std::vector<GemmCase> all;
  const auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t out, std::int64_t m, std::int64_t n,
                       std::int64_t k, std::uint32_t epilogue = kNone) -> GemmCase & {
    GemmCase c;
    c.type_a = a, c.type_b = b, c.type_out = out, c.m = m, c.n = n, c.k = k, c.epilogue = epilogue;
    if (a == SITS_I8 && b == SITS_I8 && out != SITS_I32) c.scale = static_cast<float>(1.0 / (127 * 127));
    if (a != SITS_I8 && b == SITS_I8) c.scale = static_cast<float>(1.0 / 127);
    return all.emplace_back(c);
  };
  struct Types {
    std::uint32_t a, b, out;
  };
  const Types types[] = {
      {SITS_F32, SITS_F32, SITS_F32},    {SITS_F64, SITS_F64, SITS_F64},         {SITS_F16, SITS_F16, SITS_F16},
      {SITS_BF16, SITS_BF16, SITS_BF16}, {SITS_BF16, SITS_BF16, SITS_F32},       {SITS_I8, SITS_I8, SITS_I32},
      {SITS_I8, SITS_I8, SITS_F16},      {SITS_I8, SITS_I8, SITS_BF16},          {SITS_I8, SITS_I8, SITS_F32},
      {SITS_BF16, SITS_I8, SITS_BF16},   {SITS_F8_E4M3, SITS_F8_E4M3, SITS_F16}, {SITS_F16, SITS_BF16, SITS_F32}};
  for (const Types &t : types) {
    for (const auto &[m, n, k] : {std::array<std::int64_t, 3>{1, 1, 1},
                                  {1, 37, 19},
                                  {3, 16, 64},
                                  {5, 33, 7},
                                  {13, 50, 65},
                                  {64, 64, 64},
                                  {1, 129, 600},
                                  {40, 35, 601}})
      add(t.a, t.b, t.out, m, n, k);
    for (const std::uint32_t epilogue : {kBias, kRelu, kGelu, kSilu}) {
      add(t.a, t.b, t.out, 9, 45, 31, epilogue);
      add(t.a, t.b, t.out, 2, 45, 31, epilogue);
    }
    for (const int layout : {1, 2, 3}) {
      for (const std::int64_t m : {3, 21}) {
        GemmCase &c = add(t.a, t.b, t.out, m, 18, 300, kBias);
        c.trans_a = (layout & 1) != 0;
        c.trans_b = (layout & 2) != 0;
      }
    }
    add(t.a, t.b, t.out, 7, 20, 33, kRelu).batch = 5;
    add(t.a, t.b, t.out, 2, 20, 33, kNone).batch = 2;
    add(t.a, t.b, t.out, 1, 20, 33, kBias).groups = {3, 0, 17, 1};
    add(t.a, t.b, t.out, 1, 34, 33, kBias).groups = {0, 4, 1};
    GemmCase &transposed = add(t.a, t.b, t.out, 1, 20, 33, kNone);
    transposed.groups = {2, 9};
    transposed.trans_a = true;
  }
  for (const std::uint32_t type : {SITS_F32, SITS_F16, SITS_BF16, SITS_I8})  // panels side by side, and a rest
    for (const std::int64_t m : {1, 2, 3, 4}) add(type, type, type == SITS_I8 ? SITS_I32 : SITS_F32, m, 171, 40, kNone);
  add(SITS_F32, SITS_F32, SITS_F32, 200, 96, 530);            // several blocks of rows and of k
  add(SITS_F16, SITS_F16, SITS_F16, 800, 40, 300, kBias);     // several passes over the rows
  add(SITS_BF16, SITS_BF16, SITS_F32, 20, 1100, 270, kNone);  // several passes over the columns
  add(SITS_I8, SITS_I8, SITS_I32, 30, 48, 1300, kNone).scale = 0.125;
  return all;
}

TEST(Gemm, every_provider_and_instruction_set_agrees_with_the_double_reference) {
  TestMachine machine(1);  // threads have their own test; one is quick on a busy machine
  std::size_t checked = 0;
  for (const Isa &isa : selectable_isas()) {
    machine.context.machine.isa = isa;
    for (const GemmCase &gemm : cases()) {
      for (const GemmProvider *provider : gemm_providers()) {
        std::unique_ptr<Workload> workload;
        try {
          workload = prepared(machine, gemm, provider->name());
        } catch (const sdk::Failure &failure) {
          ASSERT_EQ(failure.status, SITS_UNSUPPORTED) << failure.what();
          ASSERT_STRNE(provider->name(), "sits") << gemm.text() << ": " << failure.what();
          continue;
        }
        workload->poison();
        workload->iterate(0);
        ASSERT_EQ(first_wrong(*workload, gemm), "") << provider->name() << " " << isa.text();
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, cases().size());
}

TEST(Gemm, results_do_not_depend_on_the_number_of_threads) {
  for (const unsigned threads : {1u, 3u, 4u}) {
    TestMachine machine(threads);
    GemmCase gemm{SITS_BF16, SITS_BF16, SITS_BF16, 50, 70, 90};
    gemm.epilogue = kSilu;
    for (const std::int64_t batch : {1, 4}) {
      gemm.batch = batch;
      const auto workload = prepared(machine, gemm, "sits");
      workload->iterate(0);
      EXPECT_EQ(first_wrong(*workload, gemm), "") << threads << " threads";
    }
  }
}

TEST(Gemm, iterating_again_overwrites_instead_of_accumulating) {
  TestMachine machine(2);
  for (const GemmProvider *provider : gemm_providers()) {
    const GemmCase gemm{SITS_F32, SITS_F32, SITS_F32, 3, 100, 700};
    std::unique_ptr<Workload> workload;
    try {
      workload = prepared(machine, gemm, provider->name());
    } catch (const sdk::Failure &) {
      continue;  // a library that is not installed
    }
    for (int i = 0; i < 3; ++i) workload->iterate(0);
    EXPECT_EQ(first_wrong(*workload, gemm), "") << provider->name();
  }
}

TEST(Gemm, poison_fills_the_output_and_an_iteration_replaces_all_of_it) {
  TestMachine machine(1);
  const GemmCase gemm{SITS_F16, SITS_F16, SITS_F16, 13, 29, 17};
  const auto workload = prepared(machine, gemm, "sits");
  workload->iterate(0);
  workload->poison();
  std::vector<std::uint8_t> raw(13 * 29 * 2);
  workload->read(2, 0, 0, 13 * 29, raw.data());
  EXPECT_TRUE(std::all_of(raw.begin(), raw.end(), [](std::uint8_t byte) { return byte == poison_byte(SITS_F16); }));
  EXPECT_NE(first_wrong(*workload, gemm), "");
  workload->iterate(0);
  EXPECT_EQ(first_wrong(*workload, gemm), "");
}

TEST(Gemm, rotated_copies_hold_different_inputs_and_their_own_results) {
  TestMachine machine(2);
  const GemmCase gemm{SITS_BF16, SITS_BF16, SITS_F32, 4, 64, 64};
  for (const char *provider : {"sits", "sits-gemv"}) {
    const auto workload = prepared(machine, gemm, provider, 4 * (4 * 64 * 2 + 64 * 64 * 2 + 4 * 64 * 4));
    ASSERT_GE(workload->copies(), 4u);
    for (std::uint32_t copy = 0; copy < workload->copies(); ++copy) workload->iterate(copy);
    for (std::uint32_t copy = 0; copy < workload->copies(); ++copy)
      EXPECT_EQ(first_wrong(*workload, gemm, copy), "") << "copy " << copy;
  }
}

TEST(Gemm, inputs_read_back_in_plain_layout_as_the_generator_defines_them) {
  TestMachine machine(2);
  GemmCase gemm{SITS_I8, SITS_I8, SITS_F16, 5, 40, 30};
  gemm.epilogue = kBias;
  gemm.scale = static_cast<float>(1.0 / (127 * 127));
  const auto workload = prepared(machine, gemm, "sits");
  const auto &tensors = workload->tensors();
  ASSERT_EQ(tensors.size(), 4u);
  for (std::uint32_t t = 0; t < 4; ++t) {
    EXPECT_EQ(tensors[t].stream, t);
    if (tensors[t].role == SITS_ROLE_OUTPUT) continue;
    for (const std::uint64_t index : {std::uint64_t{0}, tensors[t].count / 2, tensors[t].count - 1}) {
      std::uint64_t bits = 0;
      workload->read(t, 0, index, 1, &bits);
      EXPECT_EQ(bits, generated_bits(tensors[t].type, SITS_FILL_UNIFORM, tensor_key(kSeed, tensors[t].stream), index))
          << tensors[t].name << " " << index;
    }
  }
  EXPECT_EQ(tensors[0].name + tensors[1].name + tensors[2].name + tensors[3].name, "ABbiasC");
  EXPECT_THROW(workload->read(3, 0, 200, 1, nullptr), sdk::Failure);
}

TEST(Gemm, repacking_inside_the_timed_region_gives_the_same_result_and_is_not_called_prepacked) {
  TestMachine machine(2);
  GemmCase gemm{SITS_F32, SITS_F32, SITS_F32, 30, 40, 50};
  EXPECT_EQ(prepared(machine, gemm, "sits")->weights(), "prepacked");
  gemm.repack = true;
  const auto workload = prepared(machine, gemm, "sits");
  workload->iterate(0);
  EXPECT_EQ(first_wrong(*workload, gemm), "");
  EXPECT_EQ(workload->weights(), "");
}

TEST(Gemm, without_a_pin_the_measured_fastest_runs_and_the_others_are_listed) {
  TestMachine machine(1);
  const GemmCase gemm{SITS_F32, SITS_F32, SITS_F32, 2, 64, 64};
  const auto workload = prepared(machine, gemm, nullptr);
  workload->iterate(0);
  EXPECT_EQ(first_wrong(*workload, gemm), "");
  EXPECT_NE(workload->provider(), "");
  const std::string others = workload->alternatives_json();
  EXPECT_NE(others.find(R"("median_ns":)"), std::string::npos) << others;
  EXPECT_EQ(others.find(workload->provider() + "\""), std::string::npos) << others;
}

std::string refusal_of(const GemmCase &gemm, const char *provider = nullptr) {
  TestMachine machine(1);
  const AbiGemm abi(gemm, provider);
  try {
    gemm_operation().query(machine.context, abi.view());
  } catch (const sdk::Failure &failure) {
    return (failure.status == SITS_UNSUPPORTED ? "unsupported: " : "other: ") + std::string(failure.what());
  }
  return {};
}

TEST(Gemm, refusals_say_what_would_work) {
  const auto contains = [](const std::string &text, const char *part) { return text.find(part) != std::string::npos; };
  const std::string f4 = refusal_of({SITS_F4_E2M1, SITS_F4_E2M1, SITS_F16, 8, 8, 32});
  EXPECT_TRUE(f4.starts_with("unsupported: ") && contains(f4, "i8")) << f4;
  const std::string tf32 = refusal_of({SITS_TF32, SITS_TF32, SITS_F32, 8, 8, 32});
  EXPECT_TRUE(tf32.starts_with("unsupported: ") && contains(tf32, "f32")) << tf32;
  const std::string unknown = refusal_of({SITS_F32, SITS_F32, SITS_F32, 8, 8, 8}, "mkl");
  EXPECT_TRUE(unknown.starts_with("unsupported: ") && contains(unknown, "mkl") && contains(unknown, "openblas"))
      << unknown;
  const std::string rows = refusal_of({SITS_F32, SITS_F32, SITS_F32, 5, 8, 8}, "sits-gemv");
  EXPECT_TRUE(rows.starts_with("unsupported: ") && contains(rows, "at most 4")) << rows;
  const std::string half = refusal_of({SITS_F16, SITS_F16, SITS_F16, 8, 8, 8}, "openblas");
  EXPECT_TRUE(half.starts_with("unsupported: ") && contains(half, "f32 or f64")) << half;
  GemmCase scaled{SITS_F8, SITS_F8, SITS_F16, 8, 8, 32};
  scaled.block_size = 32;
  EXPECT_TRUE(contains(refusal_of(scaled), "block-scale")) << refusal_of(scaled);
  EXPECT_TRUE(contains(refusal_of({SITS_I8, SITS_I8, SITS_I32, 1, 1, 200000}), "overflow"));
  GemmCase wide{SITS_F32, SITS_F32, SITS_F32, 8, 8, 8};
  wide.type_acc = SITS_F64;
  EXPECT_TRUE(contains(refusal_of(wide), "summed in f32")) << refusal_of(wide);
}

TEST(Gemm, a_spec_that_breaks_the_contract_is_an_invalid_argument) {
  EXPECT_TRUE(refusal_of({SITS_F32, SITS_F32, SITS_F32, 0, 8, 8}).starts_with("other: "));
  EXPECT_TRUE(refusal_of({SITS_F32, SITS_F32, SITS_F32, 8, -1, 8}).starts_with("other: "));
  EXPECT_TRUE(refusal_of({SITS_F32, SITS_F32, SITS_F32, std::int64_t{1} << 40, std::int64_t{1} << 40, 8})
                  .starts_with("other: "));
  GemmCase negative{SITS_F32, SITS_F32, SITS_F32, 1, 8, 8};
  negative.groups = {4, -2};
  EXPECT_TRUE(refusal_of(negative).starts_with("other: "));
}

TEST(Gemm, query_reports_types_bytes_providers_and_how_f16_is_computed) {
  TestMachine machine(1);
  const GemmCase gemm{SITS_F16, SITS_F16, SITS_F16, 8, 16, 32};
  const AbiGemm abi(gemm);
  const Answer answer = gemm_operation().query(machine.context, abi.view());
  EXPECT_EQ(answer.type_acc, static_cast<std::uint32_t>(SITS_F32));
  EXPECT_EQ(answer.copy_bytes, 2u * (8 * 32 + 2 * 32 * 16 + 8 * 16));
  EXPECT_EQ(answer.note, "f16 storage, f32 compute");
  EXPECT_EQ(answer.providers, "sits");
  EXPECT_GT(answer.predicted_ns, 0);
  const GemmCase f8{SITS_F8, SITS_F8, SITS_F16, 8, 16, 32};
  const AbiGemm abi_f8(f8);
  EXPECT_EQ(gemm_operation().query(machine.context, abi_f8.view()).type_a, static_cast<std::uint32_t>(SITS_F8_E4M3));
}

}  // namespace
}  // namespace sits::cpu::testing
