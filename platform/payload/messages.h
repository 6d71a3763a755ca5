// Contents of the control messages that travel as zero-byte transactions beyond PCIE_EP (C 0.1). They are
// device-internal: the host sees only contract/i_host.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platform/address/address_space.h"
#include "platform/address/region_list.h"
#include "platform/base/ids.h"
#include "platform/contract/barrier_scope.h"
#include "platform/contract/i_queue_endpoint.h"
#include "platform/contract/requests.h"
#include "platform/payload/transaction.h"

namespace kb::payload {

// Kernel launch: host -> IO_CPU -> M_CPU -> PE_CPU. Stages pass the same launch record on; only the stamp is added.
struct KernelLaunchMsg final : Message {
  std::shared_ptr<const contract::KernelLaunch> launch;
  std::uint64_t request = 0;     // host request id: correlation of every stage
  TimeFs target_start = kNever;  // absolute start barrier (C-IO-7); kNever = not stamped
};

// A change of the translation tables of PEs: host -> IO_CPU -> M_CPU -> the block of each PE that holds the table.
struct TranslationMsg : Message {
  std::uint64_t request = 0;
  std::vector<CubeId> cubes;  // empty = every cube of the SIP
  std::vector<PeId> pes;      // empty = every PE of a cube

  virtual std::string_view verb() const = 0;  // for texts: "unmap"
};

// Map or unmap entries for the PE_MMUs (section 5.7 of the addressing chapter).
struct MmuMapMsg final : TranslationMsg {
  bool unmap = false;
  std::shared_ptr<const address::RegionList> entries;  // shared by all receivers; `pa` has no meaning in an unmap

  std::string_view verb() const override { return unmap ? "unmap" : "map"; }
};

// Segments of a tensor for the BAAWs in the PE_DMAs.
struct BaawSegmentInstallMsg final : TranslationMsg {
  std::shared_ptr<const address::RegionList> segments;  // shared by all receivers

  std::string_view verb() const override { return "segment install"; }
};

// Takes back the segments that were installed at [la_base, la_base + la_size).
struct BaawSegmentRemoveMsg final : TranslationMsg {
  address::LogicalAddr la_base;
  std::uint64_t la_size = 0;

  std::string_view verb() const override { return "segment removal"; }
};

// What the DMA write of a message between PEs carries besides its bytes. The receiver finds the queue by
// `slot_pa` alone; sender and direction are for texts.
struct QueueTokenMsg final : Message {
  std::uint64_t slot_pa = 0;  // in the receiver's ring
  std::uint64_t sequence = 0;
  std::uint64_t nbytes = 0;
  PeCoord sender;
  std::string direction;
};

// A credit on its way back over the fabric.
struct QueueCreditMsg final : Message {
  std::uint64_t ring_pa = 0;                    // of the ring whose messages were consumed
  std::uint64_t consumed = 0;                   // of all its messages
  contract::IQueueEndpoint* emitter = nullptr;  // told when the credit is there
};

// A kernel has come to a barrier: PE_CPU -> M_CPU, answered when all that it waits for have. Of a barrier of the SIP,
// M_CPU sends the same on to the IO_CPU that sent it the launch, once the kernels of all PEs of the cube are there.
struct BarrierMsg final : Message {
  std::uint64_t request = 0;  // of the launch
  contract::BarrierScope scope{};
  std::size_t pes = 0;    // of the launch in each cube
  std::size_t cubes = 0;  // of the launch in the SIP
  PeCoord from;           // without a PE: all of the cube
};

// Aggregated answer of PE_CPU, M_CPU or IO_CPU. Metrics merge by maximum, in any order (C-MCPU-12).
struct LaunchReply final : Message {
  std::vector<contract::PeResult> pes;  // one per PE that ran, in (sip, cube, pe) order after aggregation
};

}  // namespace kb::payload
