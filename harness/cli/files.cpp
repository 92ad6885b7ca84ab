// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/files.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "harness/cli/command.h"
#include "harness/report/atomic_file.h"

namespace sits::cli {
namespace fs = std::filesystem;

namespace {

Installation find_installation() {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  if (error) throw std::runtime_error("cannot find the program's own path: /proc/self/exe: " + error.message());
  const fs::path sits = executable.parent_path() / "sits";  // serves as worker for sits-gbench too
  const fs::path share = executable.parent_path().parent_path() / "share" / "sits";
  return {(fs::exists(sits) ? sits : executable).string(), (share / "suites").string(), (share / "baselines").string()};
}

std::vector<std::string> json_stems(const std::string &folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

std::string joined(const std::vector<std::string> &names) {
  std::string text;
  for (const auto &name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// The file that `name_or_file` means: one that comes with the program, or a path. Empty when neither exists.
fs::path resolve(const std::string &name_or_file, const std::string &folder) {
  const bool is_name = name_or_file.find('/') == std::string::npos && !name_or_file.ends_with(".json");
  if (is_name) {
    const fs::path own = fs::path(folder) / (name_or_file + ".json");
    if (fs::exists(own)) return own;
  }
  return fs::exists(name_or_file) && !fs::is_directory(name_or_file) ? fs::path(name_or_file) : fs::path();
}

std::string not_found(const std::string &what, const std::string &name, const std::vector<std::string> &known) {
  std::string text = "no " + what + " '" + name + "'";
  std::string near = microbench::nearest(name, known);
  for (const std::string &candidate : known)
    if (near.empty() && !name.empty() && candidate.starts_with(name)) near = candidate;
  text += near.empty() ? "." : "; did you mean '" + near + "'?";
  return text + " It must be the name of one of ours (" + joined(known) + ") or a file.";
}

}  // namespace

const Installation &installation() {
  static const Installation found = find_installation();
  return found;
}

std::string read_file(const std::string &path) {
  if (path == "-") return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
  if (fs::is_directory(path)) throw UsageError("cannot read '" + path + "': it is a folder, give a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UsageError("cannot read '" + path + "': " + std::strerror(errno));
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_output(const std::string &path, const std::string &text) {
  if (path != "-") return report::write_file_atomically(path, text);
  std::cout.write(text.data(), static_cast<std::streamsize>(text.size())).flush();
  if (!std::cout) throw std::runtime_error(std::string("cannot write to standard output: ") + std::strerror(errno));
}

void check_output(const std::string &path, bool force) {
  if (path == "-") return;
  if (path.empty()) throw UsageError("the output file's name is empty; give -o FILE, or -o - for standard output");
  const fs::path target(path);
  if (fs::is_directory(target)) throw UsageError("output '" + path + "' is a folder; name a file in it");
  const fs::path folder = target.parent_path().empty() ? fs::path(".") : target.parent_path();
  if (!fs::is_directory(folder))
    throw UsageError("the folder of output '" + path + "' does not exist; make it first: mkdir -p '" + folder.string() +
                     "'");
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    throw UsageError("the folder of output '" + path + "' cannot be written to: " + std::strerror(errno));
  if (fs::exists(target) && !force)
    throw UsageError("output '" + path + "' exists; give another name with -o, or --force to replace it");
}

std::vector<std::string> suite_names() { return json_stems(installation().suites); }

microbench::Suite load_suite(const std::string &name_or_file) {
  const fs::path file = resolve(name_or_file, installation().suites);
  if (file.empty()) throw UsageError(not_found("suite", name_or_file, suite_names()));
  try {
    return microbench::parse_suite(read_file(file.string()), name_or_file);
  } catch (const microbench::SuiteError &error) {
    throw UsageError(error.what());
  }
}

std::vector<std::string> baseline_names() { return json_stems(installation().baselines); }

std::string baseline_text(const std::string &name_or_file) {
  const fs::path file = resolve(name_or_file, installation().baselines);
  if (file.empty()) throw InputError(not_found("baseline", name_or_file, baseline_names()));
  try {
    return read_file(file.string());
  } catch (const UsageError &error) {
    throw InputError(error.what());
  }
}

}  // namespace sits::cli
