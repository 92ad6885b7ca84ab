// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "harness/measure/floor_rule.h"
#include "harness/measure/gates.h"
#include "harness/measure/sample_store.h"
#include "harness/measure/statistics.h"
#include "harness/measure/stop_rule.h"
#include "harness/measure/warmup.h"

namespace sits {
namespace {

constexpr double kPreparationShare = 0.5;  // of the time left, for sizing, soak and warm-up together
constexpr double kLongestTrialNs = 1e9;    // no batch grows past this while its size is sought
constexpr int kMostTrials = 16;
constexpr double kNoisyWidths = 2;  // × policy.ci_relative
constexpr double kDriftChange = 0.03;
constexpr double kDriftZ = 3.3;  // two-sided p = 0.001

class Sampler {
 public:
  Sampler(Subject &subject, const Policy &policy, const MeasureOptions &options)
      : subject_(subject), policy_(policy), options_(options), batch_(std::max(options.min_batch, 1u)) {
    const double start = subject_.now_ns();
    deadline_ = options.deadline_ns > 0 ? options.deadline_ns : start + policy.budget_ns;
    preparation_end_ = start + kPreparationShare * std::max(0.0, deadline_ - start);
  }

  Measurement run() {
    size_batch();
    soak();
    warm_up();
    sample();
    return finish();
  }

 private:
  const SampleBatch &take(std::uint32_t samples) {
    SampleBatch taken = subject_.take(samples, batch_);
    last_iteration_ns_ = iteration_ns(taken);
    out_.minor_faults += static_cast<double>(taken.minor_faults);
    out_.involuntary_switches += static_cast<double>(taken.involuntary_switches);
    if (taken.gates_valid && taken.threads > 0) {
      cpu_ns_ += taken.cpu_ns;
      thread_wall_ns_ += taken.wall_ns * taken.threads;
    }
    out_.last = std::move(taken);
    return out_.last;
  }

  /// A take whose times are not kept.
  void discard(std::uint32_t samples) {
    take(samples);
    discarded_ += std::uint64_t{out_.last.batch} * out_.last.submit_to_complete_ns.size();
  }

  bool preparing() { return !cancelled() && subject_.now_ns() < preparation_end_; }

  bool cancelled() {
    out_.cancelled = out_.cancelled || subject_.cancelled();
    return out_.cancelled;
  }

  std::uint32_t wanted_batch(double iteration) const {
    return batch_for(iteration, batch_, out_.last.floor_ns, out_.last.resolution_ns, options_.min_batch);
  }

  /// The first take reads floor and tick; then the batch grows until a sample keeps the floor rule.
  void size_batch() {
    discard(1);
    if (!options_.allow_batching) return;
    grow_batch();
    // What still reads as nothing will have no valid sample: no need to wait for large batches of it.
    if (!(last_iteration_ns_ > 0)) batch_ = std::max(options_.min_batch, 1u);
  }

  void grow_batch() {
    for (int trial = 0; trial < kMostTrials && preparing(); ++trial) {
      const std::uint32_t wanted = wanted_batch(last_iteration_ns_);
      if (wanted <= std::max(batch_, out_.last.batch)) return;
      batch_ = wanted;
      const double before = subject_.now_ns();
      discard(1);
      if (subject_.now_ns() - before > kLongestTrialNs) return;
    }
  }

  /// Of the last take; 0 when it had no valid time.
  double sample_ns() const { return last_iteration_ns_ > 0 ? last_iteration_ns_ * std::max(out_.last.batch, 1u) : 0; }

  std::uint32_t samples_in_a_gate() const {
    if (sample_ns() <= 0) return 1;
    return static_cast<std::uint32_t>(std::clamp(std::ceil(policy_.min_gate_ns / sample_ns()), 1.0, 1e6));
  }

  void soak() {
    const double end = subject_.now_ns() + policy_.soak_ns;
    while (policy_.soak_ns > 0 && preparing() && subject_.now_ns() < end) discard(samples_in_a_gate());
  }

  void warm_up() {
    Warmup warmup(policy_, out_.last.resolution_ns / batch_);
    while (!warmup.done() && preparing()) {
      discard(1);
      warmup.add(last_iteration_ns_, out_.last.gates_valid && out_.last.minor_faults > 0);
      shortest_ns_ = std::fmin(shortest_ns_, last_iteration_ns_);
    }
    cold_start_ = warmup.samples() < policy_.warmup_min || warmup.faulting();
    if (!options_.allow_batching || cancelled()) return;
    // Caches and clocks have warmed up: what was long enough for a sample of its own may not be any more.
    if (const std::uint32_t wanted = wanted_batch(shortest_ns_); shortest_ns_ > 0 && wanted > batch_) {
      batch_ = wanted;
      discard(1);
    }
  }

  std::uint32_t next_take(const StopRule &rule) {
    const double most = static_cast<double>(rule.most_samples() - std::min(rule.most_samples(), store_.attempted()));
    double samples = std::min<double>(samples_in_a_gate(), most);
    if (sample_ns() > 0) samples = std::min(samples, (deadline_ - subject_.now_ns()) / sample_ns());
    return static_cast<std::uint32_t>(std::max(samples, 1.0));
  }

