// Files that exist until their contents are complete, under a name of their own beside the final one.
#pragma once

#include <atomic>
#include <string>

namespace kb::observe {

// `.NAME.kernbench-<16 digits>.tmp` beside NAME, created new and locked (flock) for as long as its process lives. A
// file of this pattern that can be locked is what a killed process left; the next file for the same NAME removes it.
class TemporaryFile {
 public:
  // `folder` is a descriptor, which has to outlive this object. std::system_error with the system's reason.
  TemporaryFile(int folder, const std::string& target_name);
  ~TemporaryFile();  // removes the file unless it was released or kept
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int descriptor() const { return file_; }
  const std::string& name() const { return name_; }  // in the folder

  void remove() noexcept;
  void release() noexcept;  // closes the file, and leaves what has its name alone
  void keep() noexcept;     // the file stays open and is not temporary any more

  // Removes every temporary file that this process has. Safe to call from a signal handler.
  static void remove_all() noexcept;

 private:
  struct Entry;  // of the list that remove_all() walks

  static std::atomic<Entry*> entries_;

  static Entry* free_entry();
  bool create(const std::string& stem);

  int folder_;
  int file_ = -1;
  std::string name_;
  Entry* entry_ = nullptr;
};

}  // namespace kb::observe
