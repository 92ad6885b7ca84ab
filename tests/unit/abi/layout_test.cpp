// SPDX-License-Identifier: Apache-2.0
#include "layout.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <span>
#include <sstream>
#include <string>

#include "sits/backend.h"

namespace {

#define STRUCT(type) {#type, nullptr, sizeof(type)},
#define FIELD(type, field) {#type, #field, offsetof(type, field)},
constexpr layout_entry kEntries[] = {
#include "layout_fields.h"
};

std::string text_of(std::span<const layout_entry> entries) {
  std::ostringstream text;
  for (const layout_entry &entry : entries) {
    if (entry.field == nullptr)
      text << entry.type << " size " << entry.value << '\n';
    else
      text << "  " << entry.field << ' ' << entry.value << '\n';
  }
  return text.str();
}

std::string read_file(const char *path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(AbiLayout, of_version_1_0_never_changes) {
  if (sizeof(void *) != 8) GTEST_SKIP() << "the golden layout is that of 64-bit systems";
  EXPECT_EQ(text_of(kEntries), read_file(SITS_TEST_DATA_DIR "/layout_v1.0.txt"));
}

TEST(AbiLayout, is_the_same_in_c11_and_cpp20) {
  std::size_t count = 0;
  const layout_entry *c_entries = layout_of_c11(&count);
  EXPECT_EQ(text_of({c_entries, count}), text_of(kEntries));
}

TEST(AbiLayout, the_golden_list_holds_every_struct_of_the_header) {
  const std::string header = read_file(SITS_SOURCE_DIR "/backends/include/sits/backend.h");
  const std::regex definition("typedef struct (sits_[a-z_]+) \\{");
  std::set<std::string> defined, listed;
  for (std::sregex_iterator it(header.begin(), header.end(), definition), end; it != end; ++it)
    defined.insert((*it)[1].str());
  for (const layout_entry &entry : kEntries) listed.insert(entry.type);
  EXPECT_EQ(listed, defined);
}

TEST(AbiLayout, every_struct_begins_with_its_size_and_lists_fields_in_order) {
  const layout_entry *previous = nullptr;
  for (const layout_entry &entry : kEntries) {
    if (previous != nullptr && previous->field == nullptr) {
      EXPECT_STREQ(entry.field, "struct_size") << entry.type;
      EXPECT_EQ(entry.value, 0u) << entry.type;
    }
    if (previous != nullptr && previous->field != nullptr && entry.field != nullptr) {
      EXPECT_LT(previous->value, entry.value) << entry.type << "." << entry.field;
    }
    previous = &entry;
  }
}

TEST(AbiVersion, is_1_0) {
  EXPECT_EQ(SITS_ABI_MAJOR, 1u);
  EXPECT_EQ(SITS_ABI_MINOR, 0u);
  EXPECT_STREQ(SITS_BACKEND_ENTRY, "sits_backend_entry_v1");
}

}  // namespace