  void sample() {
    StopRule rule(policy_);
    RejectionBudget budget(policy_.max_rejected);
    do {  // at least one sample, whatever preparation has left of the time
      if (cancelled()) return;
      const SampleBatch &taken = take(next_take(rule));
      const std::uint64_t count = taken.submit_to_complete_ns.size();
      out_.iterations += std::uint64_t{taken.batch} * count;
      keep_or_reject(taken, budget);
      const double next_end = subject_.now_ns() + sample_ns();
      stop_ = rule.decide(store_.device_ns(), store_.attempted(), next_end, deadline_);
      if (count == 0) stop_ = stop_.value_or(StopReason::max_samples);  // nothing will ever come
    } while (!stop_);
  }

  void keep_or_reject(const SampleBatch &taken, RejectionBudget &budget) {
    const std::uint64_t count = taken.submit_to_complete_ns.size();
    const auto fault = gate_fault(taken, policy_.min_gate_ns);
    if (!fault) {
      budget.pass(count);
    } else if (budget.refuse(count)) {
      refused_.emplace_back(taken, *fault);
      return;
    } else {
      flag_for(*fault) = true;
    }
    store_.add(taken);
  }

  bool &flag_for(const std::string &fault) { return fault == "page_faults" ? cold_start_ : contended_; }

  /// Refused batches count as rejected; when nothing else was taken in the time there was, they are kept and flagged.
  void settle_refused() {
    const bool nothing_else = store_.attempted() == 0;
    for (const auto &[batch, fault] : refused_) {
      if (!nothing_else) {
        store_.reject(batch, fault);
        continue;
      }
      store_.add(batch);
      flag_for(fault) = true;
    }
  }

  std::string why_no_percentiles() const {
    const Timing &t = out_.timing;
    if (t.batch > 1) return policy_.exact_iterations > 0 ? "below_floor" : "batched";
    const bool below = t.device_ns.n > 0 && !keeps_floor_rule(t.device_ns.median, 1, t.floor_ns, t.resolution_ns);
    return below ? "below_floor" : "";
  }

  Measurement finish() {
    settle_refused();
    Timing &timing = out_.timing;
    timing.resolution_ns = out_.last.resolution_ns;
    timing.floor_ns = out_.last.floor_ns;
    timing.batch = std::max(out_.last.batch, 1u);
    timing.warmup_iterations =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(discarded_, std::numeric_limits<std::uint32_t>::max()));
    timing.stop_reason = stop_.value_or(StopReason::time_budget);
    const bool trusted = store_.device_trusted();
    timing.clock = trusted && !out_.last.host_clock ? "device" : "host";

    const double tick_ns = timing.resolution_ns / timing.batch;
    timing.device_ns = summarize(store_.device_ns(), tick_ns);
    timing.submit_to_complete_ns = summarize(store_.submit_ns(), tick_ns);
    if (const std::string reason = why_no_percentiles(); !reason.empty()) {
      withhold_upper_percentiles(timing.device_ns, reason);
      withhold_upper_percentiles(timing.submit_to_complete_ns, reason);
    }
    timing.device_ns.rejected = timing.submit_to_complete_ns.rejected = store_.rejected();

    const auto device = store_.device_ns(), submit = store_.submit_ns();
    out_.device_samples_ns.assign(device.begin(), device.end());
    out_.submit_samples_ns.assign(submit.begin(), submit.end());
    if (device.empty()) out_.device_samples_ns.assign(store_.refused_ns().begin(), store_.refused_ns().end());
    if (thread_wall_ns_ > 0) out_.cpu_utilization = cpu_ns_ / thread_wall_ns_;
    set_flags(trusted);
    return std::move(out_);
  }

  void set_flags(bool trusted) {
    const Statistics &s = out_.timing.device_ns;
    const auto flag_if = [&](bool condition, Flag flag) {
      if (condition) out_.flags.push_back(flag);
    };
    const auto width = relative_half_width(s);
    const auto trend = trend_of(store_.device_ns());
    const double change = trend && s.median > 0 ? trend->slope_per_sample * static_cast<double>(s.n - 1) / s.median : 0;
    flag_if(width && *width > kNoisyWidths * policy_.ci_relative, Flag::noisy);
    flag_if(s.multimodal, Flag::multimodal);
    flag_if(trend && std::abs(change) >= kDriftChange && std::abs(trend->z) >= kDriftZ, Flag::drift);
    flag_if(contended_, Flag::contended);
    flag_if(!trusted && s.n > 0, Flag::clock_host);
    flag_if(cold_start_, Flag::cold_start);
  }

  Subject &subject_;
  const Policy &policy_;
  const MeasureOptions &options_;
  std::uint32_t batch_;
  double deadline_ = 0, preparation_end_ = 0;
  double last_iteration_ns_ = 0;
  double shortest_ns_ = std::numeric_limits<double>::quiet_NaN();
  double cpu_ns_ = 0, thread_wall_ns_ = 0;
  std::uint64_t discarded_ = 0;
  bool cold_start_ = false, contended_ = false;
  std::optional<StopReason> stop_;
  SampleStore store_;
  std::vector<std::pair<SampleBatch, std::string>> refused_;  // with the fault of each
  Measurement out_;
};

}  // namespace

Measurement measure(Subject &subject, const Policy &policy, const MeasureOptions &options) {
  return Sampler(subject, policy, options).run();
}

}  // namespace sits
