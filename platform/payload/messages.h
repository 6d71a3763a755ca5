// Contents of the control messages that travel as zero-byte transactions inside the device (C-6); the host sees only
// contract/i_host.h. The set of messages is closed: a visitor of a Message handles each kind.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "platform/account/place.h"
#include "platform/address/address_space.h"
#include "platform/address/region_list.h"
#include "platform/base/ids.h"
#include "platform/base/units.h"
#include "platform/contract/barrier_scope.h"
#include "platform/contract/i_queue_endpoint.h"

namespace kb::contract {
struct KernelLaunch;
struct PeResult;
}  // namespace kb::contract

namespace kb::payload {

// Kernel launch: host -> IO_CPU -> M_CPU -> PE_CPU. Each stage forwards the same launch record; only the stamp is
// added.
struct KernelLaunchMsg {
  std::shared_ptr<const contract::KernelLaunch> launch;
  std::uint64_t request = 0;     // request number of the host, which identifies the launch at every stage
  TimeFs target_start = kNever;  // absolute start barrier (C-IO-7); kNever = not stamped
};

// Common part of the messages that change translation tables: host -> IO_CPU -> M_CPU -> the blocks that hold the
// tables.
struct TranslationMsg {
  std::uint64_t request = 0;
  std::vector<CubeId> cubes;  // empty = all cubes of the SIP
  std::vector<PeId> pes;      // empty = all PEs of a cube
};

// Map or unmap request for PE_MMUs.
struct MmuMapMsg final : TranslationMsg {
  bool unmap = false;
  std::shared_ptr<const address::RegionList> entries;  // shared by all receivers; an unmap does not use `pa`

  std::string_view verb() const { return unmap ? "unmap" : "map"; }
};

// Installs the segments of a tensor in the BAAWs of PE_DMAs.
struct BaawSegmentInstallMsg final : TranslationMsg {
  std::shared_ptr<const address::RegionList> segments;  // shared by all receivers

  std::string_view verb() const { return "segment install"; }
};

// Removes the segments that were installed at [la_base, la_base + la_size).
struct BaawSegmentRemoveMsg final : TranslationMsg {
  address::LogicalAddr la_base;
  std::uint64_t la_size = 0;

  std::string_view verb() const { return "segment removal"; }
};

// Control information of a message between PEs, carried by its DMA write. The receiver finds the queue by
// `slot_pa` only; sender and direction are for reports.
struct QueueTokenMsg {
  std::uint64_t slot_pa = 0;  // in the receiver's ring
  std::uint64_t sequence = 0;
  std::uint64_t nbytes = 0;
  PeCoord sender;
  std::string direction;
  account::PlaceId place{};  // the sender's: the write into the slot and the credit belong to the message
};

// A credit that returns over the fabric.
struct QueueCreditMsg {
  std::uint64_t ring_pa = 0;                    // ring whose messages were consumed
  std::uint64_t consumed = 0;                   // number of consumed messages of the ring since its installation
  contract::IQueueEndpoint* emitter = nullptr;  // notified when the credit has arrived
};

// A kernel has reached a barrier: PE_CPU -> M_CPU, answered when all participants have arrived. For a SIP barrier,
// M_CPU forwards the message to the IO_CPU that sent the launch, once all PEs of the cube have arrived. The answer to a
// barrier before a queued launch is this message with the start stamp.
struct BarrierMsg {
  std::uint64_t request = 0;  // request number of the launch
  contract::BarrierScope scope{};
  std::size_t pes = 0;    // PEs of the launch in each cube
  std::size_t cubes = 0;  // cubes of the launch in the SIP
  PeCoord from;           // without a PE: all PEs of the cube
  // The M_CPUs of the cubes tell each other that their PEs are there; otherwise the IO_CPU gathers the cubes.
  std::shared_ptr<const std::vector<CubeId>> exchange{};
  TimeFs reached = 0_fs;  // when the last of those for whom the message speaks came
  TimeFs start = kNever;  // common start stamp of the PEs (H-49a)
};

// Aggregated answer of PE_CPU, M_CPU or IO_CPU. Metrics merge by maximum, so that the order does not matter
// (C-MCPU-12).
struct LaunchReply {
  LaunchReply();
  explicit LaunchReply(std::vector<contract::PeResult> results);
  LaunchReply(const LaunchReply&);
  LaunchReply(LaunchReply&&) noexcept;
  LaunchReply& operator=(const LaunchReply&);
  LaunchReply& operator=(LaunchReply&&) noexcept;
  ~LaunchReply();

  std::vector<contract::PeResult> pes;  // one per PE that ran, in (sip, cube, pe) order after aggregation
};

using Message = std::variant<KernelLaunchMsg, MmuMapMsg, BaawSegmentInstallMsg, BaawSegmentRemoveMsg, QueueTokenMsg,
                             QueueCreditMsg, BarrierMsg, LaunchReply>;

// Creates an immutable message, which all receivers share.
template <typename Content>
std::shared_ptr<const Message> share(Content content) {
  return std::make_shared<const Message>(std::in_place_type<Content>, std::move(content));
}

// The content of `message` if it has this type, with the lifetime of the message; otherwise null.
template <typename Content>
std::shared_ptr<const Content> shared_content(const std::shared_ptr<const Message>& message) {
  return {message, std::get_if<Content>(message.get())};
}

// The common part of a message that changes translation tables; null for any other message.
const TranslationMsg* translation(const Message* message);
// "map", "segment removal"; empty for a message that changes no table.
std::string_view translation_verb(const Message& message);

// Combines functions of several types into one visitor.
template <typename... Functions>
struct Visitor : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Visitor(Functions...) -> Visitor<Functions...>;

}  // namespace kb::payload
