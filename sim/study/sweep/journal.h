// Answers of the points of a sweep.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "sim/study/files/journal.h"
#include "sim/study/sweep/answer.h"

namespace kb::sweep {

class Journal {
 public:
  explicit Journal(std::string folder) : journal_(std::move(folder), "finished points") {}

  void append(const std::string& key, const Answer& answer) { journal_.append(key, to_text(answer)); }

  // Answers by point key. If a point has several answers, a successful one counts, otherwise that of the last attempt.
  static std::map<std::string, Answer> read(const std::string& folder);

 private:
  files::Journal journal_;
};

}  // namespace kb::sweep
