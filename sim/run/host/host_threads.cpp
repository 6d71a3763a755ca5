#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES  // sc_spawn; before the first SystemC header
#endif
#include "sim/run/host/host_threads.h"

#include <algorithm>
#include <utility>

#include "platform/base/error.h"

namespace kb::sim {
namespace {

constexpr int kStackBytes = 4 << 20;  // workloads use ordinary library code; pages are committed on first use
constexpr const char* kTagName = "kb_host_thread";

}  // namespace

class HostThreads::Signal final : public contract::ISignal {
 public:
  explicit Signal(HostThreads& threads) : threads_(threads) {}

  void wait(const std::string& reason) override {
    Thread& thread = threads_.require_current("ISignal::wait");
    threads_.check_unwinding(thread);
    waiters_.push_back(thread.id);
    threads_.block(thread, reason);
    threads_.check_unwinding(thread);
  }

  void notify_all() override {
    for (std::uint64_t id : std::exchange(waiters_, {})) {
      const auto entry = threads_.threads_.find(id);
      if (entry != threads_.threads_.end() && entry->second->waiting) threads_.make_ready(*entry->second);
    }
  }

 private:
  HostThreads& threads_;
  std::vector<std::uint64_t> waiters_;
};

HostThreads::Thread::Thread(std::uint64_t id_value, std::string name_value, int rank_value)
    : id(id_value), name(std::move(name_value)), rank(rank_value), tag(kTagName, id_value) {}

HostThreads::~HostThreads() = default;

std::unique_ptr<contract::ISignal> HostThreads::make_signal() {
  return std::make_unique<Signal>(*this);
}

HostThreads::Thread& HostThreads::create(const std::string& name, int rank) {
  const std::uint64_t id = next_id_++;
  return *threads_.emplace(id, std::make_unique<Thread>(id, name, rank)).first->second;
}

void HostThreads::spawn(Thread& thread, std::function<void()> body) {
  sc_core::sc_spawn_options options;
  options.set_stack_size(kStackBytes);
  // A simulation with several devices has several such threads.
  const std::string process = sc_core::sc_gen_unique_name("host_thread");
  sc_core::sc_spawn([this, &thread, body = std::move(body)] { run(thread, body); }, process.c_str(), &options);
}

void HostThreads::run(Thread& thread, const std::function<void()>& body) {
  sc_core::sc_object* const process = sc_core::sc_get_current_process_handle().get_process_object();
  process->add_attribute(thread.tag);
  wait_for_turn(thread);
  body();
  scheduler_.foreground().leave();
  process->remove_attribute(kTagName);
  threads_.erase(thread.id);
  grant_next();
}

void HostThreads::start_main(std::function<void()> body) {
  Thread& thread = create("main program", -1);
  thread.granted = true;
  busy_ = true;
  main_finished_ = false;
  spawn(thread, [this, body = std::move(body)] {
    try {
      body();
    } catch (const sc_core::sc_unwind_exception&) {
      throw;
    } catch (...) {
      failure_ = std::current_exception();
    }
    main_finished_ = true;
  });
}

void HostThreads::run_workers(int count, const std::string& name, const std::function<void(int)>& body) {
  Thread& caller = require_current("run_workers");
  if (count < 1) throw Error::program("SCHEMA_ERROR", "spawn needs at least one worker, not " + std::to_string(count));
  // On the caller's stack, which exists until the last worker has returned, also during unwinding.
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(count));
  int running = count;
  for (int rank = 0; rank < count; ++rank) {
    Thread& worker = create(name + " rank " + std::to_string(rank), rank);
    spawn(worker, [this, rank, &body, &failures, &running, &caller] {
      try {
        body(rank);
      } catch (const sc_core::sc_unwind_exception&) {
        throw;
      } catch (...) {
        failures[static_cast<std::size_t>(rank)] = std::current_exception();
      }
      if (--running == 0) make_ready(caller);
    });
    make_ready(worker);
  }
  caller.joining = true;
  block(caller, "the " + std::to_string(count) + " workers of " + name);
  caller.joining = false;
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

HostThreads::Thread* HostThreads::current() const {
  if (sc_core::sc_get_curr_process_kind() != sc_core::SC_THREAD_PROC_) return nullptr;
  sc_core::sc_object* const process = sc_core::sc_get_current_process_handle().get_process_object();
  const auto* tag = dynamic_cast<const sc_core::sc_attribute<std::uint64_t>*>(process->get_attribute(kTagName));
  if (tag == nullptr) return nullptr;
  const auto entry = threads_.find(tag->value);
  return entry == threads_.end() ? nullptr : entry->second.get();
}

HostThreads::Thread& HostThreads::require_current(const char* what) const {
  Thread* const thread = current();
  if (thread == nullptr) throw Error::model(std::string(what) + " was called outside of a host thread");
  return *thread;
}

int HostThreads::current_worker() const {
  const Thread* const thread = current();
  return thread == nullptr ? -1 : thread->rank;
}

void HostThreads::make_ready(Thread& thread) {
  if (std::find(ready_.begin(), ready_.end(), thread.id) != ready_.end()) return;
  ready_.push_back(thread.id);
  if (!busy_) grant_next();
}

// Resumes the thread that has been ready for the longest time.
void HostThreads::grant_next() {
  busy_ = !ready_.empty();
  if (!busy_) return;
  Thread& thread = *threads_.at(ready_.front());
  ready_.pop_front();
  thread.granted = true;
  scheduler_.wake(thread.resume);
}

void HostThreads::block(Thread& thread, const std::string& reason) {
  thread.reason = reason;
  thread.since = scheduler_.now();
  thread.waiting = true;
  thread.granted = false;
  grant_next();
  wait_for_turn(thread);
  thread.waiting = false;
}

void HostThreads::wait_for_turn(Thread& thread) {
  scheduler_.foreground().leave();
  while (!thread.granted) sc_core::wait(thread.resume);
  scheduler_.foreground().enter(elab::UserCode::workload, nullptr, thread.name.c_str(), scheduler_.now());
}

void HostThreads::check_unwinding(const Thread& thread) const {
  if (!unwinding_) return;
  throw Error(ErrorFamily::no_progress, "TIMEOUT",
              thread.name + " was waiting for " + thread.reason + " when the run ended");
}

void HostThreads::collect_waits(std::vector<elab::WaitInfo>& waits) const {
  for (const auto& [id, thread] : threads_) {
    if (thread->waiting) waits.push_back({"host: " + thread->name, thread->reason, thread->since});
  }
}

void HostThreads::begin_unwinding() {
  unwinding_ = true;
  for (const auto& [id, thread] : threads_) {
    if (thread->waiting && !thread->joining) make_ready(*thread);
  }
}

void HostThreads::unwind() {
  if (threads_.empty() || sc_core::sc_get_status() != sc_core::SC_PAUSED) return;
  begin_unwinding();
  // The event engine may be ahead of the SystemC kernel when it wakes the threads.
  const auto now = static_cast<std::uint64_t>(scheduler_.now().fs());
  const std::uint64_t kernel = sc_core::sc_time_stamp().value();
  sc_core::sc_start(sc_core::sc_time::from_value(std::max(now, kernel) - kernel + 1));
}

}  // namespace kb::sim
