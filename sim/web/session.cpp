#include "sim/web/session.h"

#include <pthread.h>
#include <signal.h>

#include <memory>
#include <vector>

#include "sim/web/http_module.h"

namespace kb::web {
namespace {

// Blocks these signals in all threads that are created later; they are delivered only when requested.
class AwaitedSignals {
 public:
  AwaitedSignals() {
    ::sigemptyset(&set_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&set_, signal);
    ::pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~AwaitedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AwaitedSignals(const AwaitedSignals&) = delete;
  AwaitedSignals& operator=(const AwaitedSignals&) = delete;

  bool arrived() const {
    constexpr long kLookEvery = 100'000'000;
    const timespec time{0, kLookEvery};
    return ::sigtimedwait(&set_, nullptr, &time) > 0;
  }

 private:
  sigset_t set_, before_;
};

}  // namespace

void serve(const SessionOptions& options, const std::function<void(const std::string&)>& say) {
  const AwaitedSignals signals;
  const std::unique_ptr<Site> site = make_site(options.site);
  const std::unique_ptr<HttpServer> server =
      load_http_server([&](const HttpRequest& request) { return site->answer(request); });
  server->start(options.port);
  std::vector<std::string> lines = site->greeting();
  lines.front() += server->url();
  for (const std::string& line : lines) say(line);
  if (options.open_browser && !open_browser(server->url_for_one_use())) {
    say("No browser was found: open the address in one.");
  }
  say("Ctrl-C ends it.");
  while (!signals.arrived()) site->check();
  site->stop();
  server->stop();
}

}  // namespace kb::web
