// SPDX-License-Identifier: Apache-2.0
#include "harness/report/report_files.h"

#include <utility>

#include "harness/report/atomic_file.h"
#include "harness/report/report_json.h"
#include "harness/report/samples_file.h"
#include "harness/report/text.h"
#include "microbench/suite.h"

namespace sits::report {
namespace {

namespace fs = std::filesystem;

/// The file the report names, in the report's own folder: a report cannot point elsewhere.
std::string load_samples(Report &report, const fs::path &folder) {
  const SamplesFile &named = *report.samples;
  if (fs::path(named.file).filename() != named.file || named.file.empty()) {
    return "\"" + one_line(named.file) + "\" is not the name of a file beside the report";
  }
  try {
    const std::string bytes = read_file(folder / named.file);
    if (microbench::sha256(bytes) != named.sha256) {
      return named.file + " is not the file that belongs to this report (its SHA-256 differs)";
    }
    Report filled = report;
    attach_samples(filled, decode_samples(bytes));
    report = std::move(filled);
  } catch (const std::exception &error) {
    return error.what();
  }
  return {};
}

}  // namespace

fs::path samples_path(const fs::path &report_path) {
  fs::path out = report_path;
  return out.replace_extension(".samples");
}

void save_report(Report &report, const fs::path &path) {
  report.samples.reset();
  if (const auto series = samples_of(report); !series.empty()) {
    const fs::path file = samples_path(path);
    const std::string bytes = encode_samples(series);
    write_file_atomically(file, bytes);
    report.samples = SamplesFile{file.filename().string(), microbench::sha256(bytes)};
  }
  write_file_atomically(path, write_report(report));
}

LoadedReport load_report(const fs::path &path) {
  LoadedReport loaded;
  try {
    loaded.report = read_report(read_file(path));
  } catch (const JsonError &error) {
    throw JsonError(path.string() + ":" + (error.what()[0] == '/' ? " " : "") + error.what());
  }
  if (loaded.report.samples) loaded.samples_problem = load_samples(loaded.report, path.parent_path());
  return loaded;
}

}  // namespace sits::report
