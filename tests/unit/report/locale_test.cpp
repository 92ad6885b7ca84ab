// SPDX-License-Identifier: Apache-2.0
//
// A program that embeds us, or a user, may have set any locale: no byte of any output depends on it.
#include <gtest/gtest.h>

#include <clocale>
#include <locale>

#include "harness/report/renderer.h"
#include "harness/report/report_json.h"
#include "sample_report.h"

namespace sits::report {
namespace {

/// German numbers, there even where the system has no such locale.
struct GermanNumbers : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

class German {
 public:
  German() : before_(std::locale::global(std::locale(std::locale::classic(), new GermanNumbers))) {
    installed_ = std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr || std::setlocale(LC_ALL, "de_DE") != nullptr;
  }
  ~German() {
    std::setlocale(LC_ALL, "C");
    std::locale::global(before_);
  }
  German(const German &) = delete;
  German &operator=(const German &) = delete;
  bool installed() const { return installed_; }

 private:
  std::locale before_;
  bool installed_;
};

TEST(Locale, changes_no_byte_of_any_format) {
  for (const Renderer &renderer : renderers()) {
    const std::string before = renderer.render(testing::example_report(), {});
    const German german;
    EXPECT_EQ(renderer.render(testing::example_report(), {}), before) << renderer.name;
  }
}

TEST(Locale, changes_nothing_of_what_is_read) {
  const std::string text = write_report(testing::example_report());
  const German german;
  EXPECT_EQ(write_report(read_report(text)), text);
}

TEST(Locale, of_the_c_library_changes_nothing_either) {
  const std::string text = write_report(testing::example_report());
  const German german;
  if (!german.installed()) GTEST_SKIP() << "no de_DE locale on this system (package locales)";
  EXPECT_EQ(write_report(read_report(text)), text);
}

}  // namespace
}  // namespace sits::report
