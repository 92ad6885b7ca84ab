// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/case_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/measure/sampler.h"
#include "harness/verify/verify.h"
#include "harness/worker/case_row.h"
#include "harness/worker/memory_plan.h"
#include "harness/worker/process.h"
#include "harness/worker/status_code.h"
#include "harness/worker/subject.h"
#include "microbench/oracle.h"

namespace sits::worker {
namespace {

constexpr std::uint32_t kSteadyBatch = 10;
constexpr double kSlowestBytesPerNs = 0.1;  // preparing and checking are not expected to be slower

class CaseRun {
 public:
  CaseRun(const RunCase &request, const CaseContext &context) : request_(request), context_(context) {
    CaseResult &row = out_.row;
    row.id = request.case_id;
    row.device = request.device_id;
    row.run_index = request.run_index;
    row.order_index = request.order_index;
    row.required = request.required;
    row.reproduce = request.reproduce;
    row.simulated = (context.device.flags & SITS_DEVICE_SIMULATED) != 0;
  }

  FinishedCase run() {
    try {
      execute();
    } catch (const plugin::BackendError &error) {
      const std::string call = error.api.empty() ? "" : fmt::format(" ({} returned {})", error.api, error.vendor_code);
      end(row_status(error.status), std::string(code_of(error.status)), error.what() + call);
    } catch (const microbench::CaseError &error) {
      end(Status::failed, "invalid_case", error.what());
    } catch (const std::bad_alloc &) {
      end(Status::oom, "out_of_memory", "out of host memory");
    } catch (const std::exception &error) {
      end(Status::failed, "internal", error.what());
    }
    return std::move(out_);
  }

 private:
  void end(Status status, std::string code, std::string message) {
    out_.row.status = status;
    out_.row.reason = Reason{std::move(code), std::move(message)};
  }

  void announce(const char *phase, double expected_ns) { context_.progress({phase, 0, std::nullopt, expected_ns}); }

  void execute() {
    deadline_ns_ = steady_now_ns() + request_.policy.budget_ns;
    test_case_ = microbench::parse_id(request_.case_id);
    const microbench::AbiCase view(test_case_, request_.seed, request_.provider);
    announce("query", 0);
    if (!is_applicable() || !is_supported(view) || !fits_memory() || !fits_time()) return;
    measure_prepared(view);
  }

  bool is_applicable() {
    const auto *collective = std::get_if<microbench::CollectiveSpec>(&test_case_.spec);
    if (collective == nullptr || collective->ranks >= 2) return true;
    end(Status::not_applicable, "one_rank", "a collective of one rank moves nothing");
    return false;
  }

  bool is_supported(const microbench::AbiCase &view) {
    support_ = context_.session->query(context_.device.index, view);
    out_.row.note = support_.note;
    if (!support_.supported) {
      end(Status::unsupported, "unsupported", support_.reason);
      return false;
    }
    work_ = microbench::work_model(test_case_, support_.peak_flops);
    for (const auto &[name, type] :
         {std::pair{"type_a", support_.type_a}, {"type_b", support_.type_b}, {"type_acc", support_.type_acc}})
      if (type != SITS_DTYPE_NONE) out_.row.resolved[name] = resolved_type_name(type);
    return true;
  }

  bool fits_memory() {
    memory_ =
        plan_memory(support_, test_case_.mode, context_.device, available_memory(*context_.session, context_.device));
    if (memory_.fits) return true;
    end(Status::skipped, "memory",
        fmt::format("needs {} bytes of {} memory, {} are available", memory_.needed, memory_.which, memory_.available));
    return false;
  }

  bool fits_time() {
    if (support_.predicted_ns <= request_.policy.budget_ns) return true;
    end(Status::skipped, "time",
        fmt::format("one iteration is predicted to take {:.3g} s, the budget of the case is {:.3g} s; see --budget",
                    support_.predicted_ns / 1e9, request_.policy.budget_ns / 1e9));
    return false;
  }

  /// How long it may take to fill or to read back all operands.
  double touching_ns() const {
    const double copies = std::max(memory_.max_copies, 1u);
    return (work_.footprint_bytes * copies + static_cast<double>(support_.fixed_bytes)) / kSlowestBytesPerNs;
  }

