#include "platform/elab/inward_mailbox.h"

#include <algorithm>
#include <tuple>

namespace kb::elab {

bool InwardMailbox::Later::operator()(const Letter& a, const Letter& b) const {
  return std::tie(a.time, a.port, a.order) > std::tie(b.time, b.port, b.order);
}

void InwardMailbox::post(TimeFs at, std::uint32_t port, IInwardCall& call, std::uint64_t argument) {
  letters_.push_back({at, port, order_++, &call, argument});
  std::push_heap(letters_.begin(), letters_.end(), Later{});
  wake_at(time_sum(at, 1_fs));
}

void InwardMailbox::wake_at(TimeFs at) {
  if (at >= wake_time_) return;
  wake_time_ = at;
  scheduler_.schedule(at, *this);
}

void InwardMailbox::on_event(TimeFs now, std::uint64_t) {
  if (now != wake_time_) return;
  wake_time_ = kNever;
  while (!letters_.empty() && letters_.front().time < now) {
    std::pop_heap(letters_.begin(), letters_.end(), Later{});
    const Letter letter = letters_.back();
    letters_.pop_back();
    letter.call->on_inward(letter.time, letter.argument);
  }
  if (!letters_.empty()) wake_at(letters_.front().time + 1_fs);
}

}  // namespace kb::elab
