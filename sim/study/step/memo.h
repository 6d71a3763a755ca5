// Answers for launches by key, in memory and in a folder that programs share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "sim/study/files/journal.h"
#include "sim/study/step/answer.h"
#include "sim/study/step/store_lines.h"

namespace kb::step {

class Memo {
 public:
  // `folder`: "" keeps nothing. Answers of other machines and versions stay in it. Configuration Error when it cannot
  // be made. `subject`: machine and model that are simulated.
  explicit Memo(const std::string& folder, Subject subject = {},
                std::int64_t now = files::Journal::now_in_milliseconds() / 1000);
  // Notes which answers of the folder were used, where the last note is a day old.
  ~Memo();
  Memo(const Memo&) = delete;
  Memo& operator=(const Memo&) = delete;

  const Answer* find(const std::string& key) const;
  // `kernel`: for what it is the answer (Subject).
  void add(const std::string& key, Answer answer, const std::string& kernel = "");
  std::size_t from_folder() const { return from_folder_; }

 private:
  void read(const std::string& folder);

  std::map<std::string, Answer> answers_;
  std::unique_ptr<files::Journal> journal_;
  Subject subject_;
  std::int64_t now_;
  std::size_t from_folder_ = 0;
  std::map<std::string, std::int64_t> last_uses_;  // of answers in the folder
  mutable std::set<std::string> used_;             // of these, with a last use that is a day old
};

}  // namespace kb::step
