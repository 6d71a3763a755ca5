// Runs of a folder that pages look at: opened when they are asked for, the latest few kept.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "sim/analysis/recorded/run_list.h"
#include "sim/web/open_run.h"

namespace kb::web {

class OpenRuns {
 public:
  static constexpr std::size_t kMost = 3;  // at once: each has its operations in memory

  explicit OpenRuns(analysis::RunList& runs) : runs_(runs) {}

  // What the run with the name `in` answers; `against` names the one that it is compared with, if any. A run whose
  // files have changed is opened again. Configuration Error when there is no such run, or it cannot be read.
  HttpResponse answer(const std::string& in, const std::string& against, const HttpRequest& request);
  std::size_t open() const;
  // Queries that run end at once.
  void stop() const;

 private:
  struct Slot {
    std::string key;
    std::mutex opening;
    std::shared_ptr<const OpenRun> run;  // null until it is open
  };
  std::shared_ptr<Slot> slot(const std::string& key);

  analysis::RunList& runs_;
  mutable std::mutex mutex_;
  std::list<std::shared_ptr<Slot>> slots_;  // the latest one first
};

}  // namespace kb::web
