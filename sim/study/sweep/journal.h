// What is known of the points of a sweep, on the disk: nothing of it is lost when a process is killed.
#pragma once

#include <map>
#include <string>

#include "sim/study/sweep/answer.h"

namespace kb::sweep {

// A process that runs points has a file of its own in the journal's folder and appends one line per answer, in one
// write. Lines carry a checksum: one that was cut off by a full disk or a broken computer counts as not written. Files
// are read together, so that processes on many computers with one folder need no locks.
class Journal {
 public:
  // The file is made with the first answer.
  explicit Journal(std::string folder);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Configuration Error when it cannot be written; the answers before stay.
  void append(const std::string& key, const Answer& answer);

  // Answers by the key of a point. Where a point has several, one that is ok counts, else the last attempt.
  static std::map<std::string, Answer> read(const std::string& folder);

 private:
  void open();

  std::string folder_;
  std::string path_;
  int descriptor_ = -1;
  long long end_ = 0;  // of the last whole line
};

}  // namespace kb::sweep
