// SPDX-License-Identifier: Apache-2.0
#include "microbench/json_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "microbench/suite.h"
#include "microbench/words.h"

namespace sits::microbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kDeepest = 32;
constexpr std::size_t kLargestText = std::size_t{16} << 20;

struct Position {
  std::size_t line, column;
};

Position position_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return {static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1, before.size() - line_start + 1};
}

/// The library's message without its own prefix "[json.exception.…] parse error at line …, column …: ".
std::string plain_message(std::string_view what) {
  const std::size_t bracket = what.find("] ");
  if (bracket != std::string_view::npos) what.remove_prefix(bracket + 2);
  const std::size_t column = what.find("column ");
  const std::size_t colon = column == std::string_view::npos ? column : what.find(": ", column);
  if (colon != std::string_view::npos) what.remove_prefix(colon + 2);
  return printable(what);
}

/// Builds nothing: sees that the text is well formed, not too deep, and gives no key twice.
class Checker : public nlohmann::json_sax<Json> {
 public:
  Checker(std::string_view text, const Place &root) : text_(text) { places_.push_back(root); }

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t &) override { return value(); }
  bool string(string_t &) override { return value(); }
  bool binary(binary_t &) override { return value(); }
  bool start_object(std::size_t) override { return open({.is_object = true}); }
  bool start_array(std::size_t) override { return open({.is_object = false}); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t &name) override {
    Level &level = levels_.back();
    if (!level.keys.insert(name).second) (places_.back() / name).fail("key is given twice: leave one of them out");
    level.key = name;
    return true;
  }
  bool parse_error(std::size_t position, const std::string &, const nlohmann::detail::exception &error) override {
    const Position at = position_of(text_, position == 0 ? 0 : position - 1);
    throw SuiteError(places_.front().text() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " +
                     plain_message(error.what()));
  }

 private:
  struct Level {
    bool is_object = false;
    std::set<std::string> keys = {};
    std::string key = {};
    std::size_t index = 0;
  };

  bool value() {
    if (!levels_.empty()) ++levels_.back().index;
    return true;
  }
  bool open(Level level) {
    if (levels_.size() == kDeepest)
      places_.back().fail("nested deeper than " + std::to_string(kDeepest) + " levels: a suite needs five");
    if (!levels_.empty()) {
      const Level &parent = levels_.back();
      places_.push_back(parent.is_object ? places_.back() / parent.key : places_.back() / parent.index);
    } else {
      places_.push_back(places_.back());
    }
    levels_.push_back(std::move(level));
    return true;
  }
  bool close() {
    levels_.pop_back();
    places_.pop_back();
    return value();
  }

  std::string_view text_;
  std::vector<Level> levels_;
  std::vector<Place> places_;
};

}  // namespace

Place::Place(std::string_view file) : file_(printable(file)) {}

Place Place::operator/(std::string_view key) const {
  Place place = *this;
  place.pointer_ += '/';
  for (const char c : key) place.pointer_ += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return place;
}

Place Place::operator/(std::size_t index) const { return *this / std::to_string(index); }

std::string Place::text() const { return pointer_.empty() ? file_ : file_ + ": " + printable(pointer_); }

void Place::fail(std::string_view message) const { throw SuiteError(text() + ": " + std::string(message)); }

nlohmann::ordered_json parse_json_text(std::string_view text, const std::string &name) {
  const Place root(name);
  if (text.size() > kLargestText) root.fail("larger than 16 MiB: a suite is a small file");
  Checker checker(text, root);
  Json::sax_parse(text, &checker);
  return Json::parse(text);
}

}  // namespace sits::microbench
