// The run that the page's run is compared with.
#pragma once

#include <string>

#include "sim/analysis/recorded/run_folder.h"

namespace kb::web {

class Against {
 public:
  // `folder` is that run; `page` and `page_folder` are the page's. Configuration Error when one of them is not the
  // folder of a run.
  Against(const std::string& folder, const analysis::RunFolder& page, const std::string& page_folder);

  const analysis::RunFolder& run() const { return run_; }
  // What to tell the user when that run was made on another machine; empty when not.
  const std::string& other_machine() const { return other_machine_; }
  // JSON: what `kernbench compare folder run_folder --json` prints, with the blocks that changed most alone,
  // and `other_machine`.
  const std::string& comparison() const { return comparison_; }

 private:
  analysis::RunFolder run_;
  std::string other_machine_, comparison_;
};

}  // namespace kb::web
