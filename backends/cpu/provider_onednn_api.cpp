// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/provider_onednn_api.h"

#if defined(SITS_CPU_HAS_ONEDNN)
#include <optional>

#include "backends/sdk/dynamic_library.h"
#include "backends/sdk/failure.h"

namespace sits::cpu {
namespace {

OneDnnApi open_library(const Context &context) {
  OneDnnApi api;
  try {
    std::optional<WholeMask> mask;
    if (context.pool != nullptr) mask.emplace(*context.pool);
    // 3.x has another interface; it is opened only to say so
    const sdk::DynamicLibrary library{"libdnnl.so.2", "libdnnl.so.3"};
    const dnnl_version_t *version = library.symbol<decltype(&dnnl_version)>("dnnl_version")();
    api.version =
        std::to_string(version->major) + "." + std::to_string(version->minor) + "." + std::to_string(version->patch);
    if (version->major != 2) {
      api.reason = "oneDNN " + api.version + " (" + library.name() + ") has another interface; 2.x is needed";
      return api;
    }
#define SITS_RESOLVE(name) api.name = library.symbol<decltype(api.name)>("dnnl_" #name);
    SITS_ONEDNN_FUNCTIONS(SITS_RESOLVE)
#undef SITS_RESOLVE
  } catch (const sdk::Failure &failure) {
    api.reason = failure.what();
  }
  return api;
}

}  // namespace

void OneDnnApi::check(dnnl_status_t status, const char *call) const {
  if (status == dnnl_success) return;
  if (status == dnnl_unimplemented)
    throw sdk::Failure(SITS_UNSUPPORTED, "oneDNN " + version + " has no implementation of this case", call, status);
  throw sdk::Failure(status == dnnl_out_of_memory ? SITS_OUT_OF_MEMORY : SITS_INTERNAL, "oneDNN " + version + " failed",
                     call, status);
}

const OneDnnApi &onednn_api(const Context &context) {
  static const OneDnnApi api = open_library(context);
  return api;
}

}  // namespace sits::cpu
#endif
