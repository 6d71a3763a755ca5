// A result file that appears either complete or not at all: it is written under a temporary name in the same folder and
// renamed at the end.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platform/observe/temporary_file.h"

namespace kb::observe {

class OutputFile {
 public:
  enum class Target {
    any,           // pipes, devices and open files (/dev/stdout) are written directly
    regular_file,  // pipes, devices and open files are a configuration Error
  };

  // Creates the temporary file immediately, so that an unwritable folder is reported before any work is done. `purpose`
  // is the file's description in messages ("the result file"). Configuration Error with the system's reason. When the
  // target is a symbolic link, the linked file is replaced and the link stays.
  OutputFile(std::string path, std::string purpose, Target target = Target::any);
  ~OutputFile();  // removes the file unless it was committed
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& path() const { return path_; }
  const std::string& purpose() const { return purpose_; }
  bool writable() const { return writable_; }  // neither complete nor failed

  // Configuration Error OUTPUT_WRITE on failure; the written part is removed.
  void write(std::string_view bytes);
  // Ends writing and reports deferred system errors (e.g. a quota on a network file system).
  void complete();
  // Calls complete() and renames the file to its final name.
  void commit();

  // Descriptor for writing a file in any order that others may read meanwhile; -1 if the target is a pipe or a device.
  int descriptor() const { return temporary_ ? temporary_->descriptor() : -1; }
  // Renames the file to its final name before it is complete. It stays there even if the process is killed.
  void appear();
  // Continues in a new, empty file and returns the previous one, which keeps the final name until the next appear() or
  // commit().
  std::unique_ptr<TemporaryFile> begin_new_file();

  // Absolute name of the temporary file, for a library that opens the file itself; final_path() is the final name with
  // links resolved.
  std::string working_path() const;
  std::string final_path() const { return folder_path_ + "/" + name_; }
  [[noreturn]] void fail(std::string_view doing, std::string_view reason);

 private:
  friend void commit_together(const std::vector<OutputFile*>& files);
  enum class Place { not_yet, new_name, exchanged, replaced };

  [[noreturn]] void refuse(const std::string& doing, const std::string& reason) const;
  void open_directly(const std::string& path, int own_descriptor);
  void open_beside(const std::string& path);
  void discard() noexcept;
  int put_in_place() noexcept;  // returns errno, 0 = done
  bool take_back() noexcept;    // false: the file keeps its final name
  void keep_final_name() noexcept;
  int replace() noexcept;

  std::string path_;
  std::string purpose_;
  std::string folder_path_;  // absolute
  std::string name_;         // name in the folder
  int folder_ = -1;
  int direct_ = -1;
  int replaced_ = -1;  // the replaced file, held open so that no process removes it as a leftover
  std::unique_ptr<TemporaryFile> temporary_;
  Place place_ = Place::not_yet;
  bool writable_ = false;
  bool appeared_ = false;
};

// Completes all files, then renames all to their final names, the first file last. When a rename fails, the earlier
// renames are undone, the old files are restored, and a configuration Error is thrown. Interrupts are deferred until
// the end.
void commit_together(const std::vector<OutputFile*>& files);

// True when commit_together() has succeeded in this process. Safe in a signal handler.
bool results_committed() noexcept;

// Creates a folder and its parents. Configuration Error with the system's reason and the option that names the folder.
void make_folder(const std::string& path, const std::string& option = "--out");

}  // namespace kb::observe
