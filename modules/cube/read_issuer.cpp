#include "modules/cube/read_issuer.h"

namespace kb::modules {

std::uint32_t ReadIssuer::requester_of(const payload::Transaction& transaction) {
  const NodeId node = take_turns_ ? transaction.route->nodes.front() : NodeId(0);
  for (std::uint32_t i = 0; i < requesters_.size(); ++i) {
    if (requesters_[i].node == node) return i;
  }
  requesters_.emplace_back().node = node;
  return static_cast<std::uint32_t>(requesters_.size() - 1);
}

void ReadIssuer::add(payload::Transaction& transaction, TimeFs open, const Target& target) {
  const std::uint32_t requester = requester_of(transaction);
  SlidingDeque<Command>& commands = requesters_[requester].commands;
  if (commands.empty()) {
    queue_.push_back(requester);
    next_slot_ = std::min(next_slot_, std::max(issuer_free_, open));
  }
  commands.push_back({&transaction, open, kNever, target, 0});
}

void ReadIssuer::issue(Command& command, TimeFs spacing) {
  issuer_free_ = next_slot_ + spacing;
  command.passed_over = kNever;
  const std::uint32_t requester = queue_[chosen_];
  queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(chosen_));
  SlidingDeque<Command>& commands = requesters_[requester].commands;
  if (++command.next == command.transaction->flits) commands.pop_front();
  if (!commands.empty()) queue_.push_back(requester);
  next_slot_ = queue_.empty() ? kNever : issuer_free_;
}

}  // namespace kb::modules
