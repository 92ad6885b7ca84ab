// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "backends/sdk/dynamic_library.h"
#include "backends/sdk/failure.h"
#include "backends/sdk/sized.h"
#include "backends/sdk/text.h"

namespace sits::sdk {
namespace {

sits_status failing(sits_error *error) {
  SITS_GUARD(error, { throw Failure(SITS_DEVICE_LOST, "gone", "cuInit", 700); });
}

TEST(Failure, becomes_a_status_and_a_message) {
  sits_error error{};
  error.struct_size = sizeof error;
  EXPECT_EQ(failing(&error), SITS_DEVICE_LOST);
  EXPECT_STREQ(error.message, "gone");
  EXPECT_STREQ(error.api, "cuInit");
  EXPECT_EQ(error.vendor_code, 700);
  EXPECT_EQ(failing(nullptr), SITS_DEVICE_LOST);
  EXPECT_EQ(guard(&error, [] { throw 1; }), SITS_INTERNAL);
  EXPECT_EQ(guard(&error, [] { throw std::bad_alloc(); }), SITS_OUT_OF_MEMORY);
  EXPECT_EQ(guard(&error, [] { return sits_status{SITS_TIMEOUT}; }), SITS_TIMEOUT);
}

TEST(Failure, writes_only_what_the_callers_struct_has_room_for) {
  for (const std::uint32_t size : {0u, 4u, 8u, 12u, 300u, 520u, 584u}) {
    sits_error error;
    std::memset(&error, 0x5a, sizeof error);
    error.struct_size = size;
    write_error(&error, std::string(600, 'x').c_str(), "api", 7);
    const auto *bytes = reinterpret_cast<const unsigned char *>(&error);
    for (std::size_t i = std::max<std::size_t>(size, 4); i < sizeof error; ++i) ASSERT_EQ(bytes[i], 0x5a) << size;
    EXPECT_EQ(error.struct_size, size);
    if (size <= 8) continue;
    EXPECT_LT(strnlen(error.message, size - 8), size - 8) << "not terminated";
  }
}

TEST(Text, is_never_cut_inside_a_character) {
  const std::string text = "a\u00e9\u20ac";  // 1 + 2 + 3 bytes
  for (std::size_t limit : {0u, 1u, 3u, 6u}) EXPECT_EQ(utf8_prefix(text, limit), limit);
  EXPECT_EQ(utf8_prefix(text, 2), 1u);
  EXPECT_EQ(utf8_prefix(text, 5), 3u);
  EXPECT_EQ(utf8_prefix(text, 100), text.size());
  std::array<char, 4> out{};
  copy_text(out.data(), 3, text);
  EXPECT_STREQ(out.data(), "a");
}

TEST(Text, suggests_a_near_name_and_lists_all_when_none_is) {
  constexpr std::array<std::string_view, 3> kNames = {"threads", "cpus", "numa"};
  EXPECT_EQ(nearest_name("thread", kNames), "threads");
  EXPECT_EQ(nearest_name("xyzzy", kNames), "");
  EXPECT_NE(unknown_name("option", "cpu", kNames).find("did you mean 'cpus'"), std::string::npos);
  EXPECT_NE(unknown_name("option", "xyzzy", kNames).find("threads cpus numa"), std::string::npos);
}

TEST(Sized, reads_a_missing_tail_as_zero) {
  sits_run run{8, 3, 99, 99, 99};  // an older host that knows two fields
  const auto read = read_sized<sits_run>(&run, "run");
  EXPECT_EQ(read.flags, 3u);
  EXPECT_EQ(read.samples, 0u);
  EXPECT_THROW(read_sized<sits_run>(&run, "run", 16), Failure);
  EXPECT_THROW(read_sized<sits_run>(nullptr, "run"), Failure);
}

TEST(Sized, fills_a_longer_struct_with_zeros_behind_what_it_knows) {
  struct Longer {
    sits_run run;
    std::uint64_t later = 77;
  } longer{};
  longer.run.struct_size = sizeof longer;
  fill_sized(&longer.run, sits_run{sizeof(sits_run), 1, 2, 3, 4}, "run");
  EXPECT_EQ(longer.run.struct_size, sizeof longer);
  EXPECT_EQ(longer.run.timeout_ns, 4u);
  EXPECT_EQ(longer.later, 0u);
}

TEST(Sized, strides_arrays_by_the_first_elements_size) {
  struct Longer {
    sits_key_value item{};
    std::uint64_t later = 77;
  };
  std::array<Longer, 3> list{};
  list[0].item.struct_size = sizeof(Longer);
  std::uint32_t count = 0;
  constexpr std::array<const char *, 2> kKeys = {"one", "two"};
  fill_array(&list[0].item, 3, &count, 2, "items", [&](std::uint32_t i) {
    return sits_key_value{sizeof(sits_key_value), 0, kKeys[i], ""};
  });
  EXPECT_EQ(count, 2u);
  EXPECT_STREQ(list[1].item.key, "two");
  EXPECT_EQ(list[2].item.key, nullptr);
  EXPECT_STREQ(element_at(&list[0].item, 1)->key, "two");
}

TEST(DynamicLibrary, opens_the_first_that_loads) {
  const DynamicLibrary library{"libsits_absent.so.9", "libc.so.6"};
  EXPECT_EQ(library.name(), "libc.so.6");
  EXPECT_EQ(library.symbol<int (*)(int)>("abs")(-3), 3);
  EXPECT_EQ(library.optional_symbol<int (*)(int)>("sits_absent"), nullptr);
}

TEST(DynamicLibrary, names_every_candidate_and_the_missing_symbol) {
  try {
    const DynamicLibrary library{"libsits_absent.so.9", "libsits_absent.so.8"};
    FAIL();
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.status, SITS_UNAVAILABLE);
    EXPECT_NE(std::string(failure.what()).find("libsits_absent.so.9"), std::string::npos);
    EXPECT_NE(std::string(failure.what()).find("libsits_absent.so.8"), std::string::npos);
  }
  const DynamicLibrary library{"libc.so.6"};
  EXPECT_THROW(library.symbol<void (*)()>("sits_absent"), Failure);
}

}  // namespace
}  // namespace sits::sdk
