// SPDX-License-Identifier: Apache-2.0
#include "backends/sdk/dynamic_library.h"

#include <dlfcn.h>

#include "backends/sdk/failure.h"

namespace sits::sdk {

DynamicLibrary::DynamicLibrary(std::span<const std::string_view> names) {
  std::string reasons;
  for (const std::string_view candidate : names) {
    std::string name(candidate);
    handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      name_ = std::move(name);
      return;
    }
    const char *reason = dlerror();
    if (!reasons.empty()) reasons += "; ";
    // the loader's text starts with the name when the file is missing
    const std::string text = reason == nullptr ? "not found" : reason;
    reasons += text.rfind(name, 0) == 0 ? text : name + ": " + text;
  }
  throw Failure(SITS_UNAVAILABLE, reasons.empty() ? "no library name given" : reasons, "dlopen");
}

void *DynamicLibrary::find(const char *symbol_name) const noexcept { return dlsym(handle_, symbol_name); }

void *DynamicLibrary::require(const char *symbol_name) const {
  void *address = find(symbol_name);
  if (address == nullptr) throw Failure(SITS_UNAVAILABLE, name_ + " has no symbol " + symbol_name, "dlsym");
  return address;
}

}  // namespace sits::sdk
