// The run with which the page's run is compared.
#pragma once

#include <string>

#include "sim/analysis/recorded/run_folder.h"

namespace kb::web {

class ComparisonRun {
 public:
  // `folder` is that run; `page` and `page_folder` are the page's. Configuration Error when one of them is not the
  // folder of a run.
  ComparisonRun(const std::string& folder, const analysis::RunFolder& page, const std::string& page_folder);

  const analysis::RunFolder& run() const { return run_; }
  // Message for the user when that run used another machine; otherwise empty.
  const std::string& other_machine() const { return other_machine_; }
  // JSON output of `kernbench compare folder run_folder --json`, with only the most changed blocks, and with
  // `other_machine`.
  const std::string& comparison() const { return comparison_; }

 private:
  analysis::RunFolder run_;
  std::string other_machine_, comparison_;
};

}  // namespace kb::web
