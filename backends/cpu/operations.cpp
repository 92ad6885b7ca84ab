// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/operations.h"

#include <algorithm>
#include <string_view>

#include "backends/sdk/failure.h"

namespace sits::cpu {

std::vector<OperationEntry> all_operations() {
  return {gemm_operation(), stream_operation(), memory_latency_operation(), peak_operation()};
}

void require_own_provider(const sits_case &test_case) {
  if (test_case.provider == nullptr || std::string_view(test_case.provider) == kOwnProvider) return;
  throw sdk::Failure(SITS_UNSUPPORTED, "provider '" + std::string(test_case.provider) +
                                           "' does not offer this operation; only '" + kOwnProvider + "' does");
}

std::uint32_t copies_for(const PrepareRequest &request, std::uint64_t copy_bytes) {
  if (request.rotation_bytes == 0 || copy_bytes == 0) return 1;
  const std::uint64_t wanted =
      std::max<std::uint64_t>(2, request.rotation_bytes / copy_bytes + (request.rotation_bytes % copy_bytes != 0));
  const std::uint64_t limit = request.max_copies == 0 ? UINT32_MAX : request.max_copies;
  return static_cast<std::uint32_t>(std::min(wanted, limit));
}

}  // namespace sits::cpu
