#include "sim/web/session.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <thread>

#include "sim/analysis/recorded/run_folder.h"
#include "sim/analysis/recorded/timeline.h"
#include "sim/web/api.h"
#include "sim/web/http_module.h"

namespace kb::web {
namespace {

using analysis::RunFolder;
using analysis::Timeline;

// From here on these signals wait until they are asked for, in all threads that are made later, too.
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

// Lets the page and its browser go first, for the rest of this thread and those that it makes: Linux has a nice value
// for each thread.
void yield_to_others() {
  constexpr int kNice = 10;
  ::setpriority(PRIO_PROCESS, 0, kNice);
}

// Reads the operations while the page is already being looked at.
class Loader {
 public:
  Loader(Timeline& timeline, const RunFolder& run) : end_seq_(run.operations().end_seq()) {
    thread_ = std::thread([this, &timeline, file = run.operations_file()] {
      yield_to_others();
      try {
        timeline.load(file, end_seq_, stop_);
        ready_ = !stop_;
      } catch (...) {
        failure_ = std::current_exception();
        failed_ = true;
      }
    });
  }
  ~Loader() {
    stop_ = true;
    thread_.join();
  }
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  const std::atomic<bool>& ready() const { return ready_; }
  void rethrow_failure() const {
    if (failed_) std::rethrow_exception(failure_);
  }

 private:
  std::int64_t end_seq_;
  std::atomic<bool> stop_{false}, ready_{false}, failed_{false};
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace

void serve(const SessionOptions& options, const std::function<void(const std::string&)>& say) {
  RunFolder run(options.folder, options.topology);
  std::optional<Timeline> timeline;
  if (run.has_operations()) timeline.emplace(run.operations().names());

  std::optional<Against> against;
  if (!options.against.empty()) against.emplace(options.against, run, options.folder);

  const AwaitedSignals signals;
  std::optional<Loader> loader;
  static const std::atomic<bool> kReady{true};
  if (timeline) loader.emplace(*timeline, run);
  const Api api(run, timeline ? &*timeline : nullptr, loader ? loader->ready() : kReady, against ? &*against : nullptr);
  const std::unique_ptr<HttpServer> server =
      load_http_server([&](const HttpRequest& request) { return api.answer(request); });
  server->start(options.port);
  say("The run of '" + run.name() + "' is shown at " + server->url());
  if (!run.has_operations()) {
    say("It has no ops.sqlite, so there is no timeline; run it with --record " + options.folder + " in place of --out");
  }
  if (!run.own_topology()) say("The topology is another one than that of the run.");
  if (against && !against->other_machine().empty()) say(against->other_machine());
  if (options.open_browser && !open_browser(server->url_for_one_use())) {
    say("No browser was found: open the address in one.");
  }
  say("Ctrl-C ends it.");
  while (!signals.arrived()) {
    if (loader) loader->rethrow_failure();
  }
  run.stop();
  if (against) against->run().stop();
  server->stop();
}

}  // namespace kb::web
