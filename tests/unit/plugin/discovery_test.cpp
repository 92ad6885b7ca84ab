// SPDX-License-Identifier: Apache-2.0
#include "harness/plugin/discovery.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "tests/unit/plugin/temporary_folder.h"

namespace fs = std::filesystem;
using ::testing::HasSubstr;

namespace sits::plugin {
namespace {

std::string null_plugin_bytes() {
  std::ifstream in(SITS_NULL_PLUGIN, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Candidate only(const std::string &file) {
  DiscoveryRequest request;
  request.files = {file};
  auto found = discover(request);
  EXPECT_EQ(found.size(), 1u);
  return found.at(0);
}

struct Discovery : ::testing::Test {
  testing::TemporaryFolder folder;
  std::string good(const std::string &name) { return folder.write(name, null_plugin_bytes()); }
};

TEST_F(Discovery, accepts_a_plugin_named_on_the_command_line) {
  const Candidate candidate = only(good("anything.so"));
  EXPECT_TRUE(candidate.used) << candidate.reason;
  EXPECT_EQ(candidate.source, Source::command_line);
}

TEST_F(Discovery, says_what_is_wrong_with_each_hostile_file) {
  std::string other_machine = null_plugin_bytes();
  const std::uint16_t machine = EM_S390;
  std::memcpy(other_machine.data() + offsetof(Elf64_Ehdr, e_machine), &machine, sizeof machine);
  std::string narrow = null_plugin_bytes();
  narrow[EI_CLASS] = ELFCLASS32;
  std::string executable = null_plugin_bytes();
  const std::uint16_t type = ET_REL;
  std::memcpy(executable.data() + offsetof(Elf64_Ehdr, e_type), &type, sizeof type);

  EXPECT_THAT(only(folder / "absent.so").reason, HasSubstr("no such file"));
  EXPECT_THAT(only(folder.path()).reason, HasSubstr("folder"));
  EXPECT_THAT(only(folder.write("empty.so", "")).reason, HasSubstr("empty"));
  EXPECT_THAT(only(folder.write("text.so", "libsomething.so.1\n")).reason, HasSubstr("text file"));
  EXPECT_THAT(only(folder.write("windows.so", std::string("MZ\x90\0\3", 5))).reason, HasSubstr("Windows"));
  EXPECT_THAT(only(folder.write("noise.so", std::string("\0\1\2\3", 4))).reason, HasSubstr("not an ELF"));
  EXPECT_THAT(only(folder.write("s390.so", other_machine)).reason, HasSubstr("built for s390"));
  EXPECT_THAT(only(folder.write("narrow.so", narrow)).reason, HasSubstr("32-bit"));
  EXPECT_THAT(only(folder.write("object.so", executable)).reason, HasSubstr("not a shared object"));
  EXPECT_THAT(only(folder.write("short.so", null_plugin_bytes().substr(0, 40))).reason, HasSubstr("cut off"));
  EXPECT_THAT(only(folder.write("half.so", null_plugin_bytes().substr(0, 5000))).reason, HasSubstr("cut off"));
}

TEST_F(Discovery, does_not_wait_for_a_pipe) {
  const std::string pipe = folder / "libsits_backend_pipe.so";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(only(pipe).reason, HasSubstr("not a regular file"));
}

TEST_F(Discovery, refuses_what_everyone_can_write_when_root) {
  const std::string file = good("libsits_backend_open.so");
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  const Candidate candidate = only(file);
  if (::geteuid() == 0)
    EXPECT_THAT(candidate.reason, HasSubstr("written by everyone"));
  else
    EXPECT_TRUE(candidate.used);
}

TEST_F(Discovery, takes_plugin_names_of_a_folder_in_byte_order_and_skips_the_rest) {
  good("libsits_backend_b.so");
  good("libsits_backend_B.so");
  good("libsits_backend_a.so");
  good("libother.so");
  folder.write("libsits_backend_notes.txt", "x");
  DiscoveryRequest request;
  request.search_path = folder.path() + "/";
  std::vector<std::string> names;
  for (const Candidate &candidate : discover(request)) {
    EXPECT_TRUE(candidate.used) << candidate.reason;
    names.push_back(fs::path(candidate.path).filename());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"libsits_backend_B.so", "libsits_backend_a.so", "libsits_backend_b.so"}));
}

TEST_F(Discovery, uses_a_file_reached_twice_once) {
  const std::string file = good("libsits_backend_x.so");
  fs::create_symlink(file, folder / "libsits_backend_y.so");
  DiscoveryRequest request;
  request.files = {file};
  request.search_path = folder.path();
  const auto found = discover(request);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_TRUE(found[0].used);
  for (int i : {1, 2}) EXPECT_THAT(found[static_cast<std::size_t>(i)].reason, HasSubstr("same file"));
}

TEST_F(Discovery, survives_a_loop_of_links) {
  fs::create_symlink(folder / "libsits_backend_2.so", folder / "libsits_backend_1.so");
  fs::create_symlink(folder / "libsits_backend_1.so", folder / "libsits_backend_2.so");
  DiscoveryRequest request;
  request.search_path = folder.path();
  for (const Candidate &candidate : discover(request)) EXPECT_FALSE(candidate.used);
}

TEST_F(Discovery, keeps_command_line_before_search_path_before_install_folder) {
  const std::string named = good("named/first.so");
  good("searched/libsits_backend_second.so");
  good("lib/sits/libsits_backend_third.so");
  DiscoveryRequest request;
  request.files = {named};
  request.search_path = ":" + (folder / "searched") + "::" + (folder / "missing") + ":";
  request.executable = folder.write("bin/sits", "");
  const auto found = discover(request);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].source, Source::command_line);
  EXPECT_EQ(found[1].source, Source::environment);
  EXPECT_THAT(found[2].reason, HasSubstr("no such file"));
  EXPECT_EQ(found[3].source, Source::install_folder);
  EXPECT_TRUE(found[3].used);
}

TEST_F(Discovery, finds_nothing_where_nothing_is) {
  DiscoveryRequest request;
  request.executable = folder.write("bin/sits", "");
  EXPECT_TRUE(discover(request).empty());
}

}  // namespace
}  // namespace sits::plugin
