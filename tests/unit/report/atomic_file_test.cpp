// SPDX-License-Identifier: Apache-2.0
#include "harness/report/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "sample_report.h"

namespace sits::report {
namespace {

namespace fs = std::filesystem;
using testing::ScratchFolder;

/// errno and message of a failing write; 0 and "" when it did not fail.
std::pair<int, std::string> failure_of(const fs::path &path, std::string_view bytes) {
  try {
    write_file_atomically(path, bytes);
  } catch (const FileError &error) {
    return {error.code().value(), error.what()};
  }
  return {0, ""};
}

/// A disk that is full after `bytes`: writes beyond fail, as they do with ENOSPC, in the middle of the file.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk &) = delete;
  FullDisk &operator=(const FullDisk &) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(AtomicFile, writes_the_whole_file_and_nothing_beside_it) {
  const ScratchFolder folder;
  const std::string bytes = std::string("nul\0and more", 12) + std::string(300000, 'x');
  write_file_atomically(folder.path() / "a.json", bytes);
  EXPECT_EQ(read_file(folder.path() / "a.json"), bytes);
  write_file_atomically(folder.path() / "a.json", "");
  EXPECT_EQ(read_file(folder.path() / "a.json"), "");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(AtomicFile, leaves_no_partial_file_on_a_full_disk) {
  const ScratchFolder folder;
  const fs::path path = folder.path() / "report.json";
  std::pair<int, std::string> failure;
  {
    const FullDisk full(4096);
    failure = failure_of(path, std::string(100000, 'x'));
  }
  EXPECT_EQ(failure.first, EFBIG);
  EXPECT_NE(failure.second.find(path.string()), std::string::npos) << failure.second;
  EXPECT_NE(failure.second.find(std::generic_category().message(EFBIG)), std::string::npos) << failure.second;
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(AtomicFile, keeps_the_old_file_when_the_new_one_cannot_be_written) {
  const ScratchFolder folder;
  write_file_atomically(folder.path() / "report.json", "old");
  {
    const FullDisk full(1);
    EXPECT_EQ(failure_of(folder.path() / "report.json", "new text").first, EFBIG);
  }
  EXPECT_EQ(read_file(folder.path() / "report.json"), "old");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(AtomicFile, gives_the_mode_the_umask_leaves) {
  const ScratchFolder folder;
  const mode_t before = ::umask(027);
  write_file_atomically(folder.path() / "a", "x");
  ::umask(before);
  struct stat info = {};
  ASSERT_EQ(::stat((folder.path() / "a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0640U);
}

TEST(AtomicFile, refuses_folders_and_special_files) {
  const ScratchFolder folder;
  EXPECT_EQ(failure_of(folder.path(), "x").first, EISDIR);
  EXPECT_EQ(failure_of(folder.path() / "new" / "", "x").first, EISDIR);
  EXPECT_EQ(failure_of("", "x").first, ENOENT);
  EXPECT_EQ(failure_of("/dev/full", "x").first, EINVAL);
  EXPECT_TRUE(fs::is_character_file("/dev/full")) << "a device must not be replaced by a file";
}

TEST(AtomicFile, names_the_missing_folder) {
  const ScratchFolder folder;
  const auto [code, message] = failure_of(folder.path() / "missing" / "a.json", "x");
  EXPECT_EQ(code, ENOENT);
  EXPECT_NE(message.find((folder.path() / "missing").string()), std::string::npos) << message;
}

TEST(AtomicFile, refuses_a_folder_it_may_not_write) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const ScratchFolder folder;
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(failure_of(folder.path() / "a.json", "x").first, EACCES);
  fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST(AtomicFile, writes_through_a_link) {
  const ScratchFolder folder;
  write_file_atomically(folder.path() / "real", "old");
  fs::create_symlink("real", folder.path() / "link");
  fs::create_symlink("later", folder.path() / "dangling");
  write_file_atomically(folder.path() / "link", "new");
  write_file_atomically(folder.path() / "dangling", "made");
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link"));
  EXPECT_EQ(read_file(folder.path() / "real"), "new");
  EXPECT_EQ(read_file(folder.path() / "later"), "made");
}

TEST(AtomicFile, accepts_the_longest_name_a_file_may_have) {
  const ScratchFolder folder;
  const std::string name(255, 'n');
  write_file_atomically(folder.path() / name, "x");
  EXPECT_EQ(read_file(folder.path() / name), "x");
  EXPECT_EQ(failure_of(folder.path() / (name + "n"), "x").first, ENAMETOOLONG);
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(AtomicFile, reads_no_more_than_allowed) {
  const ScratchFolder folder;
  write_file_atomically(folder.path() / "a", "12345");
  EXPECT_EQ(read_file(folder.path() / "a", 5), "12345");
  EXPECT_THROW(read_file(folder.path() / "a", 4), FileError);
  EXPECT_THROW(read_file("/dev/zero", 1000), FileError);
  EXPECT_THROW(read_file(folder.path()), FileError);
}

}  // namespace
}  // namespace sits::report