  std::uint32_t run_flags() const {
    if (memory_.flush) return SITS_RUN_FLUSH | SITS_RUN_NO_ROTATE;
    return test_case_.mode == microbench::Mode::cold ? 0u : std::uint32_t{SITS_RUN_NO_ROTATE};
  }

  MeasureOptions measure_options(double reserve_ns) const {
    MeasureOptions options;
    options.allow_batching = request_.policy.exact_iterations == 0;
    options.deadline_ns = deadline_ns_ - reserve_ns;
    if (test_case_.mode == microbench::Mode::steady) {
      const double per_sample_ns = request_.policy.budget_ns / (4.0 * std::max(request_.policy.min_samples, 1u));
      const double fitting = support_.predicted_ns > 0 ? per_sample_ns / support_.predicted_ns : kSteadyBatch;
      options.min_batch = static_cast<std::uint32_t>(std::clamp(fitting, 2.0, double{kSteadyBatch}));
    }
    return options;
  }

  void measure_prepared(const microbench::AbiCase &view) {
    announce("prepare", touching_ns());
    plugin::Workload workload =
        context_.session->prepare(std::array{context_.device.index}, view, memory_.rotation_bytes, memory_.max_copies);
    TelemetryWatch telemetry(*context_.session, context_.device.index);
    WorkloadSubject subject(
        {&workload, run_flags(), support_.predicted_ns, &telemetry, context_.cancelled, context_.progress});
    microbench::Oracle oracle = oracle_of(workload);

    const double before = steady_now_ns();
    const auto first = check(verify::When::before_timing, oracle, workload, subject, 1);
    const double check_ns = steady_now_ns() - before;
    name_what_ran(subject);
    if (first.status == Status::failed) return end(first.status, first.reason->code, first.reason->message);
    if (context_.cancelled()) return interrupted();

    telemetry.begin();
    const Measurement measured = measure(subject, request_.policy, measure_options(check_ns));
    out_.row.telemetry = telemetry.finish(measured.iterations);
    if (measured.cancelled) return interrupted();
    const ProbePair probes = take_probes();
    // One more batch, run like the timed ones on poisoned outputs: a backend that stopped working after the warm-up
    // shows here.
    const auto last = check(verify::When::after_timing, oracle, workload, subject, std::max(measured.timing.batch, 1u));
    name_what_ran(subject);

    fill_timing(measured, workload, telemetry.throttled());
    judge(verify::combine(first, last), probes);
  }

  void interrupted() { end(Status::interrupted, "interrupted", "the run was stopped before this case was finished"); }

  microbench::Oracle oracle_of(const plugin::Workload &workload) const {
    microbench::OracleRequest request;
    request.test_case = &test_case_;
    request.tensors = workload.tensors();
    request.seed = request_.seed;
    request.sample_seed = request_.seed * 1000003u + request_.run_index;
    request.type_a = support_.type_a;
    request.type_b = support_.type_b;
    request.type_acc = support_.type_acc;
    return microbench::Oracle(request);
  }

  /// Poisons the outputs, runs one sample of `batch` iterations and compares with the oracle. What the backend throws
  /// passes through; an oracle that cannot check makes the outcome `failed`.
  verify::Outcome check(verify::When when, microbench::Oracle &oracle, const plugin::Workload &workload,
                        WorkloadSubject &subject, std::uint32_t batch) {
    announce("verify", touching_ns());
    const plugin::Samples samples = subject.run(1, batch, SITS_RUN_POISON_BEFORE);
    announce("verify", touching_ns());
    const microbench::Reader reader = [&](std::size_t tensor, std::uint32_t copy, std::uint64_t begin,
                                          std::uint64_t count) { return workload.read(tensor, copy, begin, count); };
    const auto copies = verify::copies_to_check(samples.current_copy, copies_of(workload), samples.batch);
    verify::Outcome outcome = verify::check_outputs(
        when, copies, [&](std::uint32_t copy) { return oracle.verify(copy, reader, samples.steps_total); });
    if (outcome.cause) rethrow_backend_error(outcome.cause);
    return outcome;
  }

  static void rethrow_backend_error(const std::exception_ptr &cause) {
    try {
      std::rethrow_exception(cause);
    } catch (const plugin::BackendError &) {
      throw;
    } catch (const std::exception &) {
      return;  // of the oracle itself: the outcome says it
    }
  }

