#include "sim/convert/message_flows.h"

#include <deque>
#include <functional>
#include <string>

namespace kb::convert {

using data::MessageStep;

MessageFlows::MessageFlows(data::OpLogDatabase& operations) : begins_(static_cast<std::size_t>(operations.end_seq())) {
  // Operations whose message has gone no further yet, by a hash of where it lies and of its number in the queue, in the
  // order of their start. Few are kept long: a step is looked for when its kind comes.
  std::unordered_map<std::size_t, std::deque<std::int64_t>> waiting;
  const auto key = [](MessageStep::Kind kind, const std::string& address, std::int64_t sequence) {
    return std::hash<std::string>()(std::to_string(static_cast<int>(kind)) + " " + address + " " +
                                    std::to_string(sequence));
  };
  const auto link = [&](std::size_t from, std::int64_t to) {
    const auto found = waiting.find(from);
    if (found == waiting.end()) return;
    begins_[static_cast<std::size_t>(found->second.front())] = true;
    ends_[to] = found->second.front();
    found->second.pop_front();
    if (found->second.empty()) waiting.erase(found);
  };
  operations.scan_messages(MessageStep::Kind::send, [&](std::int64_t seq, const MessageStep& step) {
    waiting[key(MessageStep::Kind::send, step.destination, step.sequence)].push_back(seq);
  });
  operations.scan_messages(MessageStep::Kind::copy, [&](std::int64_t seq, const MessageStep& step) {
    link(key(MessageStep::Kind::send, step.source, step.sequence), seq);
    waiting[key(MessageStep::Kind::copy, step.destination, step.sequence)].push_back(seq);
  });
  operations.scan_messages(MessageStep::Kind::receive, [&](std::int64_t seq, const MessageStep& step) {
    link(key(MessageStep::Kind::copy, step.source, step.sequence), seq);
  });
}

std::uint64_t MessageFlows::begin(std::int64_t seq) const {
  return begins_[static_cast<std::size_t>(seq)] ? static_cast<std::uint64_t>(seq) + 1 : 0;
}

std::uint64_t MessageFlows::end(std::int64_t seq) const {
  const auto found = ends_.find(seq);
  return found == ends_.end() ? 0 : static_cast<std::uint64_t>(found->second) + 1;
}

}  // namespace kb::convert
