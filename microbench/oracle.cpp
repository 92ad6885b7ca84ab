// SPDX-License-Identifier: Apache-2.0
#include "microbench/oracle.h"

#include <algorithm>
#include <limits>
#include <string>

#include "microbench/checkers.h"

namespace sits::microbench {
namespace {

/// A launch has no output.
class NothingToCheck : public Checker {
 public:
  Verification check(std::uint32_t, std::uint64_t, const Reader &) override {
    Verification nothing;
    nothing.method = "none";
    return nothing;
  }
};

std::unique_ptr<Checker> make_checker(const OracleRequest &request) {
  struct Maker {
    const OracleRequest &request;
    std::unique_ptr<Checker> operator()(const GemmSpec &s) const { return make_gemm_checker(s, request); }
    std::unique_ptr<Checker> operator()(const StreamSpec &s) const { return make_stream_checker(s, request); }
    std::unique_ptr<Checker> operator()(const TransferSpec &s) const { return make_transfer_checker(s, request); }
    std::unique_ptr<Checker> operator()(const MemoryLatencySpec &s) const {
      return make_memory_latency_checker(s, request);
    }
    std::unique_ptr<Checker> operator()(const PeakSpec &s) const { return make_peak_checker(s, request); }
    std::unique_ptr<Checker> operator()(const LaunchSpec &) const { return std::make_unique<NothingToCheck>(); }
    std::unique_ptr<Checker> operator()(const AttentionSpec &) const {
      throw CaseError("no oracle for attention in this version");
    }
    std::unique_ptr<Checker> operator()(const CollectiveSpec &) const {
      throw CaseError("no oracle for collective in this version");
    }
  };
  return std::visit(Maker{request}, request.test_case->spec);
}

/// Copies that every tensor has. Tensors of one copy (outputs that do not rotate) belong to each of them.
std::uint32_t copies_of(std::span<const TensorInfo> tensors) {
  std::uint32_t most = 1;
  for (const TensorInfo &tensor : tensors) most = std::max(most, tensor.copies);
  return most;
}

}  // namespace

Oracle::Oracle(const OracleRequest &request) : copies_(copies_of(request.tensors)), checker_(make_checker(request)) {}
Oracle::~Oracle() = default;
Oracle::Oracle(Oracle &&) noexcept = default;
Oracle &Oracle::operator=(Oracle &&) noexcept = default;

Verification Oracle::verify(std::uint32_t copy, const Reader &read, std::uint64_t steps_total) {
  if (copy >= copies_)
    throw CaseError("copy " + std::to_string(copy) + " of a workload with " + std::to_string(copies_));
  return checker_->check(copy, steps_total, read);
}

Verification verify(const OracleRequest &request, const Reader &read) {
  return Oracle(request).verify(request.copy, read, request.steps_total);
}

}  // namespace sits::microbench
