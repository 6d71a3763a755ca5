// Findings of an attack, grouped into classes; each has a folder that reproduces it.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tests/robustness/judges.h"

namespace kb::robustness {

class Report {
 public:
  // Folders of findings are made below `folder`.
  explicit Report(std::string folder) : folder_(std::move(folder)) {}

  // `id` identifies the case: a family and an index.
  void add(const std::string& id, const AttackCase& attack, const Trial& trial, const std::vector<Verdict>& verdicts);
  void skip(const std::string& family, const std::string& reason);
  void progress(const std::string& family, std::size_t done, std::size_t total) const;
  std::string summary() const;
  std::size_t classes() const { return classes_.size(); }

 private:
  struct Class {
    std::size_t count = 0;
    std::string id, text, folder;
  };
  struct Extreme {
    double value = 0.0;
    std::string id;
  };
  void keep(const std::string& id, const AttackCase& attack, const Trial& trial, const Verdict& verdict);

  std::string folder_;
  mutable std::mutex mutex_;
  std::size_t trials_ = 0;
  std::map<std::string, std::size_t> families_, ends_;
  std::map<std::string, Class> classes_;  // by judge and message without its numbers and names
  std::map<std::string, std::string> skipped_;
  Extreme slowest_, largest_;
};

// The part of a message that equal defects have in common.
std::string signature(const Verdict& verdict);

}  // namespace kb::robustness
