// One command at a time writes into an output folder.
#pragma once

#include <string>

namespace kb::files {

// Keeps other processes out of an output folder, which is made if it has to be: two at a time would mix their files.
// A process has one at a time; what is forked from it has none.
class FolderLock {
 public:
  // Configuration Error when another process has it; `what` writes there, in words ("evaluation").
  FolderLock(const std::string& folder, bool create, const std::string& what = "evaluation");
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int directory_ = -1;  // no folder: nothing to keep out
};

}  // namespace kb::files
