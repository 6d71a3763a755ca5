#include "sim/web/messages.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

namespace kb::web {

using data::MessageStep;

std::vector<Message> match_messages(const std::vector<MessageStep>& steps) {
  using Key = std::pair<std::string, std::int64_t>;  // address, number in the queue
  std::map<Key, std::deque<std::size_t>> sent, copied;
  std::vector<Message> messages;
  // The message that waits for this step, or a new one.
  const auto next = [&](std::map<Key, std::deque<std::size_t>>& waiting, const Key& key) {
    const auto found = waiting.find(key);
    if (found == waiting.end() || found->second.empty()) {
      messages.push_back({-1, -1, -1, -1, -1, -1, 0, ""});
      return messages.size() - 1;
    }
    const std::size_t message = found->second.front();
    found->second.pop_front();
    return message;
  };
  for (const MessageStep& step : steps) {
    if (step.kind != MessageStep::Kind::send) continue;
    sent[{step.destination, step.sequence}].push_back(messages.size());
    messages.push_back({step.component, -1, step.start_fs, -1, -1, -1, step.bytes, step.direction});
  }
  for (const MessageStep& step : steps) {
    if (step.kind != MessageStep::Kind::copy) continue;
    const std::size_t message = next(sent, {step.source, step.sequence});
    messages[message].arrived_fs = step.end_fs;
    messages[message].bytes = step.bytes;
    copied[{step.destination, step.sequence}].push_back(message);
  }
  for (const MessageStep& step : steps) {
    if (step.kind != MessageStep::Kind::receive) continue;
    Message& message = messages[next(copied, {step.source, step.sequence})];
    message.receiver = step.component;
    message.awaited_fs = step.start_fs;
    message.received_fs = step.end_fs;
    message.bytes = step.bytes;
  }
  std::stable_sort(messages.begin(), messages.end(),
                   [](const Message& a, const Message& b) { return a.sent_fs < b.sent_fs; });
  return messages;
}

}  // namespace kb::web
