// Requests of the page to the server.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "sim/analysis/recorded/operation_routes.h"
#include "sim/analysis/recorded/run_folder.h"
#include "sim/analysis/recorded/timeline.h"
#include "sim/web/comparison_run.h"
#include "sim/web/http_server.h"

namespace kb::web {

// Answers are JSON, except tiles and strips of states, which are one line of JSON, padded with blanks, followed by
// little-endian columns that begin at multiples of eight bytes. A tile has for each bucket: time share (float), count
// (32 bits), dominant operation (16 bits). If there are few operations, it also has their starts and ends relative to
// the first bucket (double), numbers (32 bits), rows and kinds (16 bits each). A strip has one byte per part: its share
// as a fraction of 255.
class Api {
 public:
  // `timeline` is null for a run without operations. `against` is the run for comparison, or null.
  Api(analysis::RunFolder& run, const analysis::Timeline* timeline, const std::atomic<bool>& ready,
      const ComparisonRun* against = nullptr);

  HttpResponse answer(const HttpRequest& request) const;

 private:
  using Route = HttpResponse (Api::*)(const HttpRequest&) const;

  HttpResponse run(const HttpRequest& request) const;
  HttpResponse words(const HttpRequest& request) const;
  HttpResponse comparison(const HttpRequest& request) const;
  HttpResponse state(const HttpRequest& request) const;
  HttpResponse nodes(const HttpRequest& request) const;
  HttpResponse rows(const HttpRequest& request) const;
  HttpResponse tiles(const HttpRequest& request) const;
  HttpResponse operation(const HttpRequest& request) const;
  HttpResponse operations(const HttpRequest& request) const;
  HttpResponse operations_csv(const HttpRequest& request) const;
  HttpResponse launches_csv(const HttpRequest& request) const;
  // Implemented in activity_api.cpp.
  HttpResponse machine(const HttpRequest& request) const;
  HttpResponse activity(const HttpRequest& request) const;
  HttpResponse classes(const HttpRequest& request) const;
  HttpResponse cells(const HttpRequest& request) const;
  HttpResponse profile(const HttpRequest& request) const;
  HttpResponse work(const HttpRequest& request) const;
  HttpResponse messages(const HttpRequest& request) const;
  HttpResponse activity_csv(const HttpRequest& request) const;
  // Implemented in cause_api.cpp.
  HttpResponse states(const HttpRequest& request) const;
  HttpResponse chain(const HttpRequest& request) const;
  HttpResponse related(const HttpRequest& request) const;
  HttpResponse route(const HttpRequest& request) const;
  // Implemented in line_api.cpp.
  HttpResponse kernel(const HttpRequest& request) const;

  data::OpQuery query_of(const HttpRequest& request) const;
  void need_operations() const;
  // The run, or for run=against the run for comparison.
  const analysis::RunFolder& run_of(const HttpRequest& request) const;

  analysis::RunFolder& run_;
  const analysis::Timeline* timeline_;
  const std::atomic<bool>& ready_;
  const ComparisonRun* against_;
  mutable std::once_flag routes_made_;
  mutable std::optional<analysis::OperationRoutes> routes_;
};

}  // namespace kb::web
