// One run that the page shows: its folder, its operations, and the run that it is compared with.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sim/analysis/recorded/run_folder.h"
#include "sim/analysis/recorded/timeline.h"
#include "sim/web/against.h"
#include "sim/web/api.h"
#include "sim/web/http_server.h"

namespace kb::web {

// The operations are read in the background, and the page is answered meanwhile.
class OpenRun {
 public:
  // `topology`: as of RunFolder. `against`: folder of the run to compare with; empty: none. Configuration Errors as of
  // RunFolder and Against.
  OpenRun(const std::string& folder, const std::string& topology, const std::string& against);
  ~OpenRun();
  OpenRun(const OpenRun&) = delete;
  OpenRun& operator=(const OpenRun&) = delete;

  HttpResponse answer(const HttpRequest& request) const { return api_->answer(request); }
  // Rethrows what has ended the reading of the operations, if anything has.
  void rethrow_failure() const;
  // Queries that run, and those that come, end at once.
  void stop() const;

  const analysis::RunFolder& folder() const { return run_; }
  const std::optional<Against>& against() const { return against_; }

 private:
  class Loader;

  analysis::RunFolder run_;
  std::optional<Against> against_;
  std::optional<analysis::Timeline> timeline_;
  std::unique_ptr<Loader> loader_;
  std::optional<Api> api_;
};

}  // namespace kb::web
