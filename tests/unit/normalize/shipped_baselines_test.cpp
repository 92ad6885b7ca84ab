// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "fixtures.h"
#include "harness/normalize/normalize.h"
#include "microbench/suite.h"

namespace sits::normalize::test {
namespace {

Baseline shipped(std::string_view id) {
  const std::string name = std::string(id) + ".json";
  return parse_baseline(read_file(std::string(SITS_BASELINES_DIR) + "/" + name), name);
}

std::vector<Baseline> all_shipped() {
  std::vector<Baseline> baselines;
  for (const std::string_view id : default_baselines()) baselines.push_back(shipped(id));
  return baselines;
}

TEST(ShippedBaselines, parse_and_carry_the_id_of_their_file) {
  for (const std::string_view id : default_baselines()) EXPECT_EQ(shipped(id).id, id);
}

TEST(ShippedBaselines, evaluate_the_model_as_the_builder_does) {
  const auto checks = nlohmann::json::parse(read_file(SITS_MODEL_CHECKS));
  for (const std::string_view id : default_baselines()) {
    const Baseline baseline = shipped(id);
    ASSERT_GE(checks.at(std::string(id)).size(), 10u);
    for (const auto &check : checks.at(std::string(id))) {
      const auto reference = model_reference(baseline, microbench::parse_id(check.at("id").get<std::string>()));
      ASSERT_TRUE(reference) << check;
      const double expected = check.at("value_ns").get<double>();
      EXPECT_NEAR(reference->value_ns, expected, 1e-6 * expected) << id << " " << check;
    }
  }
}

TEST(ShippedBaselines, are_at_least_thirty_percent_unsure_of_what_is_modelled) {
  for (const Baseline &baseline : all_shipped()) {
    for (const auto &[type, rate] : baseline.model->gemm) EXPECT_GE(rate.uncertainty, 0.30);
    EXPECT_GE(baseline.model->stream_uncertainty, 0.30);
    EXPECT_GE(baseline.model->cached_uncertainty, 0.30);
    EXPECT_LT(baseline.model->fit_rms_log, 0.15);
  }
}

// No listed time may beat the datasheet: dense peak of the type, and the memory for what cannot stay in a cache.
TEST(ShippedBaselines, break_no_physical_bound) {
  for (const Baseline &baseline : all_shipped()) {
    const Model &model = *baseline.model;
    for (const auto &[id, value] : baseline.values) {
      const microbench::Case c = microbench::parse_id(id);
      const microbench::WorkModel work = microbench::work_model(c);
      if (const auto rate = model.gemm.find(microbench::roof_type(c)); rate != model.gemm.end()) {
        EXPECT_GT(value.value_ns, 1e9 * work.flops / rate->second.peak_ops_per_s) << id;
      }
      if (value.cache_state != CacheState::warm && microbench::op_of(c) != microbench::Op::memory_latency) {
        EXPECT_GT(value.value_ns, 1e9 * work.bytes_total() / model.memory_bytes_per_s) << id;
      }
    }
  }
}

// The PCIe part's bandwidth is quoted as 2000 and as 2039 GB/s; its published write rate lies between.
TEST(ShippedBaselines, stream_no_faster_than_the_highest_quoted_bandwidth) {
  for (const Baseline &baseline : all_shipped()) {
    for (const Rate &rate : baseline.rates) {
      if (rate.op == microbench::Op::stream) {
        EXPECT_LE(rate.bytes_per_s, 1.0195 * baseline.model->memory_bytes_per_s) << baseline.id << " " << rate.variant;
      }
    }
  }
}

TEST(ShippedBaselines, publish_bf16_and_f8_gemm_on_sxm5_and_model_the_pcie_part) {
  const Baseline sxm = shipped("h100-sxm5-80gb"), pcie = shipped("h100-pcie-80gb");
  for (const char *id : {"gemm/none/bf16.bf16.bf16/m4096n4096k4096/cold", "gemm/none/f16.f16.f16/m4096n4096k4096/cold",
                         "gemm/none/f8.f8.bf16/m8192n8192k8192/cold"}) {
    const auto c = microbench::parse_id(id);
    EXPECT_EQ(find(sxm, c).reference->kind, Kind::published) << id;
    EXPECT_EQ(find(pcie, c).reference->kind, Kind::modelled) << id;
  }
  EXPECT_EQ(find(sxm, microbench::parse_id("gemm/none/f32.f32.f32/m4096n4096k4096/cold")).reference->kind,
            Kind::modelled);
}

TEST(ShippedBaselines, hold_f16_to_be_less_sure_than_the_bf16_it_comes_from) {
  const Baseline sxm = shipped("h100-sxm5-80gb");
  const auto bf16 = find(sxm, microbench::parse_id("gemm/none/bf16.bf16.bf16/m1024n1024k1024/cold"));
  const auto f16 = find(sxm, microbench::parse_id("gemm/none/f16.f16.f16/m1024n1024k1024/cold"));
  EXPECT_EQ(bf16.reference->value_ns, f16.reference->value_ns);
  EXPECT_GT(f16.reference->uncertainty, bf16.reference->uncertainty);
  EXPECT_NE(f16.reference->note.find("bf16"), std::string::npos);
}

TEST(ShippedBaselines, tell_the_vector_unit_from_the_tensor_cores_in_single_precision) {
  const Baseline sxm = shipped("h100-sxm5-80gb");
  const auto f32 = find(sxm, microbench::parse_id("gemm/none/f32.f32.f32/m4096n4096k4096/cold"));
  const auto tf32 = find(sxm, microbench::parse_id("gemm/none/tf32.tf32.f32/m4096n4096k4096/cold"));
  EXPECT_NEAR(f32.reference->value_ns / tf32.reference->value_ns, 494.7 / 66.9, 0.2);
}

// Suites grow; each case must come to a number or to a reason.
TEST(ShippedBaselines, answer_every_case_of_every_suite) {
  const auto baselines = all_shipped();
  std::size_t cases = 0;
  for (const auto &entry : std::filesystem::directory_iterator(SITS_SUITES_DIR)) {
    if (entry.path().extension() != ".json") continue;
    const auto suite = microbench::parse_suite(read_file(entry.path().string()), entry.path().filename().string());
    cases += suite.cases.size();
    for (const auto &suite_case : suite.cases) {
      for (const Normalized &row : normalize(ok_result(suite_case.id, 1e6, 1e6), baselines)) {
        EXPECT_NE(row.ratio.has_value(), !row.reason.empty()) << suite_case.id;
        const auto op = microbench::op_of(suite_case.test_case);
        if (op == microbench::Op::gemm || op == microbench::Op::stream) {
          EXPECT_TRUE(row.ratio) << suite_case.id;
        }
      }
    }
  }
  EXPECT_GT(cases, 0u);
}

}  // namespace
}  // namespace sits::normalize::test
