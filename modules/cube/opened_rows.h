// For whom a memory opens rows. Counted on machines with coefficients of energy, when activity is recorded (E-116).
#pragma once

#include <cstdint>
#include <map>

#include "platform/elab/block.h"
#include "platform/record/activity_recorder.h"

namespace kb::modules {

class OpenedRows {
 public:
  OpenedRows(NodeId node, elab::BlockContext& context) {
    if (context.recorder == nullptr || !context.graph.spec.energy) return;
    account_ = context.recorder->add_resource({node, record::Role::command, "act", NodeId(), 0,
                                               record::ActivityRecorder::group_of(context.graph.node(node).sip)});
  }

  // Where a channel counts its activations by place; null: they are not wanted.
  std::map<std::uint64_t, std::uint64_t>* counts() { return account_ ? &counts_ : nullptr; }
  // Passes the counts to the recorder; none follow.
  void conclude() {
    for (const auto& [place, count] : counts_) {
      account_.account->add(account::PlaceId{static_cast<std::uint32_t>(place)}, {0_fs, 0_fs, 0, count});
    }
    counts_.clear();
  }

 private:
  record::RecordedResource account_;
  std::map<std::uint64_t, std::uint64_t> counts_;
};

}  // namespace kb::modules
