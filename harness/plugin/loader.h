// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include "sits/backend.h"

namespace sits::plugin {

/// A file that cannot serve as a plugin: what is wrong with it, and what it would need.
struct LoadError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Loads the file for the rest of the process's life (never unloaded: vendor libraries do not survive that) and
/// returns its checked table. Throws LoadError: not loadable, no entry symbol, other major version, a required call
/// missing. Runs the code of the file: only in a worker.
const sits_backend *load(const std::string &path);

/// The check of `load` alone: throws LoadError unless the table speaks this host's major version and has every required
/// call inside its struct_size.
void check_table(const sits_backend &table);

}  // namespace sits::plugin
