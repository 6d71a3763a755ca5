// Persistent answers of a long study, which survive when a process is killed.
#pragma once

#include <functional>
#include <string>

namespace kb::files {

// Each process that has answers has a separate file in the journal's folder and appends one line per answer, in one
// write. Lines have a checksum: an incomplete line after a full disk or a crash is ignored. All files are read
// together, so that processes on several computers can share a folder without locks.
class Journal {
 public:
  // The file is created with the first answer. `kept` is for messages: "finished points".
  Journal(std::string folder, std::string kept);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // `key` has no space, `value` no line feed. Configuration Error when the answer cannot be written; earlier answers
  // stay.
  void append(const std::string& key, const std::string& value);

  using Take = std::function<void(const std::string& key, const std::string& value)>;
  // All answers in the order in which they were written, as far as the clocks of the computers agree; a key may have
  // several.
  static void read(const std::string& folder, const Take& take);

 private:
  void open();

  [[noreturn]] void fail(const char* what) const;

  std::string folder_, kept_;
  std::string path_;
  int descriptor_ = -1;
  long long end_ = 0;  // end of the last complete line
};

}  // namespace kb::files
