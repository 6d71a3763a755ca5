// Persistent answers of a long study, which survive when a process is killed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kb::files {

// Each process that has answers has a separate file in the journal's folder and appends one line per answer, in one
// write. Lines have a checksum: an incomplete line after a full disk or a crash is ignored. All files are read
// together, so that processes on several computers can share a folder without locks. While a writer lives it has a
// shared lock on its own file: who wants to remove the file takes the exclusive one.
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

  // For programs that look after a folder: the files in the order of reading, one of them with the number of its lines
  // that are damaged, the line of an answer with its end, a name for a new file, and the second since 1970 at which the
  // file of that name was begun (0: the name does not say).
  static std::vector<std::string> files(const std::string& folder);
  static std::size_t read_file(const std::string& file, const Take& take);
  static std::string line(const std::string& key, const std::string& value);
  static std::string new_name(const std::string& folder, std::int64_t milliseconds);
  static std::int64_t begun(const std::string& file);
  static std::int64_t now_in_milliseconds();

 private:
  void open();
  bool create(std::int64_t milliseconds);

  [[noreturn]] void fail(const char* what) const;

  std::string folder_, kept_;
  std::string path_;
  int descriptor_ = -1;
  long long end_ = 0;  // end of the last complete line
};

}  // namespace kb::files
