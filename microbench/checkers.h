// SPDX-License-Identifier: Apache-2.0
//
// The checkers of the operations, one maker each. All throw CaseError when the tensors are not those of the case, and
// copy what they need of the request.
#pragma once

#include <memory>

#include "microbench/oracle.h"

namespace sits::microbench {

/// How much of a GEMM is recomputed in double precision; what is larger is sampled.
struct GemmLimits {
  double multiply_adds = 1.5e9;  // about 0.1 s on an AVX2 core
  double elements = 1 << 24;     // references kept, 12 bytes each
};

std::unique_ptr<Checker> make_gemm_checker(const GemmSpec &spec, const OracleRequest &request,
                                           const GemmLimits &limits = {});
std::unique_ptr<Checker> make_stream_checker(const StreamSpec &spec, const OracleRequest &request);
std::unique_ptr<Checker> make_transfer_checker(const TransferSpec &spec, const OracleRequest &request);
std::unique_ptr<Checker> make_memory_latency_checker(const MemoryLatencySpec &spec, const OracleRequest &request);
std::unique_ptr<Checker> make_peak_checker(const PeakSpec &spec, const OracleRequest &request);

}  // namespace sits::microbench
