#include "platform/elab/inbound_call_queue.h"

#include <algorithm>
#include <tuple>

namespace kb::elab {

bool InboundCallQueue::Later::operator()(const PendingCall& a, const PendingCall& b) const {
  return std::tie(a.time, a.port, a.order) > std::tie(b.time, b.port, b.order);
}

void InboundCallQueue::post(TimeFs at, std::uint32_t port, IInboundCall& call, std::uint64_t argument) {
  letters_.push_back({at, port, order_++, &call, argument});
  std::push_heap(letters_.begin(), letters_.end(), Later{});
  wake_at(time_sum(at, 1_fs));
}

void InboundCallQueue::wake_at(TimeFs at) {
  if (at >= wake_time_) return;
  wake_time_ = at;
  scheduler_.schedule(at, *this);
}

void InboundCallQueue::on_event(TimeFs now, std::uint64_t) {
  if (now != wake_time_) return;
  wake_time_ = kNever;
  while (!letters_.empty() && letters_.front().time < now) {
    std::pop_heap(letters_.begin(), letters_.end(), Later{});
    const PendingCall letter = letters_.back();
    letters_.pop_back();
    letter.call->on_inward(letter.time, letter.argument);
  }
  if (!letters_.empty()) wake_at(letters_.front().time + 1_fs);
}

}  // namespace kb::elab
