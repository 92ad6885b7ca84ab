// SPDX-License-Identifier: Apache-2.0
//
// Which files are tried as backend plugins, and why or why not. Nothing is loaded here.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sits::plugin {

enum class Source { command_line, environment, install_folder };
/// "--plugin", "SITS_PLUGIN_PATH", "install folder".
std::string_view source_name(Source source);

struct Candidate {
  std::string path;  // as found; absolute when it exists
  Source source = Source::install_folder;
  bool used = false;
  std::string reason;  // why not; "" when used
};

struct DiscoveryRequest {
  std::vector<std::string> files;          // --plugin, in the order given
  std::optional<std::string> search_path;  // colon list of files or folders
  std::string executable;                  // plugins are installed in <its folder>/../lib/sits
};

/// Candidates in order of precedence: command line, then search path, then install folder; inside a folder the files
/// named libsits_backend_*.so, sorted bytewise. A file reached twice (real path) is used once. Never throws for what it
/// finds: a folder that cannot be read or an entry that does not exist is a candidate with a reason.
std::vector<Candidate> discover(const DiscoveryRequest &request);

/// SITS_PLUGIN_PATH, ignored when the process runs with more privileges than its user.
std::optional<std::string> plugin_path_from_environment();

}  // namespace sits::plugin
