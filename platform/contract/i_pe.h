// Operations that a PE offers to its kernel. Implemented by PE_CPU (live) and by the recording stub of kernels/tl (unit
// tests, no SystemC).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/account/place.h"
#include "platform/base/ids.h"
#include "platform/base/reuse_a.h"
#include "platform/base/tile_shape.h"
#include "platform/contract/pe_rates.h"
#include "platform/engine/engine_id.h"
#include "platform/ops/op_types.h"
#include "platform/plan/tile_capacity.h"

namespace kb::contract {

struct Command;
struct TensorLayout;
class SourceLine;

struct PeInfo {
  PeCoord coord;
  int pes_per_cube = 1;          // num_programs(0)
  int cubes_per_sip = 1;         // num_programs(1)
  int sips = 1;                  // num_programs(2)
  std::uint64_t scratch_pa = 0;  // physical address of this PE's kernel scratch in its TCM (P-58)
  std::uint64_t scratch_bytes = 0;
  int dispatch_cycles = 0;             // charged before every call except metadata calls (P-45)
  TileShape tile_shape;                // default tile shape of composites (P-20)
  plan::TileCapacity tile_capacity;    // TCM capacity that the tiles of composites must fit (P-43, P-46)
  ReuseA reuse_a = ReuseA::automatic;  // default for composites that do not set it (P-102)
  std::uint64_t message_base = 0;      // first address of the buffer for received values
  std::uint64_t message_bytes = 0;
  PeRates rates;
  engine::EngineCatalogPtr engines = engine::built_in_engines();
};

class IPe {
 public:
  virtual ~IPe() = default;
  virtual const PeInfo& info() const = 0;
  // Runs one command and returns when it has completed in simulated time; the command must not change meanwhile. Throws
  // the program Error of a failed access (ADDRESS_ERROR ...).
  virtual void execute(const Command& command) = 0;
  // Runs an ipcq_recv like execute() and returns the direction from which the message came.
  virtual std::string receive(const Command& command);
  // Issues an asynchronous command and returns immediately. A PE without simulated time executes the command here.
  using Ticket = std::uint64_t;
  virtual Ticket submit(const Command& command) {
    execute(command);
    return 0;
  }
  // Returns when the command has completed; throws like execute(). Call it once per ticket. `at`: where the kernel
  // waits. A kernel that ends waits for all of its remaining commands.
  virtual void wait(Ticket ticket, account::PlaceId at) {
    static_cast<void>(ticket);
    static_cast<void>(at);
  }
  // Declares that the result of this prefetch will not be used. The transfer continues, and the kernel must still wait
  // for it. Calling it after wait() is allowed.
  virtual void abandon(Ticket) {}
  // Returns when one of these commands has completed, with its position in the list (the first one when there are
  // several). All of them still have to be waited for.
  virtual std::size_t wait_any(const std::vector<Ticket>& tickets, account::PlaceId at) {
    static_cast<void>(tickets);
    static_cast<void>(at);
    return 0;
  }
  // Number of a place in the running kernel: a call in a line within a range, and the tensor that is transferred or
  // null. Nobody's when the run keeps no account.
  virtual account::PlaceId place(const SourceLine&, const char*, account::RangeId, const TensorLayout*) { return {}; }
  virtual account::RangeId range(account::RangeId outer, std::string_view name) {
    static_cast<void>(name);
    return outer;
  }
  // Puts known contents (zeros, full, arange) of a dtype into this PE's scratch. It takes no simulated time and is
  // logged for replay.
  virtual void write_scratch(std::uint64_t pa, Dtype dtype, std::vector<std::byte> bytes) = 0;
  // Contents of memory for the kernel. Program Error DATA_ACCESS where the data mode forbids it: unknown bytes in mode
  // off, computed bytes in mode replay (P-62).
  virtual std::vector<std::byte> read(const std::vector<Extent>& extents) = 0;
  // Translates extents to physical addresses, in order, without time and without an access. Extents without a mapping
  // are unchanged.
  virtual std::vector<Extent> physical(const std::vector<Extent>& extents) const { return extents; }
  // Contents of indices and masks. Returns no value when data mode off does not know them; the run then assumes some.
  virtual std::optional<std::vector<std::byte>> read_if_known(const std::vector<Extent>& extents) {
    return read(extents);
  }
};

}  // namespace kb::contract
