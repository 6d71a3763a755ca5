#include "platform/routing/address_resolver.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"
#include "platform/base/names.h"
#include "platform/base/nearest.h"

namespace kb::routing {
namespace {

using address::PeUnit;
using address::PhysAddr;
using address::TargetKind;
using topology::NodeKind;

[[noreturn]] void refuse(const std::string& message) {
  throw Error::program("ADDRESS_ERROR", message);
}

std::size_t pe_slot(NodeKind kind) {
  return static_cast<std::size_t>(kind) - static_cast<std::size_t>(NodeKind::pe_cpu);
}

NodeKind block_of(PeUnit unit) {
  switch (unit) {
    case PeUnit::ipcq:
      return NodeKind::pe_ipcq;
    case PeUnit::dma_engine_sfr:
      return NodeKind::pe_dma;
    case PeUnit::pe_cpu_dtcm:
    case PeUnit::pe_cpu_sfr:
      return NodeKind::pe_cpu;
    case PeUnit::math_engine_dtcm:
    case PeUnit::math_engine_sfr:
      return NodeKind::pe_math;
    case PeUnit::pe_tcm:
      return NodeKind::pe_tcm;
  }
  throw Error::model("a PE sub-unit has no block");
}

NodeId require_node(NodeId id, const std::string& name) {
  if (!id.valid()) refuse(fmt::format("this machine has no {}", name));
  return id;
}

}  // namespace

AddressResolver::AddressResolver(const topology::Graph& graph)
    : config_(address::AddressConfig::from_spec(graph.spec)),
      cubes_(std::size_t{config_.sips} * config_.cubes_per_sip),
      pes_(cubes_.size() * config_.pes_per_cube),
      chiplets_(config_.sips) {
  for (std::vector<Chiplet>& of_sip : chiplets_) {
    for (const topology::IoChipletSpec& io : graph.spec.io_chiplets) of_sip.push_back({io.id, NodeId(), NodeId()});
  }
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) place(graph.nodes[i], NodeId(static_cast<std::uint32_t>(i)));
}

void AddressResolver::place(const topology::Node& node, NodeId id) {
  if (node.kind == NodeKind::pcie_ep || node.kind == NodeKind::io_cpu) {
    if (node.kind == NodeKind::pcie_ep) pcie_eps_.push_back(id);
    if (!node.chiplet) throw Error::model(node.id + " belongs to no IO chiplet");
    Chiplet& chiplet = chiplets_.at(node.sip.value).at(*node.chiplet);
    (node.kind == NodeKind::pcie_ep ? chiplet.pcie_ep : chiplet.io_cpu) = id;
    return;
  }
  if (!node.cube.valid()) return;
  const std::size_t cube = std::size_t{node.sip.value} * config_.cubes_per_sip + node.cube.value;
  if (node.kind == NodeKind::m_cpu) cubes_.at(cube).m_cpu = id;
  if (node.kind == NodeKind::sram) cubes_.at(cube).sram = id;
  if (!node.pe.valid()) return;
  Pe& pe = pes_.at(cube * config_.pes_per_cube + node.pe.value);
  if (node.kind == NodeKind::hbm_ctrl) pe.hbm = id;
  if (is_pe_block(node.kind)) pe.blocks[pe_slot(node.kind)] = id;
}

const AddressResolver::Cube& AddressResolver::cube(SipId sip, CubeId cube) const {
  if (sip.value >= config_.sips || cube.value >= config_.cubes_per_sip) {
    refuse(fmt::format("this machine has no {} (it has {} SIPs of {} cubes)", cube_name(sip, cube), config_.sips,
                       config_.cubes_per_sip));
  }
  return cubes_[std::size_t{sip.value} * config_.cubes_per_sip + cube.value];
}

const AddressResolver::Pe& AddressResolver::pe(const PeCoord& coord) const {
  if (coord.sip.value >= config_.sips || coord.cube.value >= config_.cubes_per_sip ||
      coord.pe.value >= config_.pes_per_cube) {
    refuse(fmt::format("this machine has no {}.pe{} (it has {} SIPs of {} cubes of {} PEs)",
                       cube_name(coord.sip, coord.cube), coord.pe.value, config_.sips, config_.cubes_per_sip,
                       config_.pes_per_cube));
  }
  const std::size_t cube = std::size_t{coord.sip.value} * config_.cubes_per_sip + coord.cube.value;
  return pes_[cube * config_.pes_per_cube + coord.pe.value];
}

