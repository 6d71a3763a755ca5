#include "sim/evaluate/work_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "platform/base/error.h"
#include "sim/evaluate/files.h"

namespace kb::evaluate {
namespace {

constexpr const char* kName = ".kernbench-staging";
constexpr const char* kMarker = "made-by-kernbench.txt";
constexpr std::string_view kMarkerText =
    "kernbench evaluate keeps points that are finished here. It removes this folder when it needs them no longer.\n";
constexpr std::string_view kRow = "row-", kRun = "run-";
// What a run writes, and what is written for it.
constexpr std::array<std::string_view, 7> kOfRuns{"result.json", "ops.sqlite",    "log",           "trace.csv",
                                                  "ccl.yaml",    "topology.yaml", "mesh_grid.yaml"};

// Files under their temporary names count, too.
bool begins_with(std::string_view name, std::string_view part) {
  if (!name.empty() && name.front() == '.') name.remove_prefix(1);
  return name.substr(0, part.size()) == part;
}

std::vector<std::string> names_in(int directory) {
  std::vector<std::string> names;
  const int own = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const stream = own < 0 ? nullptr : ::fdopendir(own);
  if (stream == nullptr) {
    if (own >= 0) ::close(own);
    return names;
  }
  while (const dirent* entry = ::readdir(stream)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  ::closedir(stream);
  return names;
}

bool regular(int directory, const std::string& name) {
  struct stat info {};
  return ::fstatat(directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode);
}

template <typename Known>
void remove_files(int directory, Known known) {
  for (const std::string& name : names_in(directory)) {
    if (known(name) && regular(directory, name)) ::unlinkat(directory, name.c_str(), 0);
  }
}

void remove_run(int directory, const std::string& name) {
  const int run = ::openat(directory, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (run < 0) return;
  remove_files(run, [](const std::string& file) {
    return std::any_of(kOfRuns.begin(), kOfRuns.end(), [&](std::string_view part) { return begins_with(file, part); });
  });
  ::close(run);
  ::unlinkat(directory, name.c_str(), AT_REMOVEDIR);
}

// All but the rows.
void remove_rest(int directory) {
  for (const std::string& name : names_in(directory)) {
    if (begins_with(name, kRun)) remove_run(directory, name);
  }
}

bool is_marked(int directory) {
  const int marker = ::openat(directory, kMarker, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (marker < 0) return false;
  char text[kMarkerText.size() + 1];
  const ssize_t got = ::read(marker, text, sizeof text);
  ::close(marker);
  return got >= 0 && std::string_view(text, static_cast<std::size_t>(got)) == kMarkerText;
}

// Its maker was killed before it could mark it.
bool is_empty(int directory) {
  const std::vector<std::string> names = names_in(directory);
  return std::all_of(names.begin(), names.end(), [](const std::string& name) { return begins_with(name, kMarker); });
}

std::string run_name(const std::string& id) {
  return std::string(kRun) + id + "." + std::to_string(::getpid());
}

}  // namespace

WorkFolder::WorkFolder(const std::string& out) : path_(out + "/" + kName) {
  const bool made = ::mkdir(path_.c_str(), 0777) == 0;
  if (!made && errno != EEXIST) {
    throw Error::configuration("cannot create the folder " + path_ + ": " + std::strerror(errno) +
                               "; choose a writable one with --out");
  }
  directory_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  try {
    take_up();
  } catch (...) {
    if (directory_ >= 0) ::close(directory_);
    throw;
  }
}

void WorkFolder::take_up() {
  const bool marked = directory_ >= 0 && is_marked(directory_);
  if (directory_ < 0 || (!marked && !is_empty(directory_))) {
    throw Error::configuration(path_ +
                               " was not made by kernbench, which therefore leaves it alone; move it away, or " +
                               "choose another folder with --out");
  }
  if (!marked) write_file(path_ + "/" + kMarker, std::string(kMarkerText), "the mark of a folder");
  remove_rest(directory_);
}

WorkFolder::~WorkFolder() {
  try {
    remove_rest(directory_);
    const std::vector<std::string> names = names_in(directory_);
    const auto marks = [](const std::string& name) { return begins_with(name, kMarker); };
    if (std::all_of(names.begin(), names.end(), marks)) {
      remove_files(directory_, marks);
      ::rmdir(path_.c_str());
    }
  } catch (const std::bad_alloc&) {
    // The next call removes what is left.
  }
  ::close(directory_);
}

std::string WorkFolder::make_run_folder(const std::string& id) const {
  const std::string name = run_name(id);
  if (::mkdirat(directory_, name.c_str(), 0777) == 0) return path_ + "/" + name;
  throw Error::configuration("cannot create the folder " + path_ + "/" + name + ": " + std::strerror(errno) +
                             "; choose a writable one with --out");
}

void WorkFolder::remove_run_folder(const std::string& id) const noexcept {
  try {
    remove_run(directory_, run_name(id));
  } catch (const std::bad_alloc&) {
    // The next call removes it.
  }
}

void WorkFolder::remove_rows() const noexcept {
  try {
    remove_files(directory_, [](const std::string& name) { return begins_with(name, kRow); });
  } catch (const std::bad_alloc&) {
    // Rows of another identity are not taken.
  }
}

}  // namespace kb::evaluate
