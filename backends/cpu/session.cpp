// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/session.h"

#include "backends/cpu/hwloc_facts.h"
#include "backends/cpu/libraries.h"
#include "backends/cpu/operations.h"
#include "backends/sdk/failure.h"
#include "backends/sdk/sized.h"

namespace sits::cpu {

Session::Session(const sits_host *host, const sits_options *options) {
  if (host != nullptr) host_calls_ = sdk::read_sized<sits_host>(host, "host");
  const Options parsed = parse_options(options);
  host_ = discover_host(read_file, affinity_mask());
  complete_from_hwloc(host_);
  const CpuList threads = cpus_for(parsed, host_);

  context_.host = &host_calls_;
  context_.provider = parsed.provider;
  pool_ = std::make_unique<Pool>(threads);
  context_.pool = pool_.get();
  const std::string cache = calibration_path(host_);
  measured_ = load_calibration(cache);
  if (!measured_ && parsed.calibrate) {
    measured_ = calibrate(host_, [this] { return context_.should_cancel(); });
    if (measured_->quiet && !context_.should_cancel()) store_calibration(cache, *measured_);
  }
  context_.machine = machine_of(host_, measured_);
  operations_ = all_operations();
  timer_ = measure_timer();
}

const sits_device &Session::device() {
  if (!device_described_) {
    device_.libraries = library_versions(*pool_);
    describe_device(device_, host_, context_.machine, pool_->cpus(), measured_);
    device_described_ = true;
  }
  return device_.device;
}

const OperationEntry &Session::operation(const sits_case &test_case) const {
  for (const OperationEntry &entry : operations_)
    if (entry.op == test_case.op) return entry;
  throw sdk::Failure(SITS_UNSUPPORTED, "the cpu backend has no operation " + std::to_string(test_case.op));
}

sits_case Session::completed(const sits_case &test_case) const {
  sits_case full = test_case;
  if (full.provider == nullptr && full.op == SITS_OP_GEMM && !context_.provider.empty())
    full.provider = context_.provider.c_str();
  return full;
}

sits_support Session::query(const sits_case &test_case) {
  answer_ = operation(test_case).query(context_, completed(test_case));
  sits_support support{};
  support.type_a = answer_.type_a;
  support.type_b = answer_.type_b;
  support.type_acc = answer_.type_acc;
  support.copy_bytes = answer_.copy_bytes;
  support.fixed_bytes = answer_.fixed_bytes;
  support.host_bytes = answer_.host_bytes;
  support.predicted_ns = answer_.predicted_ns;
  support.peak_flops = answer_.peak_flops;
  support.providers = answer_.providers.c_str();
  support.note = answer_.note.empty() ? nullptr : answer_.note.c_str();
  return support;
}

std::unique_ptr<Workload> Session::prepare(const PrepareRequest &request) {
  const sits_case full = completed(*request.test_case);
  PrepareRequest complete = request;
  complete.test_case = &full;
  return operation(full).prepare(context_, complete);
}

void Session::run(Workload &workload, const sits_run &request, std::uint32_t &next_copy, sits_samples &samples) {
  take_samples(context_, workload, flusher_, timer_, request, next_copy, samples);
}

}  // namespace sits::cpu
