// SPDX-License-Identifier: Apache-2.0
#include <sha256.h>

#include <array>

#include "microbench/suite.h"

namespace sits::microbench {

std::string sha256(std::string_view bytes) {
  constexpr std::string_view kHex = "0123456789abcdef";
  SHA2_CTX context;
  SHA256Init(&context);
  SHA256Update(&context, reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size());
  std::array<std::uint8_t, SHA256_DIGEST_LENGTH> digest;
  SHA256Final(digest.data(), &context);
  std::string text;
  for (const std::uint8_t byte : digest) text += {kHex[byte >> 4], kHex[byte & 15]};
  return text;
}

}  // namespace sits::microbench
