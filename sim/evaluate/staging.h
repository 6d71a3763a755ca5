// Rows of finished points, kept until the data file is complete, so that a killed evaluation goes on where it stopped.
#pragma once

#include <optional>
#include <string>

#include "sim/evaluate/evaluation.h"
#include "sim/evaluate/work_folder.h"

namespace kb::evaluate {

// Digest of what the machine is: every effective value of the topology. 64 hexadecimal digits.
std::string machine_digest(const topology::LoadedTopology& machine);

class Staging {
 public:
  // `identity` is what decides all rows: program and machine.
  Staging(const WorkFolder& folder, std::string identity);

  // The row of a point that was finished with the same identity, workload and parameters; nothing otherwise.
  std::optional<Json> find(const Point& point) const;
  void keep(const Point& point, const Json& row) const;

 private:
  std::string digest(const Point& point) const;

  const WorkFolder& folder_;
  std::string identity_;
};

}  // namespace kb::evaluate
