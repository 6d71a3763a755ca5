// The declared resources of a machine, by block.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/ids.h"
#include "platform/record/activity_recorder.h"
#include "platform/resource/resource.h"

namespace kb::resource {

// What a run left of a resource.
struct DeclaredUse {
  NodeId node;
  Declaration declaration;
  Resource::Sums sums;
};

class ResourceTable {
 public:
  // `recorder` may be null: no series. It outlives the table.
  ResourceTable(record::ActivityRecorder* recorder, Clock clock) : recorder_(recorder), clock_(std::move(clock)) {}
  ResourceTable(const ResourceTable&) = delete;
  ResourceTable& operator=(const ResourceTable&) = delete;

  // Declares a resource of the block at `node`, which `owner` names; `group` is that of its series. The result is
  // stable. Configuration Error when the name or a cause is empty, has other characters than lower-case letters, digits
  // and underscores, or is declared twice, when there are no units, and when the role is that of a wire, a TCM port or
  // a state of a PE, which the machine records itself.
  Resource& declare(NodeId node, const std::string& owner, int group, Declaration declaration);
  // In the order of their declaration.
  const std::vector<Resource*>& of(NodeId node) const;

  // All resources, in the order of their declaration.
  std::vector<DeclaredUse> uses() const;

  // Ends the record; no uses follow.
  void conclude();

 private:
  record::ActivityRecorder* recorder_;
  Clock clock_;
  struct Declared {
    NodeId node;
    Resource resource;
  };
  std::deque<Declared> all_;
  std::map<NodeId, std::vector<Resource*>> by_node_;
};

}  // namespace kb::resource
