// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "harness/measure/result.h"

namespace sits {
namespace {

using nlohmann::json;

Statistics full_statistics() {
  Statistics s;
  s.n = 120;
  s.min = 0.1;
  s.p10 = 1.0 / 3.0;
  s.median = 1e-7;
  s.mean = 12345.678;
  s.max = 9007199254740993.0;
  s.stdev = 0.25;
  s.mad = 0;
  s.p90 = 4;
  s.p95 = 5;
  s.p99 = 6;
  s.median_ci95 = Interval{0.3, 0.7};
  s.drift_per_100 = -0.01;
  s.lag1_autocorrelation = 0.5;
  s.multimodal = true;
  s.rejected = {{"page_faults", 3}, {"contended", 2}};
  return s;
}

Timing full_timing() {
  Timing t;
  t.device_ns = full_statistics();
  t.submit_to_complete_ns = full_statistics();
  t.submit_to_complete_ns.p99.reset();
  t.submit_to_complete_ns.percentiles_absent = "n < 100";
  t.headline = Headline::submit;
  t.headline_statistic = "p95";
  t.clock = "host";
  t.resolution_ns = 1;
  t.floor_ns = 24.5;
  t.batch = 16;
  t.warmup_iterations = 20;
  t.stop_reason = StopReason::plateau;
  t.cold_method = "rotate";
  t.copies = 4;
  t.between_run_spread = 0.027;
  return t;
}

CaseResult full_row() {
  CaseResult r;
  r.id = "gemm/none/f32.f32.f32/m256n256k256/warm";
  r.device = "cpu:0";
  r.run_index = 2;
  r.order_index = 7;
  r.required = true;
  r.status = Status::incorrect;
  r.reason = Reason{"wrong_output", "line one\nline \"two\"\ttab \x01 µ"};
  r.flags = {Flag::cold_start, Flag::noisy, Flag::noisy};
  r.simulated = true;
  r.provider = "own";
  r.alternatives = {{"onednn", 12.5, ""}, {"openblas", std::nullopt, "libopenblas.so.0 not found"}};
  r.note = "f16 storage, f32 compute";
  r.weights = "prepacked";
  r.resolved = {{"type_acc", "f32"}};
  r.verification = VerificationRecord{"freivalds", 65536, 1, 0.5, 1e-3, "C[17,3]: got 0"};
  r.timing = full_timing();
  r.work = Work{2e9, 1, 2, 3, "read+write"};
  r.rates = Rates{1e12, 2e9, 1e9, 3e9};
  r.utilization = Utilization{0.5, 0.25, "compute", "measured"};
  r.probe = Probe{"peak/fma/f32", 10, 9.5};
  Telemetry t;
  t.clock_mhz = 3000;
  t.clock_min_mhz = 2900;
  t.clock_max_mhz = 3100;
  t.power_w = 200;
  t.energy_j = 10;
  t.energy_per_iteration_j = 0.5;
  t.temperature_c = 60;
  t.throttle_ns = 5;
  t.throttle_reasons = 1;
  t.ecc_errors = 0;
  t.minor_faults = 0;
  t.involuntary_switches = 18446744073709551615u;
  t.cpu_utilization = 0.99;
  t.load_average = 1.5;
  r.telemetry = t;
  r.normalized = {{"h100-sxm5-80gb", 12.5, Interval{12, 13}, 100, "measured", "somewhere", "device", ""},
                  {"h100-pcie-80gb", {}, {}, {}, "", "", "", "no_match"}};
  r.reproduce = "sits run --filter x";
  return r;
}

/// Through text, as in a journal.
json parsed(const CaseResult &row) { return json::parse(to_json(row).dump()); }

void expect_no_default_left(const json &value, const std::string &path) {
  if (value.is_object() || value.is_array()) {
    for (const auto &[key, item] : value.items()) expect_no_default_left(item, path + "." + key);
  } else {
    EXPECT_FALSE(value.is_null()) << path;
  }
}

TEST(ResultJson, carries_a_full_row_there_and_back) {
  const json first = parsed(full_row());
  EXPECT_EQ(parsed(result_from_json(first)), first);
  const CaseResult back = result_from_json(first);
  EXPECT_EQ(back.id, full_row().id);
  EXPECT_EQ(back.reason, full_row().reason);
  EXPECT_EQ(back.timing->device_ns.p10, 1.0 / 3.0);  // shortest round trip keeps every bit
  EXPECT_EQ(back.telemetry->involuntary_switches, 18446744073709551615u);
  EXPECT_EQ(back.flags, (std::vector<Flag>{Flag::noisy, Flag::cold_start}));  // in order, once
  EXPECT_EQ(back.timing->stop_reason, StopReason::plateau);
  EXPECT_TRUE(back.simulated);
}

TEST(ResultJson, fills_every_key_of_a_full_row) {
  json row = parsed(full_row());
  // what a full row rightly leaves unknown
  row["alternatives"].clear();
  row["normalized"].erase(1);
  row["normalized"][0].erase("reason");
  row["timing"]["device_ns"].erase("percentiles_absent");
  row["timing"]["submit_to_complete_ns"].erase("p99");
  expect_no_default_left(row, "");
}

TEST(ResultJson, carries_an_empty_row_there_and_back) {
  const json first = parsed(CaseResult{});
  EXPECT_EQ(parsed(result_from_json(first)), first);
  EXPECT_TRUE(first.at("timing").is_null());
  EXPECT_TRUE(first.at("provider").is_null());
  EXPECT_TRUE(first.at("flags").is_array());
}

TEST(ResultJson, writes_keys_in_one_order) {
  std::vector<std::string> keys;
  const nlohmann::ordered_json row = to_json(full_row());
  for (const auto &[key, value] : row.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"case",         "device",     "run_index", "order_index", "required",
                                            "status",       "reason",     "flags",     "provenance",  "provider",
                                            "alternatives", "note",       "weights",   "resolved",    "verification",
                                            "timing",       "work",       "rates",     "utilization", "probe",
                                            "telemetry",    "normalized", "reproduce"}));
}

