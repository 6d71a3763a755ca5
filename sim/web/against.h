// The run that the page's run is compared with.
#pragma once

#include <string>

#include "sim/web/run_folder.h"

namespace kb::web {

class Against {
 public:
  // `folder` is that run, `run_folder` the page's. Configuration Error when one of them is not the folder of a run.
  Against(const std::string& folder, const std::string& run_folder);

  const RunFolder& run() const { return run_; }
  // JSON: what `kernbench compare folder run_folder --json` prints, with the blocks that changed most alone.
  const std::string& comparison() const { return comparison_; }

 private:
  RunFolder run_;
  std::string comparison_;
};

}  // namespace kb::web
