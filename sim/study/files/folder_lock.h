// Lock on an output folder.
#pragma once

#include <string>

namespace kb::files {

// Prevents other processes from writing to an output folder, which is created if necessary. A process has one lock at a
// time; forked processes do not inherit it.
class FolderLock {
 public:
  // Configuration Error when another process has the lock; `what` describes the writer ("evaluation"), `remedy` what to
  // do.
  FolderLock(const std::string& folder, bool create, const std::string& what = "evaluation",
             const std::string& remedy = "wait until it has ended, or choose another folder with --out");
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int directory_ = -1;  // -1: no folder to lock
};

}  // namespace kb::files
