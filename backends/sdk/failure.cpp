// SPDX-License-Identifier: Apache-2.0
#include "backends/sdk/failure.h"

#include <cstddef>

#include "backends/sdk/text.h"

namespace sits::sdk {

void write_error(sits_error *error, const char *message, const char *api, std::int32_t vendor_code) noexcept {
  if (error == nullptr) return;
  const std::size_t size = error->struct_size;
  const auto room = [size](std::size_t offset, std::size_t full) {
    return size <= offset ? std::size_t{0} : (size - offset < full ? size - offset : full);
  };
  if (room(offsetof(sits_error, vendor_code), sizeof error->vendor_code) == sizeof error->vendor_code)
    error->vendor_code = vendor_code;
  if (const std::size_t n = room(offsetof(sits_error, message), sizeof error->message); n > 0)
    copy_text(error->message, n, message == nullptr ? "" : message);
  if (const std::size_t n = room(offsetof(sits_error, api), sizeof error->api); n > 0)
    copy_text(error->api, n, api == nullptr ? "" : api);
}

}  // namespace sits::sdk
