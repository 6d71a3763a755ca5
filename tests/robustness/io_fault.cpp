// Preloaded into a program, makes the n-th call that changes an output file fail, or sends a signal in its place:
//   KB_FAULT_CALL=open|write|close|rename|unlink|mkdir|fsync|all   which calls are counted
//   KB_FAULT_AT=N            the N-th of them (from 1) is hit; 0 or absent: they are counted only
//   KB_FAULT_ERRNO=NUMBER    it fails with this errno (default EIO); close() closes all the same
//   KB_FAULT_STICKY=1        so does every later one, as on a full disk
//   KB_FAULT_SIGNAL=NUMBER   instead of failing, the process gets this signal just before the call
//   KB_FAULT_COUNT_FILE=FILE gets the number of calls seen so far, as a decimal number and a line end
// Counted are calls on regular files that are open for writing, and on names. Standard output and error are not output
// files. Only the first process that loads the library is hit, not the programs that it starts.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr const char* kOwner = "KB_FAULT_OWNER";

struct Plan {
  char call[16] = "none";
  long at = 0;
  int error_number = EIO;
  int signal = 0;
  bool sticky = false;
  int count_file = -1;
  pid_t owner = 0;
};
Plan g_plan;
std::atomic<long> g_seen{0};

long number(const char* name, long otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtol(text, nullptr, 10);
}

