// SPDX-License-Identifier: Apache-2.0
#include "harness/plugin/discovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "harness/plugin/elf_check.h"

namespace fs = std::filesystem;

namespace sits::plugin {
namespace {

constexpr std::string_view kPrefix = "libsits_backend_";
constexpr std::string_view kSuffix = ".so";

bool has_plugin_name(const std::string &name) {
  return name.size() > kPrefix.size() + kSuffix.size() && name.starts_with(kPrefix) && name.ends_with(kSuffix);
}

class Discovery {
 public:
  void add_file(const std::string &path, Source source) {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    Candidate candidate{error ? path : real.string(), source, false, refusal(path)};
    if (candidate.reason.empty()) {
      const auto [first, inserted] = seen_.try_emplace(candidate.path, path);
      if (!inserted) candidate.reason = fmt::format("same file as {}, listed before", first->second);
    }
    candidate.used = candidate.reason.empty();
    found_.push_back(std::move(candidate));
  }

  void add_folder(const std::string &folder, Source source) {
    std::error_code error;
    std::vector<std::string> names;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
      if (std::string name = entry->path().filename().string(); has_plugin_name(name)) names.push_back(std::move(name));
    if (error) found_.push_back({folder, source, false, fmt::format("cannot be read: {}", error.message())});
    std::sort(names.begin(), names.end());
    for (const std::string &name : names) add_file((fs::path(folder) / name).string(), source);
  }

  void add_file_or_folder(const std::string &path, Source source) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      add_folder(path, source);
    } else {
      add_file(path, source);
    }
  }

  std::vector<Candidate> take() { return std::move(found_); }

 private:
  std::vector<Candidate> found_;
  std::map<std::string, std::string> seen_;  // real path -> path it was first listed as
};

}  // namespace

std::string_view source_name(Source source) {
  switch (source) {
    case Source::command_line: return "--plugin";
    case Source::environment: return "SITS_PLUGIN_PATH";
    case Source::install_folder: return "install folder";
  }
  return "";
}

std::vector<Candidate> discover(const DiscoveryRequest &request) {
  Discovery discovery;
  for (const std::string &file : request.files) discovery.add_file(file, Source::command_line);
  if (request.search_path) {
    std::string_view rest = *request.search_path;
    while (!rest.empty()) {
      const std::size_t colon = std::min(rest.find(':'), rest.size());
      if (colon > 0) discovery.add_file_or_folder(std::string(rest.substr(0, colon)), Source::environment);
      rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
  }
  std::error_code error;
  const fs::path executable = fs::canonical(request.executable, error);
  if (!error) {
    const fs::path folder = executable.parent_path().parent_path() / "lib" / "sits";
    if (fs::is_directory(folder, error)) discovery.add_folder(folder.string(), Source::install_folder);
  }
  return discovery.take();
}

std::optional<std::string> plugin_path_from_environment() {
  const char *value = ::secure_getenv("SITS_PLUGIN_PATH");
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

}  // namespace sits::plugin
