// Resolves physical addresses and machine coordinates to nodes (F-9..F-12, A-18..A-21). Only this class and the
// topology compiler know how nodes are named (T-40).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platform/address/address_config.h"
#include "platform/address/phys_addr.h"
#include "platform/base/ids.h"
#include "platform/topology/graph.h"

namespace kb::routing {

inline constexpr std::string_view kDefaultIoId = "io0";

// Built once per graph; it keeps tables, not the graph, and every lookup is an array access. Program Error
// ADDRESS_ERROR with a name when the machine does not have the requested part.
class AddressResolver {
 public:
  explicit AddressResolver(const topology::Graph& graph);

  // The node at an address. Throws for addresses beyond the implemented capacity, for UAL and
  // for a reserved range.
  NodeId resolve(const address::PhysAddr& address) const;
  // The node that contains all of [address, address + nbytes).
  NodeId resolve(const address::PhysAddr& address, std::uint64_t nbytes) const;

  // The node that serves reads and writes of these bytes over the fabric: an HBM controller, an SRAM, or for a TCM the
  // PE_DMA of its PE. Other addresses are not memory and throw.
  NodeId resolve_memory(const address::PhysAddr& address, std::uint64_t nbytes) const;

  NodeId find_m_cpu(SipId sip, CubeId cube) const;
  NodeId find_sram(SipId sip, CubeId cube) const;
  NodeId find_pcie_ep(SipId sip, std::string_view io_id = kDefaultIoId) const;
  NodeId find_io_cpu(SipId sip, std::string_view io_id = kDefaultIoId) const;
  // The PCIE_EPs of all SIPs, in node order.
  const std::vector<NodeId>& find_all_pcie_eps() const { return pcie_eps_; }

  // `kind` is one of the nine PE blocks (model Error otherwise).
  NodeId find_pe_node(const PeCoord& pe, topology::NodeKind kind) const;
  NodeId find_hbm(const PeCoord& pe) const;  // controller of the partition that the PE owns

  const address::AddressConfig& config() const { return config_; }

 private:
  struct Cube {
    NodeId m_cpu, sram;
  };
  struct Chiplet {
    std::string id;
    NodeId pcie_ep, io_cpu;
  };
  static constexpr std::size_t kPeKinds = topology::kNodeKinds - static_cast<std::size_t>(topology::NodeKind::pe_cpu);
  struct Pe {
    std::array<NodeId, kPeKinds> blocks;
    NodeId hbm;
  };

  void place(const topology::Node& node, NodeId id);
  const Cube& cube(SipId sip, CubeId cube) const;
  const Pe& pe(const PeCoord& coord) const;
  const Chiplet& chiplet(SipId sip, std::string_view io_id) const;
  NodeId resolve_pe_unit(const address::PhysAddr& address) const;

  address::AddressConfig config_;
  std::vector<Cube> cubes_;                     // sip * cubes_per_sip + cube
  std::vector<Pe> pes_;                         // cube index * pes_per_cube + pe
  std::vector<std::vector<Chiplet>> chiplets_;  // indexed by sip, in the order of the spec
  std::vector<NodeId> pcie_eps_;
};

}  // namespace kb::routing
