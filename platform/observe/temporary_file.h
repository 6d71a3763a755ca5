// Files that exist under a temporary name in the target's folder until they are complete.
#pragma once

#include <atomic>
#include <string>

namespace kb::observe {

// Creates and locks (flock) `.NAME.kernbench-<16 digits>.tmp` in the folder of NAME. A file with such a name that is
// not locked was left by a killed process; the next file for the same NAME removes it.
class TemporaryFile {
 public:
  // `folder` is a descriptor that outlives this object. std::system_error with the system's reason.
  TemporaryFile(int folder, const std::string& target_name);
  ~TemporaryFile();  // removes the file unless it was released or kept
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int descriptor() const { return file_; }
  const std::string& name() const { return name_; }  // name in the folder

  void remove() noexcept;
  void release() noexcept;  // closes the file and does not remove it
  void keep() noexcept;     // the file stays open and is no longer temporary

  // Removes all temporary files of this process. Safe in a signal handler.
  static void remove_all() noexcept;

 private:
  struct Entry;  // entry of the list that remove_all() walks

  static std::atomic<Entry*> entries_;

  static Entry* free_entry();
  bool create(const std::string& stem);

  int folder_;
  int file_ = -1;
  std::string name_;
  Entry* entry_ = nullptr;
};

}  // namespace kb::observe
