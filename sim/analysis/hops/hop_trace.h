// Follows transactions over the fabric and writes every wire that they passed (--hops).
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

class HopTrace final : public payload::IHopObserver {
 public:
  struct Options {
    std::vector<std::string> initiators;  // globs over the nodes where transactions begin; empty = all
    std::size_t most_hops = 2'000'000;    // beyond them no transaction is followed that had not been before
  };

  // Usage Error when a glob matches no node. The graph must outlive it.
  HopTrace(const topology::Graph& graph, Options options);

  bool follows(const payload::Transaction& transaction) override;
  void passed(const payload::Hop& hop) override;

  // After the run: tab-separated, a line for each wire of each leg, by transaction and along its way.
  void write(observe::OutputFile& file);
  // What the file does not hold, if there is such.
  std::optional<std::string> warning() const;

 private:
  struct Followed {
    payload::Op op = payload::Op::message;
    NodeId initiator, target;
    std::uint64_t address = 0, bytes = 0;
    std::string origin;
  };
  std::string head_of(std::uint64_t transaction) const;
  void append(fmt::memory_buffer& text, const std::string& head, const payload::Hop& hop) const;
  bool chosen(NodeId initiator) const { return options_.initiators.empty() || chosen_[initiator.value]; }

  const topology::Graph& graph_;
  Options options_;
  std::vector<bool> chosen_;  // by node
  std::unordered_map<std::uint64_t, Followed> followed_;
  std::vector<payload::Hop> hops_;
  std::size_t expected_ = 0;  // hops of all that are followed
  std::optional<std::uint64_t> first_unfollowed_;
};

}  // namespace kb::sim
