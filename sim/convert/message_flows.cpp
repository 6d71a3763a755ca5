#include "sim/convert/message_flows.h"

#include "sim/web/messages.h"

namespace kb::convert {

using data::MessageStep;

MessageFlows::MessageFlows(data::OpLogDatabase& operations) : begins_(static_cast<std::size_t>(operations.end_seq())) {
  web::OpenSteps sent, copied;  // by seq
  const auto link = [&](web::OpenSteps& open, const MessageStep& step) {
    const auto before = open.take(step.source, step.sequence);
    if (!before) return;
    begins_[static_cast<std::size_t>(*before)] = true;
    ends_[step.seq] = *before;
  };
  operations.scan_messages(MessageStep::Kind::send,
                           [&](const MessageStep& step) { sent.add(step.destination, step.sequence, step.seq); });
  operations.scan_messages(MessageStep::Kind::copy, [&](const MessageStep& step) {
    link(sent, step);
    copied.add(step.destination, step.sequence, step.seq);
  });
  operations.scan_messages(MessageStep::Kind::receive, [&](const MessageStep& step) { link(copied, step); });
}

std::uint64_t MessageFlows::begin(std::int64_t seq) const {
  return begins_[static_cast<std::size_t>(seq)] ? static_cast<std::uint64_t>(seq) + 1 : 0;
}

std::uint64_t MessageFlows::end(std::int64_t seq) const {
  const auto found = ends_.find(seq);
  return found == ends_.end() ? 0 : static_cast<std::uint64_t>(found->second) + 1;
}

}  // namespace kb::convert
