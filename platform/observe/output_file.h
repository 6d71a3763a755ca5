// Result files appear complete or not at all: written under a temporary name beside the target, which takes its place
// at the end.
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
    regular_file,  // they are a configuration Error
  };

  // Creates the temporary file at once, so that an unwritable folder is reported before any work is done.
  // `purpose` names the file in messages ("the result file"). Configuration Error with the system's reason.
  // When the target is a symbolic link, the file that it leads to is replaced and the link stays.
  OutputFile(std::string path, std::string purpose, Target target = Target::any);
  ~OutputFile();  // without commit(): no file is left
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& path() const { return path_; }
  const std::string& purpose() const { return purpose_; }
  bool writable() const { return writable_; }  // neither complete nor failed

  // Configuration Error OUTPUT_WRITE, and what was written is removed.
  void write(std::string_view bytes);
  // Ends writing, and reports what the system found out late (a quota on a network file system).
  void complete();
  // complete(), and the file takes its place.
  void commit();

  // For a file that others may read while it is written, in any order: where to write it, -1 if the target is a pipe or
  // a device.
  int descriptor() const { return temporary_ ? temporary_->descriptor() : -1; }
  // Takes its place before it is complete, and stays there whatever becomes of the process.
  void appear();
  // Goes on in a new file, which is empty, and returns the one of before. That keeps its place until the next appear()
  // or commit().
  std::unique_ptr<TemporaryFile> begin_anew();

  // For a library that opens the file itself: an absolute name. And the name that it gets, links followed.
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
  int put_in_place() noexcept;  // errno, 0 = done
  bool take_back() noexcept;    // false: it stays in its place
  void stay_in_place() noexcept;
  int replace() noexcept;

  std::string path_;
  std::string purpose_;
  std::string folder_path_;  // absolute
  std::string name_;         // in the folder
  int folder_ = -1;
  int direct_ = -1;
  int replaced_ = -1;  // the file that was there, held open so that nobody takes it for a leftover
  std::unique_ptr<TemporaryFile> temporary_;
  Place place_ = Place::not_yet;
  bool writable_ = false;
  bool appeared_ = false;
};

// Completes all, then puts all in their places, the first one last. If one of them cannot be, those that already are go
// back, older files are as before, and this is a configuration Error. Interrupts wait until it is done.
void commit_together(const std::vector<OutputFile*>& files);

// Whether commit_together() has succeeded in this process. Safe to call from a signal handler.
bool results_committed() noexcept;

// Creates a folder and its parents. Configuration Error with the system's reason and the option that names the folder.
void make_folder(const std::string& path, const std::string& option = "--out");

}  // namespace kb::observe
