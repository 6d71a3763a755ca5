// The declared resources of a machine, by block.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/ids.h"
#include "platform/contract/i_block_log.h"
#include "platform/contract/i_signal_observer.h"
#include "platform/record/activity_recorder.h"
#include "platform/resource/resource.h"

namespace kb::resource {

// What a run left of a resource.
struct DeclaredUse {
  NodeId node;
  Declaration declaration;
  Resource::Sums sums;
};

class ResourceTable final : private contract::IDeferredSignals {
 public:
  // Each may be null; they outlive the table.
  struct Observers {
    record::ActivityRecorder* recorder = nullptr;  // of series
    contract::ISignalObserver* signals = nullptr;  // of waveforms
    contract::IBlockLog* log = nullptr;
  };
  ResourceTable(const Observers& observers, Clock clock);
  ResourceTable(const ResourceTable&) = delete;
  ResourceTable& operator=(const ResourceTable&) = delete;

  struct Owner {
    NodeId node;
    std::string name;      // in errors, signals and log: the node id
    int group = 0;         // of its series
    bool foreign = false;  // a block of a plug-in
  };
  // Declares a resource of a block. The result is stable. Configuration Error when the name or a cause is empty, has
  // other characters than lower-case letters, digits and underscores, or is declared twice, when there are no units,
  // and when the role is that of a wire, a state of a PE or, in a plug-in, a TCM port, which only the machine has.
  Resource& declare(const Owner& owner, Declaration declaration);
  // In the order of their declaration.
  const std::vector<Resource*>& of(NodeId node) const;

  // All resources, in the order of their declaration.
  std::vector<DeclaredUse> uses() const;

  // Ends the record; no uses follow.
  void conclude();

 private:
  TimeFs report_until(TimeFs now) override;
  Resource::Viewers viewers_of(const std::string& owner, const Declaration& declaration) const;

  Observers observers_;
  Clock clock_;
  struct Declared {
    NodeId node;
    Resource resource;
  };
  std::deque<Declared> all_;
  std::map<NodeId, std::vector<Resource*>> by_node_;
};

}  // namespace kb::resource
