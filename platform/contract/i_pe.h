// What a kernel may ask of the PE it runs on. Implemented by PE_CPU (live) and by the recording stub of kernels/tl
// (unit tests, no SystemC).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/ids.h"
#include "platform/base/reuse_a.h"
#include "platform/base/tile_shape.h"
#include "platform/ops/op_types.h"
#include "platform/plan/tile_room.h"

namespace kb::contract {

struct Command;

struct PeInfo {
  PeCoord coord;
  int pes_per_cube = 1;          // num_programs(0)
  int cubes_per_sip = 1;         // num_programs(1)
  int sips = 1;                  // num_programs(2)
  std::uint64_t scratch_pa = 0;  // physical address of this PE's kernel scratch in its TCM (P-58)
  std::uint64_t scratch_bytes = 0;
  int dispatch_cycles = 0;             // charged before every non-metadata call (P-45)
  TileShape tile_shape;                // default tile shape of composites (P-20)
  plan::TileRoom tile_room;            // capacity that their tiles must fit (P-43, P-46)
  ReuseA reuse_a = ReuseA::automatic;  // of composites that do not say it (P-102)
  std::uint64_t message_base = 0;      // first address of received values
  std::uint64_t message_bytes = 0;
};

class IPe {
 public:
  virtual ~IPe() = default;
  virtual const PeInfo& info() const = 0;
  // Runs one command, which must not change meanwhile; returns when it has completed in simulated time. Throws program
  // Error with the cause when the access failed (ADDRESS_ERROR ...).
  virtual void execute(const Command& command) = 0;
  // Runs an ipcq_recv like execute() and returns the direction that it was served from.
  virtual std::string receive(const Command& command);
  // Gives the PE a command that goes on beside the kernel, and returns at once. A PE without time of its own executes
  // it here.
  using Ticket = std::uint64_t;
  virtual Ticket submit(const Command& command) {
    execute(command);
    return 0;
  }
  // Returns when that command has completed; throws as execute() does. Once per ticket; what a kernel does not wait for
  // is waited for when it ends.
  virtual void wait(Ticket) {}
  // What this prefetch reads will not be used. It goes on, and is still to be waited for; one that was is no mistake.
  virtual void abandon(Ticket) {}
  // Returns when one of these commands has completed, with its position: the first in the list when there are several.
  // All of them are still to be waited for.
  virtual std::size_t wait_any(const std::vector<Ticket>& tickets) {
    static_cast<void>(tickets);
    return 0;
  }
  // Puts known contents (zeros, full, arange) of a dtype into this PE's scratch: no simulated time, logged for replay.
  virtual void write_scratch(std::uint64_t pa, Dtype dtype, std::vector<std::byte> bytes) = 0;
  // Contents a kernel looks at. Program Error DATA_ACCESS where the data mode forbids it (in off what is not known, in
  // replay what is computed; P-62).
  virtual std::vector<std::byte> read(const std::vector<Extent>& extents) = 0;
  // The same bytes by their physical addresses, in order: no time, no access. What has no mapping stays as it is.
  virtual std::vector<Extent> physical(const std::vector<Extent>& extents) const { return extents; }
  // The same for indices and masks, for which a run can assume others: nothing where data mode off does not know them.
  virtual std::optional<std::vector<std::byte>> read_if_known(const std::vector<Extent>& extents) {
    return read(extents);
  }
};

}  // namespace kb::contract
