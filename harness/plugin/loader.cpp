// SPDX-License-Identifier: Apache-2.0
#include "harness/plugin/loader.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstring>

#include "harness/plugin/elf_check.h"
#include "harness/plugin/text.h"

namespace sits::plugin {
namespace {

struct RequiredCall {
  const char *name;
  std::size_t offset;
};
#define SITS_CALL(name) \
  RequiredCall { #name, offsetof(sits_backend, name) }
constexpr std::array kRequired = {SITS_CALL(describe), SITS_CALL(open),    SITS_CALL(close),   SITS_CALL(devices),
                                  SITS_CALL(query),    SITS_CALL(prepare), SITS_CALL(tensors), SITS_CALL(read),
                                  SITS_CALL(run),      SITS_CALL(release)};
#undef SITS_CALL

bool is_missing(const sits_backend &table, const RequiredCall &call) {
  using Function = void (*)();
  if (table.struct_size < call.offset + sizeof(Function)) return true;
  Function function = nullptr;
  std::memcpy(&function, reinterpret_cast<const char *>(&table) + call.offset, sizeof function);
  return function == nullptr;
}

std::string loader_message() {
  const char *text = ::dlerror();
  return text == nullptr ? "unknown reason" : text_of(text);
}

}  // namespace

void check_table(const sits_backend &table) {
  constexpr std::size_t kHeader = offsetof(sits_backend, describe);
  if (table.struct_size < kHeader)
    throw LoadError(fmt::format("its table says struct_size {}, at least {} is needed", table.struct_size, kHeader));
  if (table.abi_major != SITS_ABI_MAJOR)
    throw LoadError(fmt::format("it speaks version {}.{} of the backend interface, this program needs {}.x",
                                table.abi_major, table.abi_minor, SITS_ABI_MAJOR));
  for (const RequiredCall &call : kRequired)
    if (is_missing(table, call)) throw LoadError(fmt::format("its table lacks the required call '{}'", call.name));
}

const sits_backend *load(const std::string &path) {
  if (std::string why = refusal(path); !why.empty()) throw LoadError(why);
  void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw LoadError(fmt::format("cannot be loaded: {}", loader_message()));
  void *symbol = ::dlsym(library, SITS_BACKEND_ENTRY);
  if (symbol == nullptr) throw LoadError("is not a backend plugin: it does not export " SITS_BACKEND_ENTRY);
  const auto entry = reinterpret_cast<sits_backend_entry_fn>(symbol);

  sits_error error{};
  error.struct_size = sizeof error;
  const sits_backend *table = entry(SITS_ABI_MAJOR, SITS_ABI_MINOR, &error);
  if (table == nullptr) {
    error.message[sizeof error.message - 1] = '\0';
    const std::string why = text_of(error.message);
    throw LoadError(fmt::format("refuses version {}.{} of the backend interface{}{}", SITS_ABI_MAJOR, SITS_ABI_MINOR,
                                why.empty() ? "" : ": ", why));
  }
  check_table(*table);
  return table;
}

}  // namespace sits::plugin
