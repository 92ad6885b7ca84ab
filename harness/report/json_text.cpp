// SPDX-License-Identifier: Apache-2.0
#include "harness/report/json_text.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "harness/report/quantity.h"
#include "harness/report/text.h"

namespace sits::report {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// Watches a parse for what the parser itself allows: depth and repeated keys.
class Guard {
 public:
  explicit Guard(std::size_t max_depth) : max_depth_(max_depth) {}

  bool operator()(json::parse_event_t event, const json &parsed) {
    switch (event) {
      case json::parse_event_t::object_start: open(false); break;
      case json::parse_event_t::array_start: open(true); break;
      case json::parse_event_t::key: take_key(parsed.get_ref<const std::string &>()); break;
      case json::parse_event_t::object_end:
      case json::parse_event_t::array_end: open_.pop_back(); [[fallthrough]];
      case json::parse_event_t::value:
        if (!open_.empty()) ++open_.back().index;
        break;
    }
    return true;
  }

 private:
  struct Level {
    bool array = false;
    std::size_t index = 0;
    std::string key;
    std::set<std::string> keys;
  };

  std::string pointer(std::size_t levels) const {
    std::string out;
    for (std::size_t i = 0; i < levels; ++i) {
      out = pointer_to(out, open_[i].array ? std::to_string(open_[i].index) : open_[i].key);
    }
    return out;
  }

  void open(bool array) {
    if (open_.size() >= max_depth_) {
      throw JsonError(shorten(pointer(open_.size()), 200) + ": nested deeper than " + std::to_string(max_depth_) +
                      " levels");
    }
    open_.push_back({array, 0, {}, {}});
  }

  void take_key(const std::string &key) {
    Level &level = open_.back();
    level.key = key;
    if (!level.keys.insert(key).second) {
      throw JsonError(shorten(one_line(pointer(open_.size())), 200) + ": the key stands twice in one object");
    }
  }

  std::size_t max_depth_;
  std::vector<Level> open_;
};

/// The parser's message without its own prefix and position, which ours replaces.
std::string reason_of(const json::exception &error) {
  std::string text = error.what();
  for (const std::string_view mark : {": syntax error ", "] "}) {
    if (const auto at = text.find(mark); at != std::string::npos) {
      text = text.substr(at + (mark == "] " ? mark.size() : 2));
      break;
    }
  }
  return shorten(one_line(text), 300);
}

std::string place(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const auto start = before.rfind('\n');
  const std::size_t column = before.size() - (start == std::string_view::npos ? 0 : start + 1) + 1;
  return std::to_string(line) + ":" + std::to_string(column);
}

class Writer {
 public:
  explicit Writer(bool compact) : compact_(compact) {}

  void value(const ordered_json &v, const std::string &pointer) {
    switch (v.type()) {
      case ordered_json::value_t::object: object(v, pointer); break;
      case ordered_json::value_t::array: array(v, pointer); break;
      case ordered_json::value_t::string: string(v.get_ref<const std::string &>()); break;
      case ordered_json::value_t::number_float: number(v.get<double>(), pointer); break;
      case ordered_json::value_t::number_integer: out += std::to_string(v.get<std::int64_t>()); break;
      case ordered_json::value_t::number_unsigned: out += std::to_string(v.get<std::uint64_t>()); break;
      case ordered_json::value_t::boolean: out += v.get<bool>() ? "true" : "false"; break;
      default: out += "null";
    }
  }

  std::string out;

 private:
  void line(std::size_t depth) {
    if (compact_) return;
    out += '\n';
    out.append(2 * depth, ' ');
  }

  void object(const ordered_json &v, const std::string &pointer) {
    out += '{';
    ++depth_;
    const char *separator = "";
    for (const auto &item : v.items()) {
      out += separator;
      line(depth_);
      string(item.key());
      out += compact_ ? ":" : ": ";
      value(item.value(), pointer_to(pointer, item.key()));
      separator = ",";
    }
    --depth_;
    if (!v.empty()) line(depth_);
    out += '}';
  }

  void array(const ordered_json &v, const std::string &pointer) {
    // Lists of plain values stay on one line: a report is read by people too.
    const bool flat = std::none_of(v.begin(), v.end(), [](const ordered_json &e) { return e.is_structured(); });
    out += '[';
    ++depth_;
    std::size_t index = 0;
    for (const auto &element : v) {
      if (index > 0) out += flat && !compact_ ? ", " : ",";
      if (!flat) line(depth_);
      value(element, pointer_to(pointer, std::to_string(index++)));
    }
    --depth_;
    if (!flat) line(depth_);
    out += ']';
  }

  void number(double d, const std::string &pointer) {
    if (!std::isfinite(d)) {
      throw JsonError((pointer.empty() ? "/" : one_line(pointer)) + ": " +
                      (std::isnan(d) ? "NaN" : "an infinite number") + " cannot be written as JSON");
    }
    out += exact_number(d);
  }

  void string(const std::string &text) {
    static constexpr std::string_view kHex = "0123456789abcdef";
    out += '"';
    for (const char c : clean_utf8(text)) {
      switch (c) {
        case '"': out += "\\\""; break;
        case '\\': out += "\\\\"; break;
        case '\n': out += "\\n"; break;
        case '\r': out += "\\r"; break;
        case '\t': out += "\\t"; break;
        default:
          if (const auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte == 0x7F) {
            out += "\\u00";
            out += kHex[byte >> 4U];
            out += kHex[byte & 0xFU];
          } else {
            out += c;
          }
      }
    }
    out += '"';
  }

  bool compact_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string pointer_to(const std::string &pointer, std::string_view token) {
  std::string out = pointer + "/";
  for (const char c : token) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

json parse_json(std::string_view text, const JsonLimits &limits) {
  if (text.size() > limits.max_bytes) {
    throw JsonError(std::to_string(text.size()) + " bytes are more than the limit of " +
                    std::to_string(limits.max_bytes));
  }
  Guard guard(limits.max_depth);
  try {
    return json::parse(text, [&](int, json::parse_event_t event, json &parsed) { return guard(event, parsed); });
  } catch (const json::parse_error &error) {
    throw JsonError(place(text, error.byte) + ": " + reason_of(error));
  } catch (const json::exception &error) {
    throw JsonError(reason_of(error));
  }
}

std::string json_text(const ordered_json &document, bool compact) {
  Writer writer(compact);
  writer.value(document, "");
  if (!compact) writer.out += '\n';
  return std::move(writer.out);
}

}  // namespace sits::report
