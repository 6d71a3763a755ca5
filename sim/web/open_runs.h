// The open runs of a folder: opened on the first request; the most recently used ones stay open.
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
  static constexpr std::size_t kMost = 3;  // maximum number of open runs, because each has its operations in memory

  explicit OpenRuns(analysis::RunList& runs) : runs_(runs) {}

  // Answers a request for the run `in`; `against` names the run to compare with; empty: none. A run whose files have
  // changed is opened again. Configuration Error when the run does not exist or cannot be read.
  HttpResponse answer(const std::string& in, const std::string& against, const HttpRequest& request);
  std::size_t open() const;
  // Ends running queries immediately.
  void stop() const;

 private:
  struct Slot {
    std::string key;
    std::mutex opening;
    std::shared_ptr<const OpenRun> run;  // null until opened
  };
  std::shared_ptr<Slot> slot(const std::string& key);

  analysis::RunList& runs_;
  mutable std::mutex mutex_;
  std::list<std::shared_ptr<Slot>> slots_;  // most recently used first
};

}  // namespace kb::web
