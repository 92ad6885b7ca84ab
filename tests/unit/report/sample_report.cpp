// SPDX-License-Identifier: Apache-2.0
#include "sample_report.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdlib>
#include <iterator>

#include "harness/report/atomic_file.h"

namespace sits::report::testing {
namespace {

namespace fs = std::filesystem;

Statistics statistics(double median) {
  Statistics s;
  s.n = 100;
  s.min = median * 0.96875;
  s.p10 = median * 0.984375;
  s.median = median;
  s.mean = median * 1.0078125;
  s.max = median * 1.25;
  s.stdev = median * 0.03125;
  s.mad = median * 0.0078125;
  s.p90 = median * 1.03125;
  s.p95 = median * 1.0625;
  s.p99 = median * 1.125;
  s.median_ci95 = Interval{median * 0.9921875, median * 1.0078125};
  s.drift_per_100 = 0.001953125;
  s.lag1_autocorrelation = -0.0625;
  return s;
}

Timing timing(double device_ns, const std::string &cold_method) {
  Timing t;
  t.device_ns = statistics(device_ns);
  t.submit_to_complete_ns = statistics(device_ns + 4096);
  t.resolution_ns = 10;
  t.floor_ns = 512;
  t.warmup_iterations = 20;
  t.cold_method = cold_method;
  t.copies = cold_method.empty() ? 1 : 3;
  return t;
}

CaseResult row(const std::string &id, Status status) {
  CaseResult r;
  r.id = id;
  r.device = "sim:0";
  r.required = true;
  r.status = status;
  r.simulated = true;
  r.reproduce = "sits run --device sim:0 --filter '^" + id + "$'";
  return r;
}

CaseResult gemm_row() {
  CaseResult r = row("gemm/none/f32.f32.f32/m1024n1024k1024/warm", Status::ok);
  r.provider = "simulated gemm 1.0";
  r.alternatives = {{"simulated floor kernel", 2097152.0, ""}, {"simulated vendor library", std::nullopt, "not found"}};
  r.resolved = {{"type_a", "f32"}, {"type_acc", "f32"}};
  r.verification = VerificationRecord{"freivalds", 1048576, 0, 9.5367431640625e-7, 0.0001220703125, ""};
  r.timing = timing(1234567.5, "");
  r.work = Work{2147483648.0, 8388608.0, 4194304.0, 12582912.0, ""};
  r.rates = Rates{1739461995232.5, std::nullopt, std::nullopt, std::nullopt};
  r.utilization = Utilization{0.869, std::nullopt, "compute", "measured"};
  r.probe = Probe{"peak/fma/f32", 100000.0, 1230000.0};
  r.normalized = {{"h100-sxm5-80gb", 33.25, Interval{32.5, 34.0}, 37129.9, "modelled", "example", "device", ""},
                  {"h100-pcie-80gb", std::nullopt, std::nullopt, std::nullopt, "", "", "", "no value for this case"}};
  return r;
}

CaseResult triad_row() {
  CaseResult r = row("stream/triad/f32/1gib/cold", Status::ok);
  r.flags = {Flag::noisy, Flag::not_quiet};
  r.timing = timing(98765432.0, "rotate");
  r.timing->stop_reason = StopReason::time_budget;
  r.work = Work{2147483648.0, 2147483648.0, 1073741824.0, 3221225472.0, "read+write"};
  r.rates = Rates{21743273500.0, 32614910250.0, 21743273500.0, std::nullopt};
  r.utilization = Utilization{0.01, 0.955, "bandwidth", "measured"};
  Telemetry t;
  t.clock_mhz = 3400;
  t.minor_faults = 0;
  r.telemetry = t;
  r.normalized = {{"h100-sxm5-80gb", 0.875, std::nullopt, 112874779.4, "published", "example", "device", ""}};
  return r;
}

CaseResult all_reduce_row() {
  CaseResult r = row("collective/all_reduce/bf16/128mib/n8/steady", Status::ok);
  r.timing = timing(812.3, "");
  r.timing->headline_statistic = "p95";
  r.timing->headline = Headline::submit;
  r.rates = Rates{std::nullopt, 134217728000.0, std::nullopt, 234881024000.0};
  return r;
}

CaseResult failed_row(const std::string &id, Status status, const std::string &code, const std::string &message) {
  CaseResult r = row(id, status);
  r.reason = Reason{code, message};
  return r;
}

CaseResult incorrect_row() {
  CaseResult r = failed_row("gemm/bias_silu/f16.f16.f16/m256n256k256/warm", Status::incorrect, "wrong_result",
                            "element 17 is 0, expected 3.25 ± 0.01");
  r.verification = VerificationRecord{"freivalds", 65536, 1, 1.0, 0.0078125, "element 17"};
  r.timing = timing(4000000.0, "");
  return r;
}

HostInfo example_host() {
  HostInfo h;
  h.hostname = "example-host";
  h.os = "Debian GNU/Linux 12 (bookworm)";
  h.kernel = "6.1.0";
  h.cpu_model = "Simulated CPU";
  h.sockets = 1;
  h.cores = 8;
  h.threads = 16;
  h.numa_nodes = 1;
  h.caches = {{1, "data", 32768, 2}, {2, "unified", 1048576, 2}, {3, "unified", 33554432, 16}};
  h.memory_bytes = 34359738368;
  h.isa = {"avx2", "fma"};
  h.env = {{"OMP_NUM_THREADS", "8"}};
  return h;
}

DeviceInfo example_device() {
  DeviceInfo d;
  d.id = "sim:0";
  d.backend = "sim";
  d.backend_version = "1.0";
  d.name = "Simulated accelerator";
  d.vendor = "none";
  d.arch = "sim1";
  d.uuid = "GPU-00000000-1111-2222-3333-444444444444";
  d.pci = "0000:17:00.0";
  d.numa_node = 0;
  d.memory_bytes = 85899345920;
  d.link = LinkInfo{4, 16, 5, 16};
  d.driver = "1.2.3";
  d.libraries = {{"simblas", "1.0"}};
  d.properties = {{"serial", "SN123456"}, {"simd", "8"}};
  d.compute_units = 8;
  d.clock_max_mhz = 2000;
  d.peaks = {{"f32", "fma", 2048000000000.0, "derived"}};
  d.measured_peaks = {{"peak/fma/f32", 2001000000000.0}, {"stream/read", 34200000000.0}};
  d.simulated = true;
  return d;
}

RunInfo example_run() {
  RunInfo run;
  run.id = "01234567-89ab-4cde-8f01-23456789abcd";
  run.started_at = "2026-01-31T12:00:00Z";
  run.finished_at = "2026-01-31T12:00:42Z";
  run.command = {"sits", "run", "--suite", "quick", "--device", "sim:0"};
  run.exit_code = 3;
  run.suites = {{"quick", "1", std::string(64, 'a')}};
  run.tool = {"0.1.0", ""};
  run.seed = 18446744073709551615U;
  return run;
}

void replace_texts(CaseResult &r, const std::string &text) {
  if (r.reason) r.reason->message = text;
  r.id = r.device = r.provider = r.note = r.weights = r.reproduce = text;
  r.resolved = {{text, text}};
  if (r.verification) r.verification->first_mismatch = text;
  for (Alternative &a : r.alternatives) a.provider = a.reason = text;
  for (Normalized &n : r.normalized) n.baseline = n.source = n.reason = text;
}

}  // namespace

Report example_report() {
  Report report;
  report.run = example_run();
  report.host = example_host();
  report.devices = {example_device()};
  report.baselines = {{"h100-sxm5-80gb", "1", std::string(64, 'b')}, {"h100-pcie-80gb", "1", std::string(64, 'c')}};
  report.results = {
      gemm_row(),
      triad_row(),
      all_reduce_row(),
      failed_row("gemm/none/f8.f8.bf16/m16n14336k4096/cold", Status::unsupported, "no_fp8",
                 "the device has no f8 matrix unit"),
      incorrect_row(),
      failed_row("stream/copy/f32/64gib/cold", Status::oom, "out_of_memory", "128 GiB needed, 80 GiB available")};
  for (std::uint32_t i = 0; i < report.results.size(); ++i) report.results[i].order_index = i;
  report.summary.counts = {{"ok", 3}, {"unsupported", 1}, {"incorrect", 1}, {"oom", 1}};
  report.summary.scores = {
      {"sim:0",
       "h100-sxm5-80gb",
       {{"gemm", {{"modelled", {33.25, 1}}}}, {"stream", {{"published", {0.875, 1}}}}},
       {std::nullopt, 2, "a required case has no ratio: collective/all_reduce/bf16/128mib/n8/steady"}}};
  report.summary.left_out = {{"collective/all_reduce/bf16/128mib/n8/steady", "sim:0", "no value for this case"},
                             {"stream/copy/f32/64gib/cold", "sim:0", "oom"}};
  return report;
}

Report example_report_of(const std::string &run_id, const std::string &hostname) {
  Report report = example_report();
  report.run.id = run_id;
  report.host.hostname = hostname;
  return report;
}

Report with_every_text(const std::string &text) {
  Report report = example_report();
  report.run.command = {text};
  for (SuiteInfo &suite : report.run.suites) suite.name = suite.version = text;
  report.host.hostname = report.host.os = report.host.cpu_model = report.host.container = text;
  report.host.env = {{text, text}};
  for (DeviceInfo &d : report.devices) {
    d.id = d.backend = d.name = d.vendor = d.uuid = d.pci = d.driver = text;
    d.libraries = d.properties = {{text, text}};
    d.measured_peaks = {{text, 1.0}};
  }
  for (BaselineInfo &b : report.baselines) b.id = b.version = text;
  for (CaseResult &r : report.results) replace_texts(r, text);
  for (Score &s : report.summary.scores) {
    s.device = s.baseline = s.overall.reason = text;
    s.geomean = {{text, {{text, {1.0, 1}}}}};
  }
  for (LeftOut &left : report.summary.left_out) left.id = left.device = left.reason = text;
  return report;
}

bool regenerating() { return std::getenv("SITS_REGENERATE_GOLDEN") != nullptr; }

void expect_golden(const fs::path &file, const std::string &text) {
  if (regenerating()) {
    fs::create_directories(file.parent_path());
    write_file_atomically(file, text);
  }
  EXPECT_EQ(read_file(file), text) << file << ": set SITS_REGENERATE_GOLDEN to accept the new text";
}

ScratchFolder::ScratchFolder() {
  std::string name = (fs::temp_directory_path() / "sits-report-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch folder");
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::size_t ScratchFolder::entries() const {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
}

}  // namespace sits::report::testing
