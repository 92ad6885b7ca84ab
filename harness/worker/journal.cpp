// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "harness/worker/protocol.h"
#include "microbench/suite.h"

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

namespace sits::worker {
namespace {

constexpr std::string_view kSchema = "sits.journal";
constexpr int kVersion = 1;

std::string line_of(const ordered_json &object) {
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

/// One write and onto the disk: a kill leaves the line whole, absent, or torn at the end of the file.
void write_line(int fd, const std::string &path, const std::string &line) {
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(fd, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw JournalError(fmt::format("cannot write the journal {}: {}", path, std::strerror(errno)));
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fdatasync(fd) != 0 && errno != EINVAL && errno != EROFS)  // a pipe or the like has nothing to sync
    throw JournalError(fmt::format("cannot write the journal {}: {}", path, std::strerror(errno)));
}

JournalHeader parse_header(const std::string &line, const std::string &path) {
  try {
    const json object = json::parse(line);
    if (object.at("schema") != kSchema) throw JournalError(fmt::format("{} is not a journal of this program", path));
    if (object.at("schema_version") != kVersion)
      throw JournalError(fmt::format("the journal {} has version {}, this program reads {}", path,
                                     object.at("schema_version").dump(), kVersion));
    return {object.at("run_id"), object.at("started_at"), object.at("plan_hash"), object.at("options")};
  } catch (const json::exception &) {
    throw JournalError(fmt::format("{} is not a journal of this program", path));
  }
}

std::string read_all(int fd, const std::string &path) {
  std::string text;
  std::array<char, 65536> chunk;
  for (;;) {
    const ssize_t got = ::read(fd, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw JournalError(fmt::format("cannot read the journal {}: {}", path, std::strerror(errno)));
    if (got == 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

std::string plan_hash(const RunPlan &plan) {
  std::string text = fmt::format("seed {}\nprovider {}\n", plan.seed, plan.provider.value_or("*"));
  for (const PlanItem &item : plan.items) {
    const PlannedDevice &device = plan.devices[item.device];
    const PlannedCase &test = plan.cases[item.test_case];
    const Policy &p = test.policy;
    text += fmt::format("{} {} {} {} {} {} run {} policy {} {} {} {} {} {} {} {} {} {} {}\n", device.id,
                        device.plugin_path, device.info.version, device.device.name, device.device.uuid, test.id,
                        item.run_index, p.min_samples, p.max_samples, p.ci_relative, p.budget_ns, p.warmup_min,
                        p.warmup_max, p.warmup_agreement, p.soak_ns, p.exact_iterations, p.min_gate_ns, p.max_rejected);
    for (const auto &[key, value] : device.options) text += fmt::format("{}={}\n", key, value);
  }
  return microbench::sha256(text);
}

std::string journal_path(const std::string &report_path, const std::string &plan_hash) {
  if (report_path != "-") return report_path + ".journal";
  const char *state = std::getenv("XDG_STATE_HOME");
  const char *home = std::getenv("HOME");
  fs::path folder;
  if (state != nullptr && *state == '/') {
    folder = state;
  } else if (home != nullptr && *home == '/') {
    folder = fs::path(home) / ".local" / "state";
  } else {
    folder = fs::temp_directory_path() / fmt::format("sits-{}", ::getuid());
  }
  folder /= "sits";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw JournalError(fmt::format("cannot create {} for the journal: {}", folder.string(), error.message()));
  return (folder / fmt::format("sits-{}.journal", plan_hash.substr(0, 12))).string();
}

Journal Journal::create(const std::string &path, const JournalHeader &header, bool overwrite) {
  const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (overwrite ? O_TRUNC : O_EXCL);
  const int fd = ::open(path.c_str(), flags, 0666);
  if (fd < 0 && errno == EEXIST)
    throw JournalError(
        fmt::format("{} is left from a run that was cut short: --resume continues it, --force throws it away", path));
  if (fd < 0) throw JournalError(fmt::format("cannot create the journal {}: {}", path, std::strerror(errno)));
  Journal journal(fd, path, header);
  ordered_json object;
  object["schema"] = kSchema;
  object["schema_version"] = kVersion;
  object["run_id"] = header.run_id;
  object["started_at"] = header.started_at;
  object["plan_hash"] = header.plan_hash;
  object["options"] = header.options;
  write_line(fd, path, line_of(object));
  return journal;
}

Journal Journal::resume(const std::string &path, const std::string &plan_hash) {
  const int fd = ::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC);
  if (fd < 0) throw JournalError(fmt::format("there is no journal {} to resume: {}", path, std::strerror(errno)));
  Journal journal(fd, path, {});
  LineBuffer lines;
  const std::string text = read_all(fd, path);
  lines.feed(text);
  const std::optional<std::string> first = lines.next();
  if (!first) throw JournalError(fmt::format("{} is not a journal of this program", path));
  journal.header_ = parse_header(*first, path);
  if (journal.header_.plan_hash != plan_hash)
    throw JournalError(
        fmt::format("{} belongs to another plan (suite, filter, devices, runs, seed or options differ): "
                    "repeat the command it was started with, or start anew with --force",
                    path));
  for (std::size_t number = 2; const std::optional<std::string> line = lines.next(); ++number) {
    try {
      journal.finished_.push_back(finished_from_json(json::parse(*line)));
    } catch (const std::exception &error) {
      throw JournalError(fmt::format("line {} of the journal {} is damaged: {}", number, path, error.what()));
    }
  }
  const auto whole = static_cast<off_t>(text.size() - lines.rest().size());
  if (::ftruncate(fd, whole) != 0)
    throw JournalError(fmt::format("cannot continue the journal {}: {}", path, std::strerror(errno)));
  return journal;
}

Journal::Journal(Journal &&other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      path_(std::move(other.path_)),
      header_(std::move(other.header_)),
      finished_(std::move(other.finished_)) {}

Journal &Journal::operator=(Journal &&other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  std::swap(header_, other.header_);
  std::swap(finished_, other.finished_);
  return *this;
}

Journal::~Journal() {
  if (fd_ >= 0) ::close(fd_);
}

void Journal::append(const FinishedCase &row) {
  if (row.row.status == Status::interrupted) return;
  const off_t before = ::lseek(fd_, 0, SEEK_END);
  try {
    write_line(fd_, path_, line_of(finished_to_json(row)));
  } catch (const JournalError &) {
    if (before >= 0 && ::ftruncate(fd_, before) != 0) throw JournalError(fmt::format("the journal {} is torn", path_));
    throw;
  }
}

void Journal::remove() { ::unlink(path_.c_str()); }

std::vector<PlanItem> remaining_items(const RunPlan &plan, const std::vector<FinishedCase> &finished) {
  std::set<std::tuple<std::string, std::string, std::uint32_t>> done;
  for (const FinishedCase &f : finished) done.emplace(f.row.device, f.row.id, f.row.run_index);
  std::vector<PlanItem> out;
  for (const PlanItem &item : plan.items)
    if (!done.contains({plan.devices[item.device].id, plan.cases[item.test_case].id, item.run_index}))
      out.push_back(item);
  return out;
}

}  // namespace sits::worker
