// Traces transactions over the fabric and writes all wires that they pass (--hops).
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "platform/observe/output_file.h"
#include "platform/payload/i_hop_observer.h"
#include "platform/topology/graph.h"

namespace kb::sim {

// What the time of a transaction consists of at one wire, along its last flit: the parts of all wires of both legs, one
// after the other, are the time from its issue until the last flit of the response has arrived.
struct HopParts {
  TimeFs behind_headers = 0_fs;                    // while the node before the wire decodes headers of others
  TimeFs node = 0_fs;                              // decoding and latency of that node, or the memory at work
  TimeFs behind_own = 0_fs, behind_others = 0_fs;  // waiting for the wire
  TimeFs on_wire = 0_fs, distance = 0_fs;          // occupancy of the last flit, and propagation

  TimeFs sum() const { return behind_headers + node + behind_own + behind_others + on_wire + distance; }
};
// `came`: when the last flit arrived at the node before the wire, or the issue of the transaction. `decodings`: those
// of that node, in its order.
HopParts parts_of(const payload::Hop& hop, TimeFs came, const std::vector<payload::Decoding>& decodings);

class HopTrace final : public payload::IHopObserver {
 public:
  struct Options {
    std::vector<std::string> initiators;  // globs over the initiating nodes; empty = all
    std::size_t most_hops = 2'000'000;    // beyond this number, no further transactions are traced
  };

  // Usage Error when a glob matches no node. The graph must outlive the trace.
  HopTrace(const topology::Graph& graph, Options options);

  bool follows(const payload::Transaction& transaction) override;
  void passed(const payload::Hop& hop) override;
  void decoded(const payload::Decoding& decoding) override;

  // Writes tab-separated values: a line for each wire of each leg, ordered by transaction and position. Must be called
  // after the run.
  void write(observe::OutputFile& file);
  // Message about transactions that the file omits; no value when it is complete.
  std::optional<std::string> warning() const;

 private:
  struct Followed {
    payload::Op op = payload::Op::message;
    TimeFs issued = 0_fs;
    NodeId initiator, target;
    std::uint64_t address = 0, bytes = 0;
    std::string origin;
  };
  std::string head_of(std::uint64_t transaction) const;
  void append(fmt::memory_buffer& text, const std::string& head, const payload::Hop& hop, TimeFs came) const;
  bool chosen(NodeId initiator) const { return options_.initiators.empty() || chosen_[initiator.value]; }

  const topology::Graph& graph_;
  Options options_;
  std::vector<bool> chosen_;  // indexed by node
  std::unordered_map<std::uint64_t, Followed> followed_;
  std::vector<payload::Hop> hops_;
  std::vector<std::vector<payload::Decoding>> decodings_;  // by node
  std::size_t expected_ = 0;                               // number of hops of all traced transactions
  std::optional<std::uint64_t> first_unfollowed_;
};

}  // namespace kb::sim