  static std::uint32_t copies_of(const plugin::Workload &workload) {
    std::uint32_t copies = 1;
    for (const microbench::TensorInfo &tensor : workload.tensors()) copies = std::max(copies, tensor.copies);
    return copies;
  }

  ProbePair take_probes() {
    announce("probe", 0);
    ProbePair probes;
    const std::uint32_t type = microbench::roof_type(test_case_);
    if (type != SITS_DTYPE_NONE) probes.compute = context_.probes->compute(type);
    if (microbench::op_of(test_case_) != microbench::Op::peak) probes.bandwidth = context_.probes->bandwidth();
    for (const auto &reading : {probes.compute, probes.bandwidth})
      if (reading) out_.measured_peaks[reading->kind] = reading->rate;
    return probes;
  }

  void name_what_ran(const WorkloadSubject &subject) {
    out_.row.provider = subject.provider();
    out_.row.alternatives = parse_alternatives(subject.alternatives());
    out_.row.weights = subject.weights();
  }

  void fill_timing(const Measurement &measured, const plugin::Workload &workload, bool throttled) {
    CaseResult &row = out_.row;
    Timing timing = measured.timing;
    timing.copies = copies_of(workload);
    if (test_case_.mode == microbench::Mode::cold) timing.cold_method = memory_.flush ? "flush" : "rotate";
    const auto *launch = std::get_if<microbench::LaunchSpec>(&test_case_.spec);
    const bool host_side =
        launch != nullptr && (launch->kind == SITS_LAUNCH_HOST_CALL || launch->kind == SITS_LAUNCH_ROUND_TRIP);
    timing.headline = host_side ? Headline::submit : Headline::device;
    const bool collective = microbench::op_of(test_case_) == microbench::Op::collective;
    if (collective && timing.headline_statistics().p95) timing.headline_statistic = "p95";

    row.device_samples_ns = measured.device_samples_ns;
    row.submit_samples_ns = measured.submit_samples_ns;
    row.flags = measured.flags;
    if (throttled) row.flags.push_back(Flag::throttled);
    if (memory_.flush) row.flags.push_back(Flag::cold_flush);
    if (request_.env_override) row.flags.push_back(Flag::env_override);
    if (measured.last.gates_valid) {
      row.telemetry->minor_faults = static_cast<std::uint64_t>(measured.minor_faults);
      row.telemetry->involuntary_switches = static_cast<std::uint64_t>(measured.involuntary_switches);
      row.telemetry->cpu_utilization = measured.cpu_utilization;
    }
    row.timing = std::move(timing);
  }

  void judge(const verify::Outcome &verified, const ProbePair &probes) {
    CaseResult &row = out_.row;
    const std::uint32_t roof = microbench::roof_type(test_case_);
    row.work = work_of(work_);
    row.verification = verified.record;
    const Plausibility plausible = check_plausibility(test_case_, work_, *row.timing,
                                                      limits_of(context_.device, roof, row.telemetry->clock_max_mhz));
    const double ns = row.timing->headline_statistics().median;
    const Utilization utilization = utilization_of(work_, ns, roofs_of(context_.device, roof, probes),
                                                   moves_through_memory(test_case_, work_, context_.device.llc_bytes));
    row.probe = probe_of(probes, utilization.bound, microbench::op_of(test_case_) == microbench::Op::peak);
    row.flags.insert(row.flags.end(), plausible.flags.begin(), plausible.flags.end());
    std::sort(row.flags.begin(), row.flags.end());
    row.flags.erase(std::unique(row.flags.begin(), row.flags.end()), row.flags.end());

    row.status = verified.status != Status::ok ? verified.status : plausible.status;
    row.reason = verified.status != Status::ok ? verified.reason : plausible.reason;
    // Of an implausible or unverified time nothing leaves.
    if (plausible.status != Status::ok || row.status == Status::failed) drop_numbers(row);
    if (row.status != Status::ok) return;
    row.utilization = utilization;
    row.rates = rates_of(work_, ns);
  }

  const RunCase &request_;
  const CaseContext &context_;
  double deadline_ns_ = 0;
  microbench::Case test_case_;
  microbench::WorkModel work_;
  plugin::Support support_;
  MemoryPlan memory_;
  FinishedCase out_;
};

}  // namespace

FinishedCase run_case(const RunCase &request, const CaseContext &context) { return CaseRun(request, context).run(); }

}  // namespace sits::worker
