// SPDX-License-Identifier: Apache-2.0
#include "harness/plugin/elf_check.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cerrno>
#include <cstring>

namespace sits::plugin {
namespace {

class File {
 public:
  // O_NONBLOCK: opening a FIFO must not wait for a writer
  explicit File(const std::string &path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  int fd() const { return fd_; }
  bool read_at(void *out, std::size_t bytes, std::uint64_t offset) const {
    return ::pread(fd_, out, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
  }

 private:
  int fd_;
};

std::string machine_name(unsigned machine) {
  switch (machine) {
    case EM_386: return "i386";
    case EM_X86_64: return "x86-64";
    case EM_ARM: return "arm";
    case EM_AARCH64: return "aarch64";
    case EM_PPC64: return "ppc64";
    case EM_RISCV: return "riscv";
    case EM_S390: return "s390";
    default: return fmt::format("ELF machine {}", machine);
  }
}

constexpr unsigned own_machine() {
#if defined(__x86_64__)
  return EM_X86_64;
#elif defined(__aarch64__)
  return EM_AARCH64;
#elif defined(__powerpc64__)
  return EM_PPC64;
#elif defined(__riscv)
  return EM_RISCV;
#else
#error "name this machine's ELF number"
#endif
}

std::string not_elf(const File &file, std::uint64_t size) {
  std::array<char, 64> head{};
  const std::size_t length = std::min<std::uint64_t>(size, head.size());
  if (!file.read_at(head.data(), length, 0)) return "cannot be read";
  if (head[0] == 'M' && head[1] == 'Z') return "is a Windows library, not an ELF shared object";
  const bool text = std::all_of(head.begin(), head.begin() + static_cast<std::ptrdiff_t>(length), [](char c) {
    return std::isprint(static_cast<unsigned char>(c)) || std::isspace(static_cast<unsigned char>(c));
  });
  return text ? "is a text file, not an ELF shared object" : "is not an ELF shared object";
}

/// A library that was cut off passes dlopen's checks and ends in SIGBUS: see that what it wants mapped is there.
std::string cut_off(const File &file, const Elf64_Ehdr &header, std::uint64_t size) {
  if (header.e_phentsize != sizeof(Elf64_Phdr)) return "has a malformed ELF header";
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    if (header.e_phoff > size || !file.read_at(&segment, sizeof segment, header.e_phoff + i * sizeof segment))
      return "is cut off inside its ELF header";
    if (segment.p_type != PT_LOAD) continue;
    if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset)
      return fmt::format("is cut off: {} bytes, its segments need {}", size, segment.p_offset + segment.p_filesz);
  }
  return {};
}

}  // namespace

std::string refusal(const std::string &path) {
  const File file(path);
  if (file.fd() < 0)
    return errno == ENOENT ? "no such file" : fmt::format("cannot be opened: {}", std::strerror(errno));
  struct stat info {};
  if (::fstat(file.fd(), &info) != 0) return fmt::format("cannot be examined: {}", std::strerror(errno));
  if (S_ISDIR(info.st_mode)) return "is a folder, not a file";
  if (!S_ISREG(info.st_mode)) return "is not a regular file";
  if (::geteuid() == 0 && (info.st_mode & S_IWOTH) != 0)
    return "can be written by everyone, and this process is root; chmod o-w it";
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (size == 0) return "is empty";

  std::array<unsigned char, EI_NIDENT> ident{};
  if (size < ident.size() || !file.read_at(ident.data(), ident.size(), 0) ||
      std::memcmp(ident.data(), ELFMAG, SELFMAG) != 0)
    return not_elf(file, size);
  if (ident[EI_CLASS] != ELFCLASS64) return "is a 32-bit library, this program is 64-bit";
  constexpr unsigned kOwnOrder = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  if (ident[EI_DATA] != kOwnOrder) return "is built for the other byte order";
  Elf64_Ehdr header{};
  if (!file.read_at(&header, sizeof header, 0)) return "is cut off inside its ELF header";
  if (header.e_machine != own_machine())
    return fmt::format("is built for {}, this program is {}", machine_name(header.e_machine),
                       machine_name(own_machine()));
  if (header.e_type != ET_DYN) return "is not a shared object";
  return cut_off(file, header, size);
}

}  // namespace sits::plugin
