#include "platform/elab/event_scheduler.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "platform/base/error.h"
#include "platform/elab/block.h"

namespace kb::elab {
namespace {

struct Later {
  template <typename E>
  bool operator()(const E& a, const E& b) const {
    return a.time != b.time ? a.time > b.time : a.order > b.order;
  }
};

struct Earlier {
  template <typename E>
  bool operator()(const E& a, const E& b) const {
    return a.time != b.time ? a.time < b.time : a.order < b.order;
  }
};

sc_core::sc_time to_sc(TimeFs time) {
  return sc_core::sc_time::from_value(static_cast<std::uint64_t>(time.fs()));
}
TimeFs from_sc(const sc_core::sc_time& time) {
  return TimeFs(static_cast<std::int64_t>(time.value()));
}
TimeFs kernel_now() {
  return from_sc(sc_core::sc_time_stamp());
}

// The block with the handler among these objects, for any base class of the handler.
const Block* find_block(const std::vector<sc_core::sc_object*>& objects, const void* handler) {
  for (const sc_core::sc_object* object : objects) {
    const auto* const block = dynamic_cast<const Block*>(object);
    if (block != nullptr && dynamic_cast<const void*>(block) == handler) return block;
    if (const Block* const below = find_block(object->get_child_objects(), handler)) return below;
  }
  return nullptr;
}

std::string name_of(const EventHandler& handler) {
  const void* const object = dynamic_cast<const void*>(&handler);
  if (const Block* const block = find_block(sc_core::sc_get_top_level_objects(), object)) return block->node_id();
  const sc_core::sc_process_handle process = sc_core::sc_get_current_process_handle();
  if (!process.valid() || process.proc_kind() != sc_core::SC_THREAD_PROC_) return "an operation";
  const auto* const block = dynamic_cast<const Block*>(process.get_parent_object());
  return block != nullptr ? block->node_id() : process.name();
}

}  // namespace

Foreground EventScheduler::foreground_;

EventScheduler::EventScheduler(const sc_core::sc_module_name& name)
    : sc_core::sc_module(name),
      run_event_("run_event"),
      heads_(kSlots, kNil),
      occupied_(kSlots / 64, 0),
      occupied_words_(kSlots / 4096, 0) {
  SC_HAS_PROCESS(EventScheduler);
  SC_METHOD(run_method);
  dont_initialize();
  sensitive << run_event_;
}

EventScheduler::~EventScheduler() = default;

void EventScheduler::schedule(TimeFs at, EventHandler& handler, std::uint64_t argument) {
  if (!running_) now_ = std::max(now_, kernel_now());
  if (static_cast<std::uint64_t>((at - now_).fs()) > static_cast<std::uint64_t>((kTimeEnd - now_).fs())) {
    refuse(at, handler);
    return;
  }
  const Event event{at, order_++, &handler, argument};
  if (alone_ && waiting() >= kFew) spread();
  const std::int64_t slot = slot_of(at);
  if (slot > current_slot_ && waiting() < kFew && pending_ == waiting()) {
    current_slot_ = slot;
    alone_ = true;
  }
  ++pending_;
  if (slot <= current_slot_) {
    insert_current(event);
  } else {
    insert_later(event);
  }
  if (!running_ && at < armed_at_) arm(at);
}

void EventScheduler::refuse(TimeFs at, const EventHandler& handler) {
  if (at < now_) {
    throw Error::model("event scheduled at " + format_ns(at) + " ns, before the current time " + format_ns(now_) +
                       " ns");
  }
  pass_end("the work of " + name_of(handler));
}

void EventScheduler::pass_end(const std::string& what) {
  if (passed_end_.empty()) {
    passed_end_ = "simulated time would pass its end at " + format_ns(kTimeEnd) + " ns: " + what +
                  " takes longer than what is left at " + format_ns(now_) +
                  " ns; choose less work, or higher bandwidths and rates";
  }
  time_limit_ = std::min(time_limit_, now_);
  if (!running_ && now_ < armed_at_) arm(now_);
}

void EventScheduler::give_up(const std::string& reason) {
  if (given_up_.empty()) given_up_ = reason;
  stop();
}

void EventScheduler::fail(std::exception_ptr error) {
  if (failed()) return;
  failure_ = std::move(error);
  time_limit_ = TimeFs(-1);  // no further event
  if (!running_ && now_ < armed_at_) arm(now_);
}

// A second sc_stop() would cause a SystemC warning.
void EventScheduler::stop() {
  if (std::exchange(stopped_, true)) return;
  if (embedding_ == nullptr) {
    sc_core::sc_stop();
  } else if (embedding_->ended) {
    embedding_->ended();
  }
}

TimeFs EventScheduler::present() {
  if (!running_) now_ = std::max(now_, kernel_now());
  return now_;
}

void EventScheduler::embed(Embedding embedding) {
  embedding_ = std::make_unique<Embedding>(std::move(embedding));
}

void EventScheduler::insert_current(const Event& event) {
  if (cursor_ == current_.size() || (cursor_ > kFew && cursor_ > waiting())) {
    current_.erase(current_.begin(), current_.begin() + static_cast<std::ptrdiff_t>(cursor_));
    cursor_ = 0;
  }
  auto position = current_.end();
  const auto first = current_.begin() + static_cast<std::ptrdiff_t>(cursor_);
  while (position != first && Earlier{}(event, *(position - 1))) --position;
  current_.insert(position, event);
}

void EventScheduler::insert_later(const Event& event) {
  if (slot_of(event.time) - current_slot_ < static_cast<std::int64_t>(kSlots)) {
    insert_wheel(event);
  } else {
    far_.push_back(event);
    std::push_heap(far_.begin(), far_.end(), Later{});
  }
}

// Switches from few to many events: all events after the first slot are moved to the wheel.
void EventScheduler::spread() {
  alone_ = false;
  current_slot_ = slot_of(current_[cursor_].time);
  while (slot_of(current_.back().time) > current_slot_) {
    insert_later(current_.back());
    current_.pop_back();
  }
}

void EventScheduler::insert_wheel(const Event& event) {
  const std::size_t index = static_cast<std::size_t>(slot_of(event.time)) & (kSlots - 1);
  std::uint32_t cell = free_cell_;
  if (cell == kNil) {
    cell = static_cast<std::uint32_t>(cells_.size());
    cells_.push_back({event, heads_[index]});
  } else {
    free_cell_ = cells_[cell].next;
    cells_[cell] = {event, heads_[index]};
  }
  heads_[index] = cell;
  occupied_[index / 64] |= std::uint64_t{1} << (index % 64);
  occupied_words_[index / 4096] |= std::uint64_t{1} << (index / 64 % 64);
}

// Moves the next non-empty slot into current_. Returns false when no event is left.
bool EventScheduler::next_slot() {
  current_.clear();
  cursor_ = 0;
  if (pending_ == 0) return false;
  alone_ = false;
  const std::int64_t far_slot = far_.empty() ? std::numeric_limits<std::int64_t>::max() : slot_of(far_.front().time);
  std::int64_t slot = next_occupied_slot();
  if (slot < 0 || far_slot < slot) slot = far_slot;
  if (slot == std::numeric_limits<std::int64_t>::max()) return false;
  current_slot_ = slot;
  while (!far_.empty() && slot_of(far_.front().time) - current_slot_ < static_cast<std::int64_t>(kSlots)) {
    std::pop_heap(far_.begin(), far_.end(), Later{});
    insert_wheel(far_.back());
    far_.pop_back();
  }
  const std::size_t index = static_cast<std::size_t>(slot) & (kSlots - 1);
  std::uint32_t cell = heads_[index];
  while (cell != kNil) {
    current_.push_back(cells_[cell].event);
    const std::uint32_t next = cells_[cell].next;
    cells_[cell].next = free_cell_;
    free_cell_ = cell;
    cell = next;
  }
  heads_[index] = kNil;
  occupied_[index / 64] &= ~(std::uint64_t{1} << (index % 64));
  if (occupied_[index / 64] == 0) occupied_words_[index / 4096] &= ~(std::uint64_t{1} << (index / 64 % 64));
  if (current_.size() > 1) std::sort(current_.begin(), current_.end(), Earlier{});
  return true;
}

// First occupied slot after current_slot_, or -1.
std::int64_t EventScheduler::next_occupied_slot() const {
  const std::size_t start = static_cast<std::size_t>(current_slot_ + 1) & (kSlots - 1);
  const auto found = [&](std::size_t word, std::uint64_t bits) {
    const std::size_t index = word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
    return current_slot_ + 1 + static_cast<std::int64_t>((index - start) & (kSlots - 1));
  };
  const std::size_t first = start / 64;
  if (const std::uint64_t bits = occupied_[first] & (~std::uint64_t{0} << (start % 64)); bits != 0)
    return found(first, bits);
  // The remaining words, cyclically, ending with the first one.
  const std::size_t groups = occupied_words_.size();
  const std::size_t from = (first + 1) % occupied_.size();
  std::size_t group = from / 64;
  std::uint64_t words = occupied_words_[group] & (~std::uint64_t{0} << (from % 64));
  for (std::size_t step = 0; step <= groups; ++step) {
    if (words != 0) {
      const std::size_t word = group * 64 + static_cast<std::size_t>(__builtin_ctzll(words));
      return found(word, occupied_[word]);
    }
    group = (group + 1) % groups;
    words = occupied_words_[group];
  }
  return -1;
}

TimeFs EventScheduler::next_event_time() {
  if (cursor_ >= current_.size() && !next_slot()) return kNever;
  return current_[cursor_].time;
}

// The time before which no other SystemC process can act.
TimeFs EventScheduler::horizon() const {
  if (embedding_ != nullptr && !embedding_->run_ahead) return now_;
  if (sc_core::sc_pending_activity_at_current_time()) return now_;
  if (!sc_core::sc_pending_activity_at_future_time()) return kNever;
  return now_ + from_sc(sc_core::sc_time_to_pending_activity());
}

void EventScheduler::run_method() {
  running_ = true;
  armed_at_ = kNever;
  threads_woken_ = false;
  now_ = std::max(now_, kernel_now());
  const TimeFs ahead_until = horizon();
  const bool ended = embedding_ != nullptr ? run_guarded(ahead_until) : run_events(ahead_until);
  running_ = false;
  if (failed() && embedding_ == nullptr) std::rethrow_exception(failure_);
  if (ended || failed()) {
    stop();
    return;
  }
  const TimeFs next = next_event_time();
  if (next != kNever) {
    arm(next);
  } else if (embedding_ != nullptr && embedding_->drained) {
    embedding_->drained();
  }
}

bool EventScheduler::run_guarded(TimeFs ahead_until) {
  try {
    return run_events(ahead_until);
  } catch (...) {
    fail(std::current_exception());
    return true;
  }
}

// Returns true when the run is over.
bool EventScheduler::run_events(TimeFs ahead_until) {
  bool ended = end_requested() || stopped_;
  while (!ended) {
    const TimeFs next = next_event_time();
    if (next == kNever || (threads_woken_ && next > now_)) break;
    const bool threads_first = next > ahead_until;
    if (next > time_limit_ && (!threads_first || (now_ >= time_limit_ && ahead_until > now_))) {
      now_ = std::max(now_, time_limit_);
      limit_reached_ = true;
      ended = true;
      break;
    }
    if (threads_first) break;
    const Event event = current_[cursor_++];
    now_ = event.time;
    --pending_;
    ++handled_;
    event.handler->on_event(now_, event.argument);
    if ((handled_ & poll_mask_) == 0 && (end_requested() || (poll_ && poll_()))) ended = true;
  }
  return ended;
}

// Not beyond the time limit, because the simulated clock would advance to that time first.
void EventScheduler::arm(TimeFs at) {
  at = std::min(at, std::max(now_, time_limit_));
  armed_at_ = at;
  const TimeFs kernel = kernel_now();
  if (at <= kernel) {
    run_event_.notify(sc_core::SC_ZERO_TIME);
  } else {
    run_event_.notify(to_sc(at - kernel));
  }
}

void EventScheduler::wake(sc_core::sc_event& event) {
  threads_woken_ = true;
  const TimeFs ahead = now_ - kernel_now();
  if (ahead > 0_fs) {
    event.notify(to_sc(ahead));
  } else {
    event.notify(sc_core::SC_ZERO_TIME);
  }
}

void EventScheduler::wait_until(TimeFs at) {
  struct Sleeper final : EventHandler {
    EventScheduler& scheduler;
    sc_core::sc_event event;
    explicit Sleeper(EventScheduler& s) : scheduler(s) {}
    void on_event(TimeFs, std::uint64_t) override { scheduler.wake(event); }
  };
  if (at <= now()) return;
  Sleeper sleeper(*this);
  schedule(at, sleeper);
  sc_core::wait(sleeper.event);
}

}  // namespace kb::elab
