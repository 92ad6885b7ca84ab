// SPDX-License-Identifier: Apache-2.0
//
// What a person reads when the command line does not parse: what was wrong, and what may have been meant.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace sits::cli {

/// One message for a command line that `app` refused, with the nearest known command or option.
std::string explain_parse_error(const CLI::App &app, const CLI::ParseError &error, int argc, const char *const *argv);

}  // namespace sits::cli
