// SPDX-License-Identifier: Apache-2.0
//
// Files that are there whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace sits::report {

/// A file that cannot be read or written: code() is the errno, what() names path, step and the system's words.
struct FileError : std::system_error {
  using std::system_error::system_error;
};

/// Replaces `target` by `bytes`: a temporary file in its folder, fsync, rename, fsync of the folder. On any failure the
/// target is as it was and nothing is left beside it. A new file's mode is 0666 less the umask. A symbolic link is
/// followed; anything but a regular file (a folder, /dev/null) is refused.
void write_file_atomically(const std::filesystem::path &target, std::string_view bytes);

/// The whole file, of at most `max_bytes`.
std::string read_file(const std::filesystem::path &path, std::size_t max_bytes = std::size_t{1} << 30U);

}  // namespace sits::report
