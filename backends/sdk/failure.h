// SPDX-License-Identifier: Apache-2.0
//
// How a backend written in C++ fails: it throws Failure inside, and SITS_GUARD turns that, and anything else that is
// thrown, into a status and a message at the ABI's edge.
#pragma once

#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "sits/backend.h"

namespace sits::sdk {

struct Failure : std::runtime_error {
  Failure(sits_status status_code, const std::string &message, std::string api_name = {}, std::int32_t code = 0)
      : std::runtime_error(message), status(status_code), api(std::move(api_name)), vendor_code(code) {}
  sits_status status;
  std::string api;
  std::int32_t vendor_code;
};

/// Writes into the caller's error struct within its struct_size, text cut at a UTF-8 boundary; NULL is fine.
void write_error(sits_error *error, const char *message, const char *api, std::int32_t vendor_code) noexcept;

/// Runs `body`, which returns nothing or a sits_status, and lets nothing else out.
template <typename Body>
sits_status guard(sits_error *error, Body &&body) noexcept {
  try {
    if constexpr (std::is_same_v<decltype(body()), sits_status>) {
      return body();
    } else {
      body();
      return SITS_OK;
    }
  } catch (const Failure &failure) {
    write_error(error, failure.what(), failure.api.c_str(), failure.vendor_code);
    return failure.status;
  } catch (const std::bad_alloc &) {
    write_error(error, "out of host memory", "", 0);
    return SITS_OUT_OF_MEMORY;
  } catch (const std::exception &other) {
    write_error(error, other.what(), "", 0);
    return SITS_INTERNAL;
  } catch (...) {
    write_error(error, "unknown exception", "", 0);
    return SITS_INTERNAL;
  }
}

}  // namespace sits::sdk

/// SITS_GUARD(error, { … }) as the body of an ABI call.
#define SITS_GUARD(error, ...) return ::sits::sdk::guard((error), [&]() __VA_ARGS__)
