// The way of an operation's data through the machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kb::analysis {

class OperationRoutes {
 public:
  // `spec`: what the topology file of the run said, as topology.json has it. Configuration Error when this program
  // cannot compile it (a block of a plug-in).
  explicit OperationRoutes(const std::string& spec);
  ~OperationRoutes();

  // Ids of the nodes between a PE_DMA, M_CPU or PCIE_EP and the memory behind an address, in the direction of the data.
  // Program Error when there is no such memory, configuration Error when there is no such node.
  std::vector<std::string> with_memory(const std::string& node, std::uint64_t address, bool reads) const;
  // Between the DMA engines of two PEs, as a message goes.
  std::vector<std::string> between_pes(const std::string& sender, const std::string& receiver) const;

 private:
  struct Machine;
  std::unique_ptr<Machine> machine_;
};

}  // namespace kb::analysis
