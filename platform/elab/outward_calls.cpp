#include "platform/elab/outward_calls.h"

#include <algorithm>

namespace kb::elab {

OutwardCalls::OutwardCalls(const sc_core::sc_module_name& name, EventScheduler& scheduler)
    : sc_core::sc_module(name), scheduler_(scheduler), event_("event") {
  SC_HAS_PROCESS(OutwardCalls);
  SC_METHOD(call_method);
  dont_initialize();
  sensitive << event_;
}

void OutwardCalls::post(std::uint32_t port, IOutwardCall& call, std::uint64_t argument) {
  if (posts_.empty()) scheduler_.wake(event_);
  posts_.push_back({port, &call, argument});
}

void OutwardCalls::call_method() {
  going_out_.swap(posts_);
  std::stable_sort(going_out_.begin(), going_out_.end(), [](const Post& a, const Post& b) { return a.port < b.port; });
  for (const Post& post : going_out_) post.call->on_outward(post.argument);
  going_out_.clear();
  if (posts_.empty() && done_) done_();
}

}  // namespace kb::elab
