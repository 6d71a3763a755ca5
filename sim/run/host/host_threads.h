// The threads of the host side: the main program and the workers of spawn. They are cooperative: one runs at a time,
// and threads that become ready at the same simulated time run in the order in which they became ready, so that results
// do not depend on SystemC's process order.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "platform/contract/i_host.h"
#include "platform/elab/block.h"
#include "platform/elab/event_scheduler.h"

namespace kb::sim {

class HostThreads {
 public:
  explicit HostThreads(elab::EventScheduler& scheduler) : scheduler_(scheduler) {}
  ~HostThreads();
  HostThreads(const HostThreads&) = delete;
  HostThreads& operator=(const HostThreads&) = delete;

  // Starts the main program at the current simulated time (once, before the simulation starts). failure() returns an
  // exception that escapes it.
  void start_main(std::function<void()> body);
  bool main_finished() const { return main_finished_; }  // also true when none was started
  std::exception_ptr failure() const { return failure_; }

  // Runs body(0 .. count-1) in separate threads and blocks the calling host thread until all have returned. The
  // exception of the lowest rank is rethrown. Program Error SCHEMA_ERROR when count < 1.
  void run_workers(int count, const std::string& name, const std::function<void(int)>& body);
  // Rank of the calling thread in the innermost run_workers; -1 in the main program and outside host threads.
  int current_worker() const;

  std::unique_ptr<contract::ISignal> make_signal();

  // The waits of all blocked threads, in order of creation.
  void collect_waits(std::vector<elab::WaitInfo>& waits) const;

  // Ends every thread of a deadlocked run: each pending and later wait throws an Error of family no_progress, so that
  // the stacks unwind. Runs the simulation up to the engine's current time for this. Has no effect when no thread is
  // alive or the simulation was stopped.
  void unwind();
  // The first half of unwind(): the continuing simulation unwinds the threads.
  void begin_unwinding();
  std::size_t alive() const { return threads_.size(); }

 private:
  class Signal;
  struct Thread {
    Thread(std::uint64_t id_value, std::string name_value, int rank_value);
    std::uint64_t id;
    std::string name;
    int rank;
    sc_core::sc_attribute<std::uint64_t> tag;  // attribute of the process object, by which current() finds the record
    sc_core::sc_event resume;
    bool granted = false;  // may run
    bool waiting = false;
    bool joining = false;  // waits for its workers, which also end first during unwinding
    std::string reason;
    TimeFs since = 0_fs;
  };

  Thread& create(const std::string& name, int rank);
  void spawn(Thread& thread, std::function<void()> body);
  void run(Thread& thread, const std::function<void()>& body);
  Thread* current() const;
  Thread& require_current(const char* what) const;
  void make_ready(Thread& thread);
  void grant_next();
  void block(Thread& thread, const std::string& reason);
  void wait_for_turn(Thread& thread);
  void check_unwinding(const Thread& thread) const;

  elab::EventScheduler& scheduler_;
  std::map<std::uint64_t, std::unique_ptr<Thread>> threads_;  // alive
  std::deque<std::uint64_t> ready_;
  std::uint64_t next_id_ = 1;
  bool busy_ = false;  // a thread is running or has been resumed
  bool unwinding_ = false;
  bool main_finished_ = true;
  std::exception_ptr failure_;
};

}  // namespace kb::sim
