#include "sim/web/open_run.h"

#include <sys/resource.h>

#include <atomic>
#include <exception>
#include <thread>

namespace kb::web {
namespace {

using analysis::RunFolder;
using analysis::Timeline;

// Lowers the priority of this thread and of threads that it creates, in favour of the page and its browser: Linux has a
// nice value per thread.
void yield_to_others() {
  constexpr int kNice = 10;
  ::setpriority(PRIO_PROCESS, 0, kNice);
}

}  // namespace

// Reads the operations while the page is already in use.
class OpenRun::Loader {
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

OpenRun::OpenRun(const std::string& folder, const std::string& topology, const std::string& against)
    : run_(folder, topology) {
  static const std::atomic<bool> kReady{true};
  if (run_.has_operations()) timeline_.emplace(run_.operations().names());
  if (!against.empty()) against_.emplace(against, run_, folder);
  if (timeline_) loader_ = std::make_unique<Loader>(*timeline_, run_);
  api_.emplace(run_, timeline_ ? &*timeline_ : nullptr, loader_ ? loader_->ready() : kReady,
               against_ ? &*against_ : nullptr);
}

OpenRun::~OpenRun() = default;

void OpenRun::rethrow_failure() const {
  if (loader_) loader_->rethrow_failure();
}

void OpenRun::stop() const {
  run_.stop();
  if (against_) against_->run().stop();
}

}  // namespace kb::web
