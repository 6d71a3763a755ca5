#include "sim/analysis/recorded/messages.h"

#include <algorithm>

namespace kb::analysis {

using data::MessageStep;

std::optional<std::int64_t> OpenSteps::take(const std::string& address, std::int64_t sequence) {
  const Key key(address, sequence);
  const auto first = open_.lower_bound(key);
  if (first == open_.end() || first->first != key) return std::nullopt;
  const std::int64_t step = first->second;
  open_.erase(first);
  return step;
}

std::vector<Message> match_messages(const std::vector<MessageStep>& steps) {
  OpenSteps sent, copied;  // by index into `messages`
  std::vector<Message> messages;
  const auto add = [&](Message message) {
    messages.push_back(std::move(message));
    return static_cast<std::int64_t>(messages.size() - 1);
  };
  const auto next = [&](OpenSteps& open, const MessageStep& step) {
    const auto found = open.take(step.source, step.sequence);
    return found ? *found : add({-1, -1, -1, -1, -1, -1, 0, ""});
  };
  for (const MessageStep& step : steps) {
    if (step.kind != MessageStep::Kind::send) continue;
    sent.add(step.destination, step.sequence,
             add({step.component, -1, step.start_fs, -1, -1, -1, step.bytes, step.direction}));
  }
  for (const MessageStep& step : steps) {
    if (step.kind != MessageStep::Kind::copy) continue;
    const std::int64_t index = next(sent, step);
    Message& message = messages[static_cast<std::size_t>(index)];
    message.arrived_fs = step.end_fs;
    message.bytes = step.bytes;
    copied.add(step.destination, step.sequence, index);
  }
  for (const MessageStep& step : steps) {
    if (step.kind != MessageStep::Kind::receive) continue;
    Message& message = messages[static_cast<std::size_t>(next(copied, step))];
    message.receiver = step.component;
    message.awaited_fs = step.start_fs;
    message.received_fs = step.end_fs;
    message.bytes = step.bytes;
  }
  std::stable_sort(messages.begin(), messages.end(),
                   [](const Message& a, const Message& b) { return a.sent_fs < b.sent_fs; });
  return messages;
}

}  // namespace kb::analysis
