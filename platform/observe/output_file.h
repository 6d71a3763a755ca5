// Result files appear complete or not at all: written under a temporary name beside the target, renamed at the end.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace kb::observe {

class OutputFile {
 public:
  // Creates the temporary file at once, so that an unwritable folder is reported before any work is done.
  // `purpose` names the file in messages ("the result file"). Configuration Error with the system's reason.
  // Targets that are no regular files (pipes, /dev/null) are written directly.
  OutputFile(std::string path, std::string purpose);
  ~OutputFile();  // without commit(): no file is left
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  // Flushes and renames. Configuration Error when the disk is full.
  void commit();

  const std::string& path() const { return path_; }

  // Removes every temporary file of the process. Safe to call from a signal handler.
  static void remove_temporaries() noexcept;

 private:
  [[noreturn]] void fail(const std::string& action, int error_number) const;
  void discard() noexcept;

  std::string path_;
  std::string purpose_;
  std::string temporary_;
  std::FILE* stream_ = nullptr;
  int slot_ = -1;  // in the table of temporary files
  bool direct_ = false;
};

// Names a temporary file that somebody else writes, so that an interrupt removes it too.
class TemporaryGuard {
 public:
  explicit TemporaryGuard(const std::string& path);
  ~TemporaryGuard();
  TemporaryGuard(const TemporaryGuard&) = delete;
  TemporaryGuard& operator=(const TemporaryGuard&) = delete;

 private:
  int slot_;
};

// Creates a folder and its parents. Configuration Error with the system's reason.
void make_folder(const std::string& path);

}  // namespace kb::observe
