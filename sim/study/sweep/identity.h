// Identity of a sweep's results: everything that determines them in addition to axis values, so that answers of another
// program, machine or plug-in are not reused.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "platform/topology/topology.h"
#include "sim/study/sweep/sweep_spec.h"

namespace kb::sweep {

// Computes the journal keys of points.
class PointKeys {
 public:
  using MachineFile = std::function<std::string(const std::string&)>;

  // `machine` is that of the first point, `machine_file` finds the file of one that an axis names. The contents of
  // files that the sweep file names are included.
  PointKeys(const SweepSpec& spec, const topology::LoadedTopology& machine, MachineFile machine_file);

  // Digest of the inputs that all points share.
  const std::string& identity() const { return identity_; }
  std::string of(const std::vector<Assignment>& given);

 private:
  MachineFile machine_file_;
  std::string identity_;
  std::map<std::string, std::string> contents_;  // contents of files that are named by values
};

}  // namespace kb::sweep