const AddressResolver::Chiplet& AddressResolver::chiplet(SipId sip, std::string_view io_id) const {
  if (sip.value >= config_.sips) {
    refuse(fmt::format("this machine has no sip{} (it has {} SIPs)", sip.value, config_.sips));
  }
  std::vector<std::string> known;
  for (const Chiplet& chiplet : chiplets_[sip.value]) {
    if (chiplet.id == io_id) return chiplet;
    known.push_back(chiplet.id);
  }
  refuse(fmt::format("sip{} has no IO chiplet '{}' ({})", sip.value, io_id, suggest(io_id, known)));
}

NodeId AddressResolver::find_m_cpu(SipId sip, CubeId index) const {
  const NodeId id = cube(sip, index).m_cpu;
  return id.valid() ? id : require_node(id, cube_name(sip, index) + ".m_cpu");
}

NodeId AddressResolver::find_sram(SipId sip, CubeId index) const {
  const NodeId id = cube(sip, index).sram;
  return id.valid() ? id : require_node(id, cube_name(sip, index) + ".sram");
}

NodeId AddressResolver::find_pcie_ep(SipId sip, std::string_view io_id) const {
  return require_node(chiplet(sip, io_id).pcie_ep, fmt::format("sip{}.{}.pcie_ep", sip.value, io_id));
}

NodeId AddressResolver::find_io_cpu(SipId sip, std::string_view io_id) const {
  return require_node(chiplet(sip, io_id).io_cpu, fmt::format("sip{}.{}.io_cpu", sip.value, io_id));
}

NodeId AddressResolver::find_pe_node(const PeCoord& coord, NodeKind kind) const {
  if (!is_pe_block(kind)) {
    throw Error::model(fmt::format("{} is not a block of a PE", topology::node_kind_name(kind)));
  }
  const NodeId id = pe(coord).blocks[pe_slot(kind)];
  if (id.valid()) return id;
  return require_node(
      id, fmt::format("{}.pe{}.{}", cube_name(coord.sip, coord.cube), coord.pe.value, topology::node_kind_name(kind)));
}

NodeId AddressResolver::find_hbm(const PeCoord& coord) const {
  const NodeId id = pe(coord).hbm;
  if (id.valid()) return id;
  return require_node(id, fmt::format("{}.hbm_ctrl.pe{}", cube_name(coord.sip, coord.cube), coord.pe.value));
}

NodeId AddressResolver::resolve_pe_unit(const PhysAddr& address) const {
  return find_pe_node({address.sip(), address.cube(), address.pe()}, block_of(address.pe_unit()));
}

NodeId AddressResolver::resolve(const PhysAddr& address) const {
  return resolve(address, 1);
}

NodeId AddressResolver::resolve(const PhysAddr& address, std::uint64_t nbytes) const {
  config_.require_implemented(address, nbytes);
  switch (address.kind()) {
    case TargetKind::hbm: {
      const std::uint64_t slice = address.hbm_offset() / config_.hbm_slice_bytes;
      const std::uint64_t in_slice = address.hbm_offset() % config_.hbm_slice_bytes;
      if (nbytes > config_.hbm_slice_bytes - in_slice) {
        refuse(fmt::format("{}: an access of {} bytes crosses into the next HBM slice (split it there)",
                           address.to_string(), nbytes));
      }
      return find_hbm({address.sip(), address.cube(), PeId(static_cast<std::uint32_t>(slice))});
    }
    case TargetKind::pe_local:
      return resolve_pe_unit(address);
    case TargetKind::cube_sram:
      return find_sram(address.sip(), address.cube());
    case TargetKind::mcpu_local:
      return find_m_cpu(address.sip(), address.cube());
    case TargetKind::iocpu: {
      const Chiplet& chiplet = chiplets_[address.sip().value].at(address.chiplet().value);
      return require_node(chiplet.io_cpu, fmt::format("sip{}.{}.io_cpu", address.sip().value, chiplet.id));
    }
    case TargetKind::ual:
    case TargetKind::reserved:
      break;
  }
  refuse(fmt::format("{}: unsupported address kind {}", address.to_string(), target_kind_name(address.kind())));
}

NodeId AddressResolver::resolve_memory(const PhysAddr& address, std::uint64_t nbytes) const {
  if (address.is_hbm() || address.is_sram()) return resolve(address, nbytes);
  if (!address.is_tcm()) {
    refuse(address.to_string() + " is not a memory that reads and writes go to: HBM, cube SRAM or the TCM of a PE");
  }
  config_.require_implemented(address, nbytes);
  return find_pe_node({address.sip(), address.cube(), address.pe()}, NodeKind::pe_dma);
}

}  // namespace kb::routing
