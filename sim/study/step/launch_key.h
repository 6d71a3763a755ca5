// What determines the time of a launch from a quiet machine.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "platform/base/units.h"
#include "platform/model/arena.h"
#include "platform/topology/topology.h"
#include "sw/model/program.h"

namespace kb::step {

// Keys of the launches of a program. Equal keys mean equal times: kernel, scalars and, of every tensor, dtype, shape,
// spread, contents that the host wrote, and the class of its address.
class LaunchKeys {
 public:
  // `identity`: text that stands for this program and its plug-ins (program_identity).
  LaunchKeys(const sw::Program& program, const topology::LoadedTopology& one, const topology::LoadedTopology& all,
             const std::string& identity);

  // A launch on the SIP with this number. SIPs are equal: the number counts only where an argument depends on it.
  std::string launch(std::size_t launch, std::int64_t rank) const;
  // A sum over all SIPs, of which each begins `offsets[r]` after the first.
  std::string sum(std::size_t launch, const std::vector<TimeFs>& offsets) const;
  // Figures of the machine that belong to no launch of the program.
  std::string figure(const std::string& name) const;
  std::string host_turn() const;

 private:
  const std::string& tensor(std::size_t index) const { return tensors_[index]; }

  const sw::Program& program_;
  std::string one_, all_;             // digests of the machines
  std::vector<std::string> tensors_;  // text of each tensor
};

// Class of an address: tensors of one class meet the channels of their slices alike. Without a hash the offset modulo
// the bytes after which the channels repeat. With one, the offset in the smallest aligned power of two around the
// tensor, below which no digit carries, and the channel at its beginning in all slices of a cube; where slices are no
// multiple of it, the offset itself.
std::string address_class(std::uint64_t offset, std::uint64_t bytes, const model::ArenaGeometry& geometry);

// Digest of a machine and of what simulates it. `with_system`: its number of SIPs counts, too.
std::string machine_key(const topology::LoadedTopology& machine, bool with_system, const std::string& identity);

// Digest of what decides times: sources of this program (timing_digest), and these plug-ins.
std::string program_identity(const std::vector<std::string>& plugins);

}  // namespace kb::step
