// The event engine of all blocks with timed actions. Events are plain values in an exact (time, schedule order)
// sequence, driven by a single sc_event. A few pending events are kept in a sorted array, many in a timing wheel. The
// engine runs ahead of SystemC time while the SystemC kernel has no other pending activity, so that blocks must use
// now() and not sc_time_stamp(). Embedded in another simulation it follows SystemC's time
// (docs/architecture/cosimulation.md).
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "platform/base/units.h"
#include "platform/elab/foreground.h"

namespace kb::elab {

class EventHandler {
 public:
  virtual void on_event(TimeFs now, std::uint64_t argument) = 0;

 protected:
  ~EventHandler() = default;
};

// Configures the engine inside another simulation: it never stops that simulation, and no exception leaves its process.
struct Embedding {
  bool run_ahead = false;       // the owner guarantees one sc_start() and no calls at other times
  std::function<void()> ended;  // called when the run is over; failure() or the texts of EventScheduler give the reason
  std::function<void()> drained;  // called when no event is pending
};

class EventScheduler final : public sc_core::sc_module {
 public:
  explicit EventScheduler(const sc_core::sc_module_name& name);
  ~EventScheduler() override;

  // Time of the current event; in a thread, the time at which it was resumed.
  TimeFs now() const { return now_; }

  // Current time for a SystemC process; it may be later than the latest event.
  TimeFs present();

  // Must be called before the simulation starts.
  void embed(Embedding embedding);

  // Calls handler.on_event(at, argument) at absolute time `at` >= now(). Events with equal times run in schedule order.
  // An event later than kTimeEnd is not executed; it ends the run (pass_end).
  void schedule(TimeFs at, EventHandler& handler, std::uint64_t argument = 0);

  // Resumes the threads waiting on `event` at the current engine time, after all engine events of that time. The engine
  // does not run ahead until they have run.
  void wake(sc_core::sc_event& event);

  // Blocks the calling SC_THREAD until absolute time `at`; returns immediately when at <= now().
  void wait_until(TimeFs at);

  // Stops the run at the first event later than `limit`; limit_reached() is true then.
  void set_time_limit(TimeFs limit) { time_limit_ = limit; }
  bool limit_reached() const { return limit_reached_; }
  TimeFs time_limit() const { return time_limit_; }
  // Ends the run soon, regardless of simulated time. This is the only method that another thread may call.
  void request_end() { end_requested_.store(true, std::memory_order_relaxed); }
  bool end_requested() const { return end_requested_.load(std::memory_order_relaxed); }
  // Aborts the run at the current time; only the first call counts. A kernel thread that calls this blocks forever.
  void give_up(const std::string& reason);
  // Reason given to give_up(); empty when it was not called.
  const std::string& given_up() const { return given_up_; }
  // Ends the run at the current time because `what` would last beyond kTimeEnd; only the first call counts. The caller
  // skips the action that it cannot represent.
  void pass_end(const std::string& what);
  // Sentence given to pass_end(); empty when it was not called.
  const std::string& passed_end() const { return passed_end_; }
  // Sets a function that is called every `events` events (a power of two); when it returns true, the run ends (Ctrl-C,
  // progress output).
  void set_poll(std::function<bool()> poll, std::uint64_t events = kPolled) {
    poll_ = std::move(poll);
    poll_mask_ = events - 1;
  }

  // Ends the run at the current time with an exception, which is thrown out of the simulation after the current event
  // or call; only the first call counts. Use it for errors inside code that might catch an exception.
  void fail(std::exception_ptr error);
  bool failed() const { return failure_ != nullptr; }
  std::exception_ptr failure() const { return failure_; }

  // User code that is running now; one per process, because a process has one simulation.
  static Foreground& foreground() { return foreground_; }

  std::uint64_t events() const { return handled_; }
  static constexpr std::uint64_t kPolled = 1u << 14;
  std::uint64_t pending() const { return pending_; }

 private:
  static constexpr std::uint32_t kNil = 0xffffffffu;

  struct Event {
    TimeFs time;
    std::uint64_t order = 0;
    EventHandler* handler = nullptr;
    std::uint64_t argument = 0;
  };
  struct Cell {
    Event event;
    std::uint32_t next = kNil;
  };
  // A slot lasts ~0.13 ns: flits are 0.5 .. 2 ns apart, so that a slot rarely holds more than one flit time.
  static constexpr int kSlotShift = 17;
  static constexpr std::uint64_t kSlots = 1u << 14;
  // Up to this number of pending events, all are kept in current_, whatever their slots are.
  static constexpr std::size_t kFew = 8;

  static std::int64_t slot_of(TimeFs time) { return time.fs() >> kSlotShift; }
  void run_method();
  TimeFs horizon() const;
  bool run_events(TimeFs ahead_until);
  bool run_guarded(TimeFs ahead_until);
  bool next_slot();
  std::int64_t next_occupied_slot() const;
  TimeFs next_event_time();
  std::size_t waiting() const { return current_.size() - cursor_; }
  void insert_current(const Event& event);
  void insert_later(const Event& event);
  void insert_wheel(const Event& event);
  void spread();
  void arm(TimeFs at);
  void stop();
  void refuse(TimeFs at, const EventHandler& handler);

  sc_core::sc_event run_event_;
  std::vector<Cell> cells_;  // pool of the wheel's list cells
  std::uint32_t free_cell_ = kNil;
  std::vector<std::uint32_t> heads_;           // per slot: first cell of its list
  std::vector<std::uint64_t> occupied_;        // bit per slot
  std::vector<std::uint64_t> occupied_words_;  // bit per word of occupied_
  std::vector<Event> current_;                 // sorted events of all slots up to current_slot_
  std::size_t cursor_ = 0;                     // index of the next event in current_
  std::int64_t current_slot_ = 0;
  bool alone_ = false;      // current_ may span several slots; wheel and far_ are empty
  std::vector<Event> far_;  // min-heap: events beyond the wheel's horizon
  TimeFs now_ = 0_fs;
  TimeFs armed_at_ = kNever;
  TimeFs time_limit_ = kNever;
  std::uint64_t order_ = 0;
  std::uint64_t handled_ = 0;
  std::uint64_t pending_ = 0;
  bool running_ = false;
  bool threads_woken_ = false;
  bool limit_reached_ = false;
  bool stopped_ = false;
  std::function<bool()> poll_;
  std::uint64_t poll_mask_ = kPolled - 1;
  std::unique_ptr<Embedding> embedding_;  // null in kernbench's own simulation
  std::string passed_end_;
  std::string given_up_;
  std::atomic<bool> end_requested_{false};
  std::exception_ptr failure_;
  static Foreground foreground_;
};

}  // namespace kb::elab
