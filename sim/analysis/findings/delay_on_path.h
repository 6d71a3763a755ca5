// What a delay of transfers costs on the path that ends a launch.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "platform/routing/address_resolver.h"
#include "platform/routing/path_router.h"
#include "sim/analysis/findings/case.h"

namespace kb::sim {

// A path through a kernel has no more transfers than can have waited for one another, each of them with the delay of
// its memory.
class DelayOnPath {
 public:
  explicit DelayOnPath(const LaunchCase& launch_case)
      : launch_case_(launch_case), resolver_(launch_case.graph), router_(launch_case.graph) {}

  struct PerTransfer {
    TimeFs read = 0_fs, write = 0_fs;
  };
  using Delay = std::function<PerTransfer(NodeId pe_dma, NodeId memory)>;  // of each transfer between them

  // At the last-ending PE, and at PEs that it waited for.
  TimeFs saved(const Delay& delay);
  // A launch without the delay ends no earlier than any of its PEs: what the one that gains least leaves of it.
  TimeFs most_saved(const Delay& delay);

  // Overheads of nodes, of one kind or all, there and back.
  TimeFs headers(NodeId pe_dma, NodeId memory, std::optional<topology::NodeKind> kind);

 private:
  enum class Span : std::uint8_t { kernel, part };
  TimeFs at(const PeCoord& pe, TimeFs begin, TimeFs end, Span span, const Delay& delay);

  const LaunchCase& launch_case_;
  routing::AddressResolver resolver_;
  routing::PathRouter router_;
};

}  // namespace kb::sim
