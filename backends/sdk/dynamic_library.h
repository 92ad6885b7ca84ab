// SPDX-License-Identifier: Apache-2.0
//
// A vendor library opened at run time. It is never closed: drivers do not survive dlclose. Movable, cheap to copy.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace sits::sdk {

class DynamicLibrary {
 public:
  /// Opens the first of `names` that loads (RTLD_NOW | RTLD_LOCAL). Throws Failure{SITS_UNAVAILABLE} that quotes the
  /// loader's reason for every name.
  explicit DynamicLibrary(std::span<const std::string_view> names);
  DynamicLibrary(std::initializer_list<std::string_view> names)
      : DynamicLibrary(std::span<const std::string_view>(names.begin(), names.size())) {}

  /// The name that loaded.
  const std::string &name() const { return name_; }

  /// Address of a function whose type the vendor's header gives: lib.symbol<decltype(&cuInit)>("cuInit").
  /// Throws Failure{SITS_UNAVAILABLE} naming library and symbol when it is absent.
  template <typename Function>
  Function symbol(const char *symbol_name) const {
    return reinterpret_cast<Function>(require(symbol_name));
  }

  /// As `symbol`, nullptr when absent.
  template <typename Function>
  Function optional_symbol(const char *symbol_name) const noexcept {
    return reinterpret_cast<Function>(find(symbol_name));
  }

 private:
  void *find(const char *symbol_name) const noexcept;
  void *require(const char *symbol_name) const;

  void *handle_ = nullptr;
  std::string name_;
};

}  // namespace sits::sdk
