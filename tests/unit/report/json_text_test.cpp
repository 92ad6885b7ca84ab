// SPDX-License-Identifier: Apache-2.0
#include "harness/report/json_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace sits::report {
namespace {

using nlohmann::ordered_json;

std::string error_of(std::string_view text, const JsonLimits &limits = {}) {
  try {
    parse_json(text, limits);
  } catch (const JsonError &error) {
    return error.what();
  }
  return "accepted";
}

TEST(JsonText, names_line_and_column_of_a_syntax_error) {
  EXPECT_EQ(error_of("{\n  \"a\": 1,\n  \"b\" 2\n}").substr(0, 4), "3:7:");
  EXPECT_EQ(error_of("").substr(0, 4), "1:1:");
  EXPECT_NE(error_of("{\"a\": 1} x"), "accepted") << "trailing text";
  EXPECT_NE(error_of("{\"a\": 1,}"), "accepted") << "trailing comma";
}

TEST(JsonText, refuses_tokens_that_are_not_json) {
  for (const char *text : {"NaN", "[Infinity]", "[-inf]", "{\"a\": nan}", "[01]", "['a']", "[1e999]", "// a\n1"}) {
    EXPECT_NE(error_of(text), "accepted") << text;
  }
}

TEST(JsonText, refuses_ill_formed_utf8) { EXPECT_NE(error_of("[\"\xC3(\"]"), "accepted"); }

TEST(JsonText, refuses_a_repeated_key_by_pointer) {
  EXPECT_EQ(error_of(R"({"a": [0, {"x/y": 1, "x/y": 2}]})"), "/a/1/x~1y: the key stands twice in one object");
  EXPECT_EQ(error_of(R"([{"a": 1}, {"a": 1}])"), "accepted") << "the same key in two objects";
}

TEST(JsonText, bounds_depth_and_size) {
  const std::string at_limit = std::string(64, '[') + std::string(64, ']');
  EXPECT_EQ(error_of(at_limit), "accepted");
  EXPECT_NE(error_of("[" + at_limit + "]").find("nested deeper than 64"), std::string::npos);
  EXPECT_NE(error_of(std::string(1000000, '[')).find("nested deeper than 64"), std::string::npos);
  EXPECT_NE(error_of("[1, 2, 3]", {8, 64}).find("9 bytes are more than the limit of 8"), std::string::npos);
}

TEST(JsonText, names_the_pointer_of_a_number_that_json_lacks) {
  const auto error = [](double value) -> std::string {
    try {
      json_text({{"run", {{"a/b", {1.0, value}}}}});
    } catch (const JsonError &e) {
      return e.what();
    }
    return "written";
  };
  EXPECT_EQ(error(std::numeric_limits<double>::quiet_NaN()), "/run/a~1b/1: NaN cannot be written as JSON");
  EXPECT_EQ(error(-std::numeric_limits<double>::infinity()),
            "/run/a~1b/1: an infinite number cannot be written as JSON");
  EXPECT_EQ(error(5e-324), "written");
}

TEST(JsonText, escapes_every_control_character_and_reads_it_back) {
  std::string all;
  for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
  const std::string text = json_text(ordered_json{{"all", all}});
  for (const char c : text.substr(0, text.size() - 1)) EXPECT_TRUE(c == '\n' || (c >= 0x20 && c != 0x7F));
  EXPECT_EQ(parse_json(text).at("all").get<std::string>(), all);
}

TEST(JsonText, writes_ill_formed_utf8_as_replacement_characters) {
  EXPECT_EQ(json_text(ordered_json("a\xFF"), true), "\"a\uFFFD\"");
  EXPECT_EQ(json_text(ordered_json{{"k\xFF", 1}}, true), "{\"k\uFFFD\":1}");
}

TEST(JsonText, lays_documents_out_the_same_every_time) {
  const ordered_json document = {{"b", 1},
                                 {"a", {1, 2.5, "x"}},
                                 {"c", {{"d", nullptr}}},
                                 {"e", ordered_json::object()},
                                 {"f", ordered_json::array()}};
  EXPECT_EQ(
      json_text(document),
      "{\n  \"b\": 1,\n  \"a\": [1, 2.5, \"x\"],\n  \"c\": {\n    \"d\": null\n  },\n  \"e\": {},\n  \"f\": []\n}\n");
  EXPECT_EQ(json_text(document, true), R"({"b":1,"a":[1,2.5,"x"],"c":{"d":null},"e":{},"f":[]})");
}

TEST(JsonText, keeps_whole_numbers_whole) {
  EXPECT_EQ(json_text(ordered_json{18446744073709551615U, -9223372036854775807LL, true}, true),
            "[18446744073709551615,-9223372036854775807,true]");
}

}  // namespace
}  // namespace sits::report
