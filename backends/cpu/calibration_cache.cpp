// SPDX-License-Identifier: Apache-2.0
#include <sys/utsname.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "backends/cpu/calibrate.h"

namespace sits::cpu {
namespace {

constexpr std::string_view kHeader = "sits-cpu-calibration 1";

std::optional<std::uint64_t> field(std::string_view text, std::string_view key) { return stat_value(text, key); }

}  // namespace

std::string host_fingerprint(const HostFacts &host, std::string_view node_name) {
  std::string facts = host.model_name;
  facts.append("|").append(node_name);
  facts.append("|").append(cpu_list_text(host.usable));
  facts.append("|").append(std::to_string(host.llc_reported));
  facts.append("|").append(std::to_string(host.llc_instances));
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const char c : facts) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

// Whole numbers only: a decimal point would depend on the process' locale.
std::string calibration_text(const Calibration &calibration) {
  return std::string(kHeader) + "\nclock_hz " + std::to_string(std::llround(calibration.clock_hz)) + "\nllc_bytes " +
         std::to_string(calibration.llc_bytes) + "\n";
}

std::optional<Calibration> parse_calibration(std::string_view text) {
  if (text.substr(0, kHeader.size()) != kHeader) return std::nullopt;
  const auto clock = field(text, "clock_hz"), llc = field(text, "llc_bytes");
  constexpr std::uint64_t kFastestHz = 20'000'000'000;
  if (!clock || !llc || *clock == 0 || *clock > kFastestHz) return std::nullopt;
  return Calibration{static_cast<double>(*clock), *llc, true};
}

std::string calibration_path(const HostFacts &host) {
  const char *cache = secure_getenv("XDG_CACHE_HOME");
  const char *home = secure_getenv("HOME");
  std::string folder;
  if (cache != nullptr && cache[0] == '/')
    folder = cache;
  else if (home != nullptr && home[0] == '/')
    folder = std::string(home) + "/.cache";
  else
    return {};
  utsname name{};
  uname(&name);
  return folder + "/sits/cpu-" + host_fingerprint(host, name.nodename) + ".txt";
}

std::optional<Calibration> load_calibration(const std::string &path) {
  if (path.empty()) return std::nullopt;
  const auto text = read_file(path);
  return text ? parse_calibration(*text) : std::nullopt;
}

void store_calibration(const std::string &path, const Calibration &calibration) {
  if (path.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  if (error) return;
  const std::string temporary = path + "." + std::to_string(getpid());
  {
    std::ofstream out(temporary, std::ios::binary);
    out << calibration_text(calibration);
    if (!out.flush()) {
      out.close();
      std::filesystem::remove(temporary, error);
      return;
    }
  }
  std::filesystem::rename(temporary, path, error);
  if (error) std::filesystem::remove(temporary, error);
}

}  // namespace sits::cpu
