// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/status_code.h"

namespace sits::worker {

std::string_view code_of(sits_status status) {
  switch (status) {
    case SITS_OK: return "ok";
    case SITS_UNSUPPORTED: return "unsupported";
    case SITS_UNAVAILABLE: return "unavailable";
    case SITS_INVALID_ARGUMENT: return "invalid_argument";
    case SITS_OUT_OF_MEMORY: return "out_of_memory";
    case SITS_DEVICE_LOST: return "device_lost";
    case SITS_TIMEOUT: return "timeout";
    case SITS_CANCELLED: return "cancelled";
    default: return "vendor_error";
  }
}

Status row_status(sits_status status) {
  switch (status) {
    case SITS_UNSUPPORTED:
    case SITS_UNAVAILABLE: return Status::unsupported;
    case SITS_OUT_OF_MEMORY: return Status::oom;
    case SITS_DEVICE_LOST: return Status::device_lost;
    case SITS_TIMEOUT: return Status::timeout;
    case SITS_CANCELLED: return Status::interrupted;
    default: return Status::failed;
  }
}

}  // namespace sits::worker
