// Routes of operations' data through the machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kb::analysis {

class OperationRoutes {
 public:
  // `spec` is the run's topology file as in topology.json. Configuration Error when this program cannot compile it (a
  // block of a plug-in).
  explicit OperationRoutes(const std::string& spec);
  ~OperationRoutes();

  // Node ids between a PE_DMA, M_CPU or PCIE_EP and the memory at an address, in the direction of the data. Program
  // Error when there is no such memory, configuration Error when there is no such node.
  std::vector<std::string> with_memory(const std::string& node, std::uint64_t address, bool reads) const;
  // Node ids between the DMA engines of two PEs, along the route of a message.
  std::vector<std::string> between_pes(const std::string& sender, const std::string& receiver) const;

 private:
  struct Machine;
  std::unique_ptr<Machine> machine_;
};

}  // namespace kb::analysis