TEST(ResultJson, names_every_parameter_of_the_case) {
  const json c = parsed(full_row()).at("case");
  EXPECT_EQ(c.at("id"), "gemm/none/f32.f32.f32/m256n256k256/warm");
  EXPECT_EQ(c.at("op"), "gemm");
  EXPECT_EQ(c.at("m"), 256);
}

TEST(ResultJson, carries_on_a_case_it_does_not_know) {
  CaseResult r;
  r.id = "convolution/f32/newer";
  EXPECT_EQ(result_from_json(parsed(r)).id, r.id);
}

TEST(ResultJson, has_no_statistics_without_samples) {
  CaseResult r;
  r.timing.emplace();
  r.timing->device_ns.rejected["non_finite"] = 20;
  const json s = parsed(r).at("timing").at("device_ns");
  EXPECT_EQ(s.at("n"), 0);
  for (const char *key : {"min", "p10", "median", "mean", "max", "stdev", "p95"})
    EXPECT_TRUE(s.at(key).is_null()) << key;
  EXPECT_EQ(s.at("rejected").at("non_finite"), 20);
  EXPECT_TRUE(parsed(r).at("timing").at("floor_ns").is_null());
}

TEST(ResultJson, lets_no_number_out_that_is_not_finite) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    CaseResult r = full_row();
    r.timing->device_ns.mean = bad;
    EXPECT_THROW(to_json(r), std::invalid_argument);
    r = full_row();
    r.rates->flops_per_s = bad;
    EXPECT_THROW(to_json(r), std::invalid_argument);
    r = full_row();
    r.normalized[0].ci95->high = bad;
    EXPECT_THROW(to_json(r), std::invalid_argument);
  }
}

TEST(ResultJson, names_the_number_that_is_not_finite) {
  CaseResult r = full_row();
  r.work->bytes_read = std::numeric_limits<double>::quiet_NaN();
  try {
    to_json(r);
    FAIL();
  } catch (const std::invalid_argument &e) {
    EXPECT_EQ(std::string(e.what()), "non_finite: \"bytes_read\" is not a finite number");
  }
}

TEST(ResultJson, writes_an_infinite_error_of_an_oracle_as_null) {
  CaseResult r = full_row();
  r.verification->max_rel_error = std::numeric_limits<double>::infinity();
  const json row = parsed(r);
  EXPECT_TRUE(row.at("verification").at("max_rel_error").is_null());
  EXPECT_EQ(result_from_json(row).verification->max_rel_error, std::numeric_limits<double>::infinity());
}

