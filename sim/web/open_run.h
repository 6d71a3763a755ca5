// A run shown by the page: its folder, its operations, and the run that it is compared with.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sim/analysis/recorded/run_folder.h"
#include "sim/analysis/recorded/timeline.h"
#include "sim/web/api.h"
#include "sim/web/comparison_run.h"
#include "sim/web/http_server.h"

namespace kb::web {

// The operations are read in the background, while requests of the page are already answered.
class OpenRun {
 public:
  // `topology`: see RunFolder. `against`: folder of the run to compare with; empty: none. Throws the configuration
  // Errors of RunFolder and ComparisonRun.
  OpenRun(const std::string& folder, const std::string& topology, const std::string& against);
  ~OpenRun();
  OpenRun(const OpenRun&) = delete;
  OpenRun& operator=(const OpenRun&) = delete;

  HttpResponse answer(const HttpRequest& request) const { return api_->answer(request); }
  // Rethrows the exception with which the reading of the operations failed, if any.
  void rethrow_failure() const;
  // Ends running and later queries immediately.
  void stop() const;

  const analysis::RunFolder& folder() const { return run_; }
  const std::optional<ComparisonRun>& against() const { return against_; }

 private:
  class Loader;

  analysis::RunFolder run_;
  std::optional<ComparisonRun> against_;
  std::optional<analysis::Timeline> timeline_;
  std::unique_ptr<Loader> loader_;
  std::optional<Api> api_;
};

}  // namespace kb::web
