#include "platform/observe/target_path.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace kb::observe {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxLinks = 40;

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// Links like /proc/self/fd/1 are not paths: their text may differ from the file that they refer to.
bool in_proc(const fs::path& folder) {
  struct statfs info {};
  return ::statfs(folder.c_str(), &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

int own_descriptor(const fs::path& path) {
  std::error_code failed;
  const fs::path folder = fs::canonical(folder_of(path), failed);
  if (failed || folder != "/proc/" + std::to_string(::getpid()) + "/fd") return -1;
  const std::string number = path.filename().string();
  return number.find_first_not_of("0123456789") == std::string::npos ? std::atoi(number.c_str()) : -1;
}

// A normal form, equal for two names of one file.
fs::path comparable(const std::string& path) {
  std::error_code failed;
  const fs::path absolute = fs::absolute(path, failed);
  const fs::path canonical = fs::weakly_canonical(folder_of(absolute), failed);
  return failed ? absolute.lexically_normal() : (canonical / absolute.filename()).lexically_normal();
}

}  // namespace

TargetPath resolve_target(const std::string& path) {
  TargetPath target{path};
  bool magic = false;
  for (int links = 0;; ++links) {
    struct stat info {};
    if (::lstat(target.path.c_str(), &info) != 0 || !S_ISLNK(info.st_mode)) break;
    const fs::path here = target.path;
    if ((magic = in_proc(folder_of(here)))) break;
    std::error_code failed;
    const fs::path there = fs::read_symlink(here, failed);
    if (failed) throw std::system_error(failed);
    if (links == kMaxLinks) throw std::system_error(ELOOP, std::generic_category());
    target.path = (there.is_absolute() ? there : folder_of(here) / there).string();
  }
  struct stat info {};
  const bool exists = ::stat(target.path.c_str(), &info) == 0;
  const bool regular = !exists || S_ISREG(info.st_mode);
  if (exists && S_ISDIR(info.st_mode)) {
    target.kind = TargetPath::Kind::folder;
  } else if (magic || !regular) {
    target.kind = TargetPath::Kind::direct;
    target.own_descriptor = own_descriptor(target.path);
  }
  return target;
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat first {
  }, second{};
  const bool first_exists = ::stat(a.c_str(), &first) == 0, second_exists = ::stat(b.c_str(), &second) == 0;
  if (first_exists != second_exists) return false;
  if (first_exists) {
    return !S_ISCHR(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
  }
  try {
    return comparable(resolve_target(a).path) == comparable(resolve_target(b).path);
  } catch (const std::system_error&) {
    return false;  // a cycle of links, which is reported when the file is opened
  }
}

}  // namespace kb::observe
