#include "sim/analysis/recorded/critical_chain.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace kb::analysis {
namespace {

// Operations of a PE by their end, to find the last one that ended before a time.
class PeHistory {
 public:
  PeHistory(std::vector<ChainOp> ops, std::vector<const Message*> waited)
      : ops_(std::move(ops)), waited_(std::move(waited)) {
    ops_.erase(std::remove_if(ops_.begin(), ops_.end(), [](const ChainOp& op) { return op.end_fs <= op.start_fs; }),
               ops_.end());
    std::sort(ops_.begin(), ops_.end(), [](const ChainOp& a, const ChainOp& b) {
      return std::tuple(a.end_fs, -a.start_fs, b.block, b.operation) <
             std::tuple(b.end_fs, -b.start_fs, a.block, a.operation);
    });
    std::sort(waited_.begin(), waited_.end(),
              [](const Message* a, const Message* b) { return a->received_fs < b->received_fs; });
  }
  // Returns null when no operation had ended.
  const ChainOp* last_by(std::int64_t time) const {
    const auto at = std::upper_bound(ops_.begin(), ops_.end(), time,
                                     [](std::int64_t wanted, const ChainOp& op) { return wanted < op.end_fs; });
    return at == ops_.begin() ? nullptr : &*std::prev(at);
  }
  const Message* waited_by(std::int64_t time) const {
    const auto at = std::upper_bound(waited_.begin(), waited_.end(), time,
                                     [](std::int64_t wanted, const Message* m) { return wanted < m->received_fs; });
    return at == waited_.begin() ? nullptr : *std::prev(at);
  }

 private:
  std::vector<ChainOp> ops_;
  std::vector<const Message*> waited_;
};

class Walk {
 public:
  Walk(const ChainRequest& request, const OpsOf& ops_of, const std::vector<Message>& messages, const PeOf& pe_of)
      : request_(request), ops_of_(ops_of), pe_of_(pe_of) {
    for (const Message& message : messages) {
      const bool whole = message.sender >= 0 && message.receiver >= 0 && message.sent_fs >= 0;
      const bool waited = message.awaited_fs >= 0 && message.arrived_fs > message.awaited_fs &&
                          message.received_fs >= message.arrived_fs && message.sent_fs <= message.arrived_fs;
      if (whole && waited) waited_[pe_of(message.receiver)].push_back(&message);
    }
  }

  std::vector<PathSegment> stays() {
    std::vector<PathSegment> stays;
    std::string pe = request_.pe;
    std::int64_t time = request_.end_fs;
    while (stays.size() < request_.limit) {
      stays.push_back(stay(pe, time));
      const PathSegment& now = stays.back();
      if (!now.message || now.message->sent_fs <= request_.begin_fs) break;
      pe = pe_of_(now.message->sender);
      time = now.message->sent_fs;
    }
    std::reverse(stays.begin(), stays.end());
    return stays;
  }

 private:
  const PeHistory& history(const std::string& pe) {
    const auto found = histories_.find(pe);
    if (found != histories_.end()) return found->second;
    return histories_.emplace(pe, PeHistory(ops_of_(pe), waited_[pe])).first->second;
  }

  // Walks back from `end` to the last awaited message or to the begin.
  PathSegment stay(const std::string& pe, std::int64_t end) {
    const PeHistory& past = history(pe);
    PathSegment stay{pe, request_.begin_fs, end, {}, 0, {}};
    std::map<std::pair<std::uint32_t, std::uint16_t>, PathShare> parts;
    std::int64_t time = end;
    while (time > request_.begin_fs) {
      const ChainOp* op = past.last_by(time);
      const Message* message = past.waited_by(time);
      const std::int64_t op_end = op == nullptr ? request_.begin_fs : op->end_fs;
      if (message != nullptr && message->received_fs >= op_end) {
        stay.between_fs += time - message->received_fs;
        stay.between_fs += message->received_fs - message->arrived_fs;
        stay.begin_fs = message->arrived_fs;
        stay.message = *message;
        break;
      }
      if (op == nullptr || op->end_fs <= request_.begin_fs) {
        stay.between_fs += time - request_.begin_fs;
        break;
      }
      stay.between_fs += time - op->end_fs;
      const std::int64_t from = std::max(op->start_fs, request_.begin_fs);
      PathShare& part = parts[{op->block, op->operation}];
      part.block = op->block;
      part.operation = op->operation;
      part.time_fs += op->end_fs - from;
      ++part.count;
      time = from;
    }
    for (const auto& entry : parts) stay.parts.push_back(entry.second);
    std::stable_sort(stay.parts.begin(), stay.parts.end(),
                     [](const PathShare& a, const PathShare& b) { return a.time_fs > b.time_fs; });
    return stay;
  }

  const ChainRequest& request_;
  const OpsOf& ops_of_;
  const PeOf& pe_of_;
  std::map<std::string, std::vector<const Message*>> waited_;
  std::map<std::string, PeHistory> histories_;
};

}  // namespace

std::vector<PathSegment> walk_chain(const ChainRequest& request, const OpsOf& ops_of,
                                    const std::vector<Message>& messages, const PeOf& pe_of) {
  return Walk(request, ops_of, messages, pe_of).stays();
}

}  // namespace kb::analysis
