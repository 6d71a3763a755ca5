// What `kernbench web` shows: a run, the runs of a folder, a sweep, or a machine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/web/http_server.h"

namespace kb::web {

struct SiteOptions {
  std::string place;     // a folder, or topology.json
  std::string topology;  // as `kernbench topology --json` prints it; empty: that of the run
  std::string against;   // folder of the run to compare with; empty: none
  std::string
      machine;  // the machine to show, as `kernbench topology --json` prints it; empty: `place` says what to show
};

// The page asks "/api/site" which of them it is: {"kind": "run", "runs", "sweep" or "machine", "name"}.
class Site {
 public:
  Site() = default;
  virtual ~Site() = default;
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  // From several threads at once.
  HttpResponse answer(const HttpRequest& request);
  // Lines for the user; the first one ends before the address.
  virtual std::vector<std::string> greeting() const = 0;
  // Rethrows what has gone wrong in the background and makes the page useless.
  virtual void check() const {}
  // What runs ends at once.
  virtual void stop() const {}

 protected:
  virtual const char* kind() const = 0;
  virtual std::string name() const = 0;
  virtual HttpResponse answer_api(const HttpRequest& request) = 0;
};

// Configuration Error when `place` is none of these, which says what would be.
std::unique_ptr<Site> make_site(const SiteOptions& options);

}  // namespace kb::web
