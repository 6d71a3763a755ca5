// Oracle for the fabric's timing: moves each flit through one global event queue, with a direct implementation of the
// rules. It shares no code with the modules, and need not be fast.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/units.h"
#include "platform/topology/graph.h"

namespace kb::test {

struct PlainRequest {
  bool write = false;
  TimeFs issue = 0_fs;
  std::vector<NodeId> path;      // forward, initiator to memory
  std::uint64_t hbm_offset = 0;  // in the cube's HBM; ignored by SRAM
  std::uint64_t bytes = 0;
};

struct PlainTimes {
  TimeFs delivered = -1_fs;
  TimeFs completed = -1_fs;
  friend bool operator==(const PlainTimes& a, const PlainTimes& b) {
    return a.delivered == b.delivered && a.completed == b.completed;
  }
};

// Use of a resource by one flit.
struct PlainPassage {
  std::size_t request = 0;
  bool response = false;
  std::uint32_t index = 0;  // in its leg
  TimeFs ready = 0_fs, start = 0_fs, end = 0_fs;
  std::uint64_t bytes = 0;
};
using PlainPassages = std::vector<std::vector<PlainPassage>>;  // by edge, in order

// A wire on the way of the last flit of a leg, or of a message.
struct PlainStep {
  bool response = false, message = false;
  EdgeId edge;
  TimeFs came = 0_fs;  // to the node before the wire; of the first step when it was injected
  TimeFs ready = 0_fs, start = 0_fs, end = 0_fs, arrived = 0_fs;
};

struct PlainUses {
  std::vector<std::vector<PlainStep>> ways;  // by request
  PlainPassages edges;
  std::map<NodeId, std::vector<PlainPassage>> decoders;                            // headers, no bytes
  std::map<std::pair<NodeId, std::uint64_t>, std::vector<PlainPassage>> channels;  // bursts, by pseudo-channel
  // Transactions in an SRAM (0), and in the read (0) and write (1) port of a PE_TCM.
  std::map<std::pair<NodeId, std::uint64_t>, std::vector<PlainPassage>> memories;
};

// Requests with equal issue times at one node keep their order in the list.
std::vector<PlainTimes> simulate_plain(const topology::Graph& graph, const std::vector<PlainRequest>& requests,
                                       PlainUses* uses = nullptr);

}  // namespace kb::test
