// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/system_file.h"

#include <algorithm>
#include <charconv>
#include <fstream>

namespace sits::worker {
namespace {

constexpr std::size_t kMaxFile = 1u << 20;
constexpr std::uint32_t kMaxCpu = 65536;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace

std::string file_text(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::string text(kMaxFile, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

std::string first_line(const std::string &path) {
  const std::string text = file_text(path);
  return std::string(trimmed(std::string_view(text).substr(0, text.find('\n'))));
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

std::vector<std::uint32_t> parse_cpu_list(std::string_view text) {
  std::vector<std::uint32_t> out;
  const char *at = text.data();
  const char *const end = at + text.size();
  while (at != end) {
    std::uint32_t first = 0;
    auto parsed = std::from_chars(at, end, first);
    if (parsed.ec != std::errc{} || first > kMaxCpu) break;
    std::uint32_t last = first;
    if (parsed.ptr != end && *parsed.ptr == '-') {
      parsed = std::from_chars(parsed.ptr + 1, end, last);
      if (parsed.ec != std::errc{} || last > kMaxCpu) break;
    }
    for (std::uint32_t cpu = first; cpu <= last; ++cpu) out.push_back(cpu);
    if (parsed.ptr == end || *parsed.ptr != ',') break;
    at = parsed.ptr + 1;
  }
  return out;
}

std::string value_of(std::string_view text, std::string_view key, char separator) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t middle = line.find(separator);
    if (middle != std::string_view::npos && trimmed(line.substr(0, middle)) == key)
      return std::string(trimmed(line.substr(middle + 1)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

}  // namespace sits::worker
