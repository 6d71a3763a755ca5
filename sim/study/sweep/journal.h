// Persistent answers of the points of a sweep, which survive when a process is killed.
#pragma once

#include <map>
#include <string>

#include "sim/study/sweep/answer.h"

namespace kb::sweep {

// Each process that runs points has a separate file in the journal's folder and appends one line per answer, in one
// write. Lines have a checksum: an incomplete line after a full disk or a crash is ignored. All files are read
// together, so that processes on several computers can share a folder without locks.
class Journal {
 public:
  // The file is created with the first answer.
  explicit Journal(std::string folder);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Configuration Error when the answer cannot be written; earlier answers stay.
  void append(const std::string& key, const Answer& answer);

  // Answers by point key. If a point has several answers, a successful one counts, otherwise that of the last attempt.
  static std::map<std::string, Answer> read(const std::string& folder);

 private:
  void open();

  std::string folder_;
  std::string path_;
  int descriptor_ = -1;
  long long end_ = 0;  // end of the last complete line
};

}  // namespace kb::sweep
