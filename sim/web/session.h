// Runs `kernbench web` until Ctrl-C.
#pragma once

#include <functional>
#include <string>

#include "sim/web/site.h"

namespace kb::web {

struct SessionOptions {
  SiteOptions site;
  int port = 0;  // 0: any free port
  bool open_browser = true;
};

// Serves until SIGINT, SIGTERM or SIGHUP. `say` prints a line for the user. Configuration Error when the
// input cannot be read or the port is in use.
void serve(const SessionOptions& options, const std::function<void(const std::string&)>& say);

// Starts the user's browser; false when there is none.
bool open_browser(const std::string& url);

}  // namespace kb::web
