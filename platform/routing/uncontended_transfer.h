// Latency of a transfer between a PE and an HBM slice or SRAM on an idle machine, computed flit by flit by the rules of
// the fabric (docs/blocks), and its division by part of the machine. Exact to the
// femtosecond, but for banks (params::memory_traits).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "platform/address/channel_stripe.h"
#include "platform/base/units.h"
#include "platform/routing/route.h"
#include "platform/topology/graph.h"

namespace kb::routing {

enum class PathPart : std::uint8_t { pe, mesh, ucie, fabric, memory };
inline constexpr std::size_t kPathParts = 5;

// A wire and its end node.
struct PathStep {
  PathPart wire = PathPart::mesh;
  PathPart node = PathPart::mesh;
  TimeFs propagation = 0_fs;
  Bandwidth bw;
  TimeFs overhead = 0_fs;
  bool header_only = false;  // only the header pays the overhead; later flits catch up with it
  bool gathers = false;      // the node stores and forwards whole messages
};

struct TransferPath {
  std::vector<PathStep> there;  // from PE_DMA; the last one leads to the memory
  std::vector<PathStep> back;   // from the memory; the last one leads to PE_DMA
  std::uint64_t flit_bytes = 256;
  Bandwidth pc_bw;  // of a pseudo-channel; none for SRAM
  std::uint64_t access_bytes = 256;
  TimeFs access = 0_fs;        // latency between a burst and its data
  TimeFs write_access = 0_fs;  // and its acknowledgement
  address::ChannelStripe stripe{256, 1};
};

// `route` leads from a PE_DMA to an HBM controller or SRAM.
TransferPath transfer_path(const topology::Graph& graph, const routing::Route& route);

struct TransferTimes {
  TimeFs delivered =
      0_fs;  // since the first wire was offered the transfer: the last burst committed, the last flit back
  TimeFs answered = 0_fs;  // when the response is at PE_DMA, before PE_DMA's own overhead
  // Division of `delivered`: the time of the first flit in each part (of a read: the command, then the first flit),
  // including the gathering of messages, and the delay of the last flit after the first one.
  std::array<TimeFs, kPathParts> parts{};
  TimeFs last_flit_delay = 0_fs;

  TimeFs part(PathPart which) const { return parts[static_cast<std::size_t>(which)]; }
};

// bytes >= 1: one contiguous piece of memory that begins at `offset` in its cube's HBM.
TransferTimes uncontended_write(const TransferPath& path, std::uint64_t bytes, std::uint64_t offset = 0);
TransferTimes uncontended_read(const TransferPath& path, std::uint64_t bytes, std::uint64_t offset = 0);

}  // namespace kb::routing