__attribute__((constructor)) void read_plan() {
  const char* const call = std::getenv("KB_FAULT_CALL");
  if (call == nullptr || std::getenv(kOwner) != nullptr) return;
  std::snprintf(g_plan.call, sizeof g_plan.call, "%s", call);
  g_plan.at = number("KB_FAULT_AT", 0);
  g_plan.error_number = static_cast<int>(number("KB_FAULT_ERRNO", EIO));
  g_plan.signal = static_cast<int>(number("KB_FAULT_SIGNAL", 0));
  g_plan.sticky = number("KB_FAULT_STICKY", 0) != 0;
  if (const char* const file = std::getenv("KB_FAULT_COUNT_FILE")) {
    g_plan.count_file =
        static_cast<int>(::syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  }
  g_plan.owner = ::getpid();
  ::setenv(kOwner, "1", 1);
}

void write_count(long seen) {
  if (g_plan.count_file < 0) return;
  char text[24];
  const int length = std::snprintf(text, sizeof text, "%ld\n", seen);
  ::syscall(SYS_pwrite64, g_plan.count_file, text, length, 0L);
}

// True when this call is to fail; errno is set then.
bool hit(const char* call) {
  if (g_plan.owner == 0 || g_plan.owner != ::getpid()) return false;
  if (std::strcmp(g_plan.call, "all") != 0 && std::strcmp(g_plan.call, call) != 0) return false;
  const int kept = errno;
  const long seen = ++g_seen;
  write_count(seen);
  errno = kept;
  if (g_plan.at == 0 || (g_plan.sticky ? seen < g_plan.at : seen != g_plan.at)) return false;
  if (g_plan.signal != 0) {
    ::kill(::getpid(), g_plan.signal);
    return false;
  }
  errno = g_plan.error_number;
  return true;
}

bool output_file(int file) {
  if (file <= STDERR_FILENO || file == g_plan.count_file) return false;
  const int kept = errno;
  struct stat info {};
  const bool regular = ::fstat(file, &info) == 0 && S_ISREG(info.st_mode);
  const int flags = regular ? ::fcntl(file, F_GETFL) : -1;
  errno = kept;
  return regular && flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && (flags & O_PATH) == 0;
}

bool hit_open(int folder, const char* path, int flags) {
  if ((flags & O_ACCMODE) == O_RDONLY || (flags & (O_PATH | O_DIRECTORY)) == (O_PATH | O_DIRECTORY)) return false;
  const int kept = errno;
  struct stat info {};
  const bool other = ::fstatat(folder, path, &info, 0) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
  errno = kept;
  return !other && hit("open");
}

int open_at(int folder, const char* path, int flags, mode_t mode) {
  if (hit_open(folder, path, flags)) return -1;
  return static_cast<int>(::syscall(SYS_openat, folder, path, flags, mode));
}

mode_t mode_of(int flags, va_list arguments) {
  const bool creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return creates ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

std::FILE* open_stream(const char* name, const char* path, const char* mode) {
  const bool writes = std::strpbrk(mode, "wa+") != nullptr;
  if (writes && hit_open(AT_FDCWD, path, O_WRONLY)) return nullptr;
  return next<std::FILE* (*)(const char*, const char*)>(name)(path, mode);
}

}  // namespace

#define KB_OPEN_MODE                             \
  va_list arguments;                             \
  va_start(arguments, flags);                    \
  const mode_t mode = mode_of(flags, arguments); \
  va_end(arguments)

extern "C" {

int open(const char* path, int flags, ...) {
  KB_OPEN_MODE;
  return open_at(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  KB_OPEN_MODE;
  return open_at(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  KB_OPEN_MODE;
  return open_at(folder, path, flags, mode);
}
int openat64(int folder, const char* path, int flags, ...) {
  KB_OPEN_MODE;
  return open_at(folder, path, flags, mode);
}
int creat(const char* path, mode_t mode) {
  return open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}
std::FILE* fopen(const char* path, const char* mode) {
  return open_stream("fopen", path, mode);
}
std::FILE* fopen64(const char* path, const char* mode) {
  return open_stream("fopen64", path, mode);
}

ssize_t write(int file, const void* data, std::size_t size) {
  if (output_file(file) && hit("write")) return -1;
  return ::syscall(SYS_write, file, data, size);
}
ssize_t pwrite(int file, const void* data, std::size_t size, off_t at) {
  if (output_file(file) && hit("write")) return -1;
  return ::syscall(SYS_pwrite64, file, data, size, at);
}
ssize_t pwrite64(int file, const void* data, std::size_t size, off64_t at) {
  if (output_file(file) && hit("write")) return -1;
  return ::syscall(SYS_pwrite64, file, data, size, at);
}
ssize_t writev(int file, const iovec* pieces, int count) {
  if (output_file(file) && hit("write")) return -1;
  return ::syscall(SYS_writev, file, pieces, count);
}
int ftruncate(int file, off_t size) noexcept {
  if (output_file(file) && hit("write")) return -1;
  return static_cast<int>(::syscall(SYS_ftruncate, file, size));
}
int ftruncate64(int file, off64_t size) noexcept {
  if (output_file(file) && hit("write")) return -1;
  return static_cast<int>(::syscall(SYS_ftruncate, file, size));
}
std::size_t fwrite(const void* data, std::size_t size, std::size_t count, std::FILE* stream) {
  if (output_file(::fileno(stream)) && hit("write")) return 0;
  return next<std::size_t (*)(const void*, std::size_t, std::size_t, std::FILE*)>("fwrite")(data, size, count, stream);
}
int fflush(std::FILE* stream) {
  if (stream != nullptr && output_file(::fileno(stream)) && hit("write")) return EOF;
  return next<int (*)(std::FILE*)>("fflush")(stream);
}

int close(int file) {
  const bool fails = output_file(file) && hit("close");
  const int error_number = errno;
  const int result = static_cast<int>(::syscall(SYS_close, file));
  if (!fails) return result;
  errno = error_number;
  return -1;
}
int fclose(std::FILE* stream) {
  const bool fails = output_file(::fileno(stream)) && hit("close");
  const int error_number = errno;
  const int result = next<int (*)(std::FILE*)>("fclose")(stream);
  if (!fails) return result;
  errno = error_number;
  return EOF;
}

int fsync(int file) {
  if (output_file(file) && hit("fsync")) return -1;
  return static_cast<int>(::syscall(SYS_fsync, file));
}
int fdatasync(int file) {
  if (output_file(file) && hit("fsync")) return -1;
  return static_cast<int>(::syscall(SYS_fdatasync, file));
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  if (hit("rename")) return -1;
  return static_cast<int>(::syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}
int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return renameat2(from_folder, from, to_folder, to, 0);
}
int rename(const char* from, const char* to) noexcept {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  if (hit("unlink")) return -1;
  return static_cast<int>(::syscall(SYS_unlinkat, folder, path, flags));
}
int unlink(const char* path) noexcept {
  return unlinkat(AT_FDCWD, path, 0);
}
int rmdir(const char* path) noexcept {
  return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}
int remove(const char* path) noexcept {
  if (hit("unlink")) return -1;
  if (::syscall(SYS_unlinkat, AT_FDCWD, path, 0) == 0) return 0;
  if (errno != EISDIR) return -1;
  return static_cast<int>(::syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR));
}

int mkdirat(int folder, const char* path, mode_t mode) noexcept {
  if (hit("mkdir")) return -1;
  return static_cast<int>(::syscall(SYS_mkdirat, folder, path, mode));
}
int mkdir(const char* path, mode_t mode) noexcept {
  return mkdirat(AT_FDCWD, path, mode);
}

}  // extern "C"
