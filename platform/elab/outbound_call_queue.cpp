#include "platform/elab/outbound_call_queue.h"

#include <algorithm>

namespace kb::elab {

OutboundCallQueue::OutboundCallQueue(const sc_core::sc_module_name& name, EventScheduler& scheduler)
    : sc_core::sc_module(name), scheduler_(scheduler), event_("event"), later_event_("later_event") {
  SC_HAS_PROCESS(OutboundCallQueue);
  SC_METHOD(call_method);
  dont_initialize();
  sensitive << event_ << later_event_;
}

void OutboundCallQueue::post(std::uint32_t port, IOutboundCall& call, std::uint64_t argument) {
  if (posts_.empty()) scheduler_.wake(event_);
  posts_.push_back({port, &call, argument});
}

void OutboundCallQueue::post_after(const sc_core::sc_time& delay, std::uint32_t port, IOutboundCall& call,
                                   std::uint64_t argument) {
  later_.push({sc_core::sc_time_stamp() + delay, order_++, {port, &call, argument}});
  later_event_.notify(delay);
}

// Delayed posts that are due are made together with those of the engine. SystemC drops a notification that is later
// than the pending one, so that the next one is made here.
void OutboundCallQueue::take_due() {
  const sc_core::sc_time& now = sc_core::sc_time_stamp();
  while (!later_.empty() && later_.top().time <= now) {
    going_out_.push_back(later_.top().post);
    later_.pop();
  }
  if (!later_.empty()) later_event_.notify(later_.top().time - now);
}

void OutboundCallQueue::call_method() {
  going_out_.swap(posts_);
  take_due();
  std::stable_sort(going_out_.begin(), going_out_.end(), [](const Post& a, const Post& b) { return a.port < b.port; });
  const bool made = make_calls();
  going_out_.clear();
  if (made && posts_.empty() && done_) done_();
}

// Returns false when a call threw.
bool OutboundCallQueue::make_calls() {
  try {
    for (const Post& post : going_out_) post.call->on_outward(post.argument);
    return true;
  } catch (const sc_core::sc_unwind_exception&) {
    throw;  // the process is being killed
  } catch (...) {
    if (!failed_) throw;
    failed_(std::current_exception());
    return false;
  }
}

}  // namespace kb::elab
