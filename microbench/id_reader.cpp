// SPDX-License-Identifier: Apache-2.0
#include "microbench/id_reader.h"

#include <algorithm>

#include "microbench/case.h"
#include "microbench/checked.h"
#include "microbench/words.h"

namespace sits::microbench {
namespace {

constexpr std::size_t kLongestId = 4096;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t from = 0;
  for (std::size_t to = text.find(separator); to != std::string_view::npos; to = text.find(separator, from)) {
    parts.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  parts.push_back(text.substr(from));
  return parts;
}

IdReader::IdReader(std::string_view id) {
  if (id.size() > kLongestId)
    throw CaseError("id of " + std::to_string(id.size()) + " bytes: at most " + std::to_string(kLongestId));
  parts_ = split(id, '/');
  if (std::ranges::any_of(parts_, [](std::string_view part) { return part.empty(); }))
    throw CaseError("id " + shown(id) + " has an empty part: write op/variant/types/shape/options/mode");
}

std::string_view IdReader::next(std::string_view what) {
  if (left() == 0) throw CaseError("id ends before its " + std::string(what));
  return parts_[at_++];
}

bool IdReader::option(std::string_view word) {
  if (left() == 0 || parts_[at_] != word) return false;
  ++at_;
  return true;
}

std::optional<std::string_view> IdReader::prefixed(std::string_view prefix) {
  if (left() == 0 || !parts_[at_].starts_with(prefix) || parts_[at_].size() == prefix.size()) return std::nullopt;
  return parts_[at_++].substr(prefix.size());
}

std::optional<std::int64_t> IdReader::numbered(std::string_view prefix) {
  if (left() == 0 || !parts_[at_].starts_with(prefix)) return std::nullopt;
  const std::string_view rest = parts_[at_].substr(prefix.size());
  if (rest.empty() || !is_digit(rest.front())) return std::nullopt;
  ++at_;
  return parse_whole(rest, "number after '" + std::string(prefix) + "'");
}

std::vector<std::int64_t> parse_shape(std::string_view text, std::initializer_list<std::string_view> names) {
  std::vector<std::int64_t> extents;
  std::string_view rest = text;
  std::string expected;
  for (const std::string_view name : names) expected += std::string(name) + "#";
  for (const std::string_view name : names) {
    const std::size_t begin = name.size();
    std::size_t end = begin;
    while (end < rest.size() && is_digit(rest[end])) ++end;
    if (!rest.starts_with(name) || end == begin)
      throw CaseError("shape " + shown(text) + " does not parse: write " + expected + " with whole numbers for #");
    extents.push_back(parse_whole(rest.substr(begin, end - begin), name));
    rest.remove_prefix(end);
  }
  if (!rest.empty()) throw CaseError("shape " + shown(text) + " goes on after its end: write " + expected);
  return extents;
}

}  // namespace sits::microbench
