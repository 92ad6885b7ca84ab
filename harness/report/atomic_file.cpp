// SPDX-License-Identifier: Apache-2.0
#include "harness/report/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace sits::report {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path &path, const std::string &step, int error) {
  throw FileError(error, std::generic_category(), path.string() + ": " + step);
}

/// -1 and errno as the call left it, never interrupted by a signal.
template <class Call>
auto uninterrupted(Call call) {
  decltype(call()) result = -1;
  do {
    result = call();
  } while (result == -1 && errno == EINTR);
  return result;
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor &&other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor &operator=(Descriptor &&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  /// Closes now, so that an error the file system kept until now is seen.
  bool close() { return ::close(std::exchange(fd_, -1)) == 0 || errno == EINTR; }

 private:
  int fd_;
};

/// A new file beside the target, removed unless it was renamed.
class Temporary {
 public:
  explicit Temporary(const fs::path &folder) : file_(create(folder, path_)) {}
  Temporary(const Temporary &) = delete;
  Temporary &operator=(const Temporary &) = delete;
  ~Temporary() {
    if (!renamed_) ::unlink(path_.c_str());
  }

  void write(std::string_view bytes, const fs::path &target) {
    while (!bytes.empty()) {
      const ssize_t written = uninterrupted([&] { return ::write(file_.get(), bytes.data(), bytes.size()); });
      if (written < 0) fail(target, "cannot write", errno);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    if (uninterrupted([&] { return ::fsync(file_.get()); }) != 0) fail(target, "cannot write to disk", errno);
    if (!file_.close()) fail(target, "cannot write", errno);
  }

  void rename_to(const fs::path &target) {
    if (::rename(path_.c_str(), target.c_str()) != 0) fail(target, "cannot rename the written file", errno);
    renamed_ = true;
  }

 private:
  // The name does not depend on the target's, which may already be as long as a name may be.
  static Descriptor create(const fs::path &folder, fs::path &path) {
    for (int attempt = 0; attempt < 1000; ++attempt) {
      path = folder / (".sits-" + std::to_string(::getpid()) + "-" + std::to_string(attempt) + ".tmp");
      const int fd = uninterrupted([&] { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
      if (fd >= 0) return Descriptor(fd);
      if (errno != EEXIST) fail(folder, "cannot create a file in this folder", errno);
    }
    fail(folder, "too many temporary files in this folder", EEXIST);
  }

  fs::path path_;
  Descriptor file_;
  bool renamed_ = false;
};

/// The file that will be replaced: links followed, special files refused.
fs::path resolve(const fs::path &target) {
  if (target.empty()) fail(target, "no file name", ENOENT);
  struct stat info = {};
  if (::stat(target.c_str(), &info) != 0) {
    if (errno != ENOENT) fail(target, "cannot be used", errno);
    std::error_code error;
    // A dangling link: write where it points to.
    if (fs::is_symlink(target, error)) return fs::weakly_canonical(target.parent_path() / fs::read_symlink(target));
    if (!target.has_filename()) fail(target, "is the name of a folder", EISDIR);
    return target;
  }
  if (S_ISDIR(info.st_mode)) fail(target, "cannot be written", EISDIR);
  if (!S_ISREG(info.st_mode)) fail(target, "is not a regular file", EINVAL);
  return fs::canonical(target);
}

void sync_folder(const fs::path &folder, const fs::path &target) {
  const Descriptor descriptor(
      uninterrupted([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  // Some file systems cannot sync a folder, and one that we may write to need not be readable; the rename stands.
  if (descriptor.get() < 0) return;
  if (uninterrupted([&] { return ::fsync(descriptor.get()); }) != 0 && errno != EINVAL && errno != ENOTSUP) {
    fail(target, "cannot write the folder to disk", errno);
  }
}

}  // namespace

void write_file_atomically(const fs::path &target, std::string_view bytes) {
  const fs::path file = resolve(target);
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  Temporary temporary(folder);
  temporary.write(bytes, target);
  temporary.rename_to(file);
  sync_folder(folder, target);
}

std::string read_file(const fs::path &path, std::size_t max_bytes) {
  const Descriptor file(uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }));
  if (file.get() < 0) fail(path, "cannot open", errno);
  std::string out;
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t got = uninterrupted([&] { return ::read(file.get(), buffer.data(), buffer.size()); });
    if (got < 0) fail(path, "cannot read", errno);
    if (got == 0) return out;
    if (out.size() + static_cast<std::size_t>(got) > max_bytes) {
      fail(path, "is larger than " + std::to_string(max_bytes) + " bytes", EFBIG);
    }
    out.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace sits::report