std::string error_of(const std::string &pointer, const json &value) {
  json row = parsed(full_row());
  row[json::json_pointer(pointer)] = value;
  try {
    result_from_json(row);
  } catch (const std::invalid_argument &e) {
    return e.what();
  }
  return "";
}

TEST(ResultJson, refuses_wrong_values_and_names_the_key) {
  EXPECT_EQ(error_of("/timing/device_ns/median", "1.2e-05"),
            "\"timing.device_ns.median\" must be a number, not \"1.2e-05\"");
  EXPECT_EQ(error_of("/timing/device_ns/median", nullptr), "\"timing.device_ns.median\" must be a number, not null");
  EXPECT_EQ(error_of("/required", "true"), "\"required\" must be true or false, not \"true\"");
  EXPECT_EQ(error_of("/run_index", -1), "\"run_index\" must be a whole number >= 0, not -1");
  EXPECT_EQ(error_of("/run_index", 1.5), "\"run_index\" must be a whole number >= 0, not 1.5");
  EXPECT_EQ(error_of("/run_index", 4294967296), "\"run_index\" is too large: 4294967296");
  EXPECT_EQ(error_of("/status", "fine"), "\"status\" does not know \"fine\"");
  EXPECT_EQ(error_of("/flags/1", "loud"), "\"flags[1]\" does not know \"loud\"");
  EXPECT_EQ(error_of("/normalized/1/baseline", 7), "\"normalized[1].baseline\" must be text, not 7");
  EXPECT_EQ(error_of("/timing/headline", "host"), "\"timing.headline\" does not know \"host\"");
  EXPECT_EQ(error_of("/provenance", "guessed"), "\"provenance\" does not know \"guessed\"");
  EXPECT_EQ(error_of("/timing/device_ns/median_ci95", json::array({1})),
            "\"timing.device_ns.median_ci95\" must be [low, high] or null");
  EXPECT_EQ(error_of("/timing/device_ns/rejected/contended", "2"),
            "\"timing.device_ns.rejected.contended\" must be a whole number >= 0, not \"2\"");
  EXPECT_EQ(error_of("/case", "gemm"), "\"case\" must be an object");
  EXPECT_EQ(error_of("/alternatives", 3), "\"alternatives\" must be an array");
}

TEST(ResultJson, refuses_a_missing_key_and_passes_over_an_unknown_one) {
  json row = parsed(full_row());
  row["added_later"] = 1;
  EXPECT_NO_THROW(result_from_json(row));
  row["timing"].erase("batch");
  try {
    result_from_json(row);
    FAIL();
  } catch (const std::invalid_argument &e) {
    EXPECT_EQ(std::string(e.what()), "\"timing.batch\" is missing");
  }
  EXPECT_THROW(result_from_json(json::array()), std::invalid_argument);
}

TEST(Names, of_statuses_flags_and_stop_reasons_read_back) {
  for (int i = 0; i <= static_cast<int>(Status::interrupted); ++i)
    EXPECT_EQ(parse_status(status_name(static_cast<Status>(i))), static_cast<Status>(i));
  for (int i = 0; i <= static_cast<int>(Flag::cold_start); ++i)
    EXPECT_EQ(parse_flag(flag_name(static_cast<Flag>(i))), static_cast<Flag>(i));
  for (int i = 0; i <= static_cast<int>(StopReason::time_budget); ++i)
    EXPECT_EQ(parse_stop_reason(stop_reason_name(static_cast<StopReason>(i))), static_cast<StopReason>(i));
  EXPECT_EQ(status_name(Status::device_lost), "device_lost");
  EXPECT_EQ(flag_name(Flag::env_override), "env_override");
  EXPECT_EQ(stop_reason_name(StopReason::time_budget), "time_budget");
  EXPECT_FALSE(parse_status("OK") || parse_flag("") || parse_stop_reason("done"));
}

TEST(DropNumbers, leaves_the_facts_and_no_number) {
  CaseResult r = full_row();
  r.device_samples_ns = {1};
  drop_numbers(r);
  EXPECT_FALSE(r.timing || r.rates || r.utilization || r.probe);
  EXPECT_TRUE(r.normalized.empty() && r.device_samples_ns.empty());
  EXPECT_TRUE(r.verification && r.work && r.reason);
}

}  // namespace
}  // namespace sits
