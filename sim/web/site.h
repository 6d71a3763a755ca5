// Contents of `kernbench web`: a run, the runs of a folder, a sweep, served requests, a step of a model, or a machine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/web/http_server.h"

namespace kb::web {

struct SiteOptions {
  std::string place;     // a folder, topology.json, or the file of a step
  std::string topology;  // output of `kernbench topology --json`; empty: the topology of the run
  std::string against;   // folder of the run, or file of the step, to compare with; empty: none
  std::string machine;   // machine to show, output of `kernbench topology --json`; empty: shows `place`
};

// "/api/site" tells the page which of these it is: {"kind": "run", "runs", "sweep", "requests", "step" or "machine",
// "name"}.
class Site {
 public:
  Site() = default;
  virtual ~Site() = default;
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  // Called by several threads concurrently.
  HttpResponse answer(const HttpRequest& request);
  // Lines for the user; the first one ends before the address.
  virtual std::vector<std::string> greeting() const = 0;
  // Rethrows an exception of the background work that makes the page useless.
  virtual void check() const {}
  // Ends running queries immediately.
  virtual void stop() const {}

 protected:
  virtual const char* kind() const = 0;
  virtual std::string name() const = 0;
  virtual HttpResponse answer_api(const HttpRequest& request) = 0;
};

// Configuration Error when `place` is none of these; its remedy lists the possibilities.
std::unique_ptr<Site> make_site(const SiteOptions& options);

}  // namespace kb::web
