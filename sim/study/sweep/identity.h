// What decides the results of a sweep besides the values of its axes, so that answers of another program, machine or
// plug-in are never taken for those of this one.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "platform/topology/topology.h"
#include "sim/study/sweep/sweep_spec.h"

namespace kb::sweep {

// Names the answers of points in the journal.
class PointKeys {
 public:
  // `machine`: that of the first point. The contents of the files that the sweep file names count, too.
  PointKeys(const SweepSpec& spec, const topology::LoadedTopology& machine);

  // Digest of what all points have in common.
  const std::string& identity() const { return identity_; }
  std::string of(const std::vector<Assignment>& given);

 private:
  std::string identity_;
  std::map<std::string, std::string> contents_;  // of values that are names of files
};

}  // namespace kb::sweep
