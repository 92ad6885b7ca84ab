// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/libraries.h"

#include <functional>

#include "backends/sdk/dynamic_library.h"
#include "backends/sdk/failure.h"

namespace sits::cpu {
namespace {

std::string or_reason(const std::function<std::string()> &version) {
  try {
    return version();
  } catch (const sdk::Failure &failure) {
    return std::string("unavailable: ") + failure.what();
  }
}

std::string onednn_version() {
  // the prefix of dnnl_version_t that every release has had
  struct Version {
    int major, minor, patch;
  };
  const sdk::DynamicLibrary library{"libdnnl.so.2"};
  const auto *version = library.symbol<const Version *(*)()>("dnnl_version")();
  return std::to_string(version->major) + '.' + std::to_string(version->minor) + '.' + std::to_string(version->patch);
}

std::string openblas_version() {
  const sdk::DynamicLibrary library{"libopenblas.so.0"};
  const std::string config = library.symbol<char *(*)()>("openblas_get_config")();
  const std::string core = library.symbol<char *(*)()>("openblas_get_corename")();
  return config + " (" + core + ")";
}

}  // namespace

KeyValues library_versions(const Pool &pool) {
  const WholeMask mask(pool);
  return {{"onednn", or_reason(onednn_version)}, {"openblas", or_reason(openblas_version)}};
}

}  // namespace sits::cpu
