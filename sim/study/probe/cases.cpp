#include "sim/study/probe/cases.h"

#include <algorithm>
#include <optional>

#include "platform/address/phys_addr.h"
#include "platform/base/error.h"

namespace kb::sim {
namespace {

using topology::Corner;
using topology::MachineSpec;
using topology::Side;

bool is_north(Corner corner) {
  return corner == Corner::NW || corner == Corner::NE;
}

Corner corner_of(const MachineSpec& spec, int pe) {
  return spec.corners[static_cast<std::size_t>(pe / spec.pe_per_corner)];
}

PeCoord at(int sip, int cube, int pe) {
  const auto id = [](int value) { return static_cast<std::uint32_t>(value); };
  return {SipId(id(sip)), CubeId(id(cube)), PeId(id(pe))};
}

// The first PE after PE 0 in the same (or the other) half of the cube.
std::optional<int> pe_in_half(const MachineSpec& spec, bool same) {
  const bool north = is_north(corner_of(spec, 0));
  for (int pe = 1; pe < spec.pes_per_cube(); ++pe) {
    if ((is_north(corner_of(spec, pe)) == north) == same) return pe;
  }
  return std::nullopt;
}

// The cube after `hops` cubes, counted from the first cube port and away from the port's side.
std::optional<int> cube_at_hops(const MachineSpec& spec, int hops) {
  topology::CubePortSpec port;
  if (!spec.io_chiplets.empty() && !spec.io_chiplets[0].cube_ports.empty()) port = spec.io_chiplets[0].cube_ports[0];
  int x = port.cube_x, y = port.cube_y;
  const int steps = hops - 1;
  switch (port.cube_side) {
    case Side::N:
      y += steps;
      break;
    case Side::S:
      y -= steps;
      break;
    case Side::W:
      x += steps;
      break;
    case Side::E:
      x -= steps;
      break;
  }
  if (x < 0 || y < 0 || x >= spec.cube_mesh_w || y >= spec.cube_mesh_h) return std::nullopt;
  return y * spec.cube_mesh_w + x;
}

void add_host_cases(std::vector<ProbeCase>& cases, const MachineSpec& spec, ProbeCategory category) {
  for (int hops = 1; hops <= 4; ++hops) {
    ProbeCase probe;
    probe.category = category;
    probe.op = category == ProbeCategory::h2d ? TraceOp::host_write : TraceOp::host_read;
    probe.name = (category == ProbeCategory::h2d ? "h2d-" : "d2h-") + std::to_string(hops) + "hop";
    probe.hops = hops;
    if (const std::optional<int> cube = cube_at_hops(spec, hops)) {
      probe.target = at(0, *cube, 0);
    } else {
      int depth = hops - 1;
      while (!cube_at_hops(spec, depth)) --depth;
      probe.skipped = "the cube mesh ends after " + std::to_string(depth) + (depth == 1 ? " cube" : " cubes");
    }
    cases.push_back(std::move(probe));
  }
}

void add_pe_case(std::vector<ProbeCase>& cases, const std::string& name, std::optional<PeCoord> target,
                 const std::string& otherwise) {
  ProbeCase probe;
  probe.category = ProbeCategory::pe_dma;
  probe.op = TraceOp::pe_read;
  probe.name = name;
  probe.src = at(0, 0, 0);
  if (target) {
    probe.target = *target;
  } else {
    probe.skipped = otherwise;
  }
  cases.push_back(std::move(probe));
}

// A case in SRAM or TCM: from the host, or from PE 0 of cube 0.
struct MemoryCase {
  const char* name;
  TraceOp op;
  MemoryKind memory;
  std::optional<PeCoord> target;
  const char* otherwise;
};

void add_memory_cases(std::vector<ProbeCase>& cases, const MachineSpec& spec) {
  const auto in_sram = [](int cube) { return PeCoord{SipId(0), CubeId(static_cast<std::uint32_t>(cube)), PeId()}; };
  const std::optional<int> second = pe_in_half(spec, true);
  const bool has_neighbour = spec.cubes_per_sip() > 1;
  const int neighbour = spec.cube_mesh_w > 1 ? 1 : spec.cube_mesh_w;
  const auto only = [](bool exists, PeCoord target) { return exists ? std::optional(target) : std::nullopt; };
  const MemoryCase list[] = {
      {"pe-own-sram", TraceOp::pe_read, MemoryKind::sram, in_sram(0), ""},
      {"pe-cross-cube-sram", TraceOp::pe_read, MemoryKind::sram, only(has_neighbour, in_sram(neighbour)),
       "the SIP has one cube"},
      {"pe-same-half-tcm", TraceOp::pe_read, MemoryKind::tcm, only(second.has_value(), at(0, 0, second.value_or(0))),
       "half of the cube has no second PE"},
      {"pe-cross-cube-tcm", TraceOp::pe_read, MemoryKind::tcm, only(has_neighbour, at(0, neighbour, 0)),
       "the SIP has one cube"},
      {"pe-cross-sip-tcm", TraceOp::pe_read, MemoryKind::tcm, only(spec.sip_count > 1, at(1, 0, 0)),
       "the machine has one SIP"},
      {"h2d-sram", TraceOp::host_write, MemoryKind::sram, in_sram(0), ""},
      {"d2h-sram", TraceOp::host_read, MemoryKind::sram, in_sram(0), ""},
      {"h2d-tcm", TraceOp::host_write, MemoryKind::tcm, at(0, 0, 0), ""},
      {"d2h-tcm", TraceOp::host_read, MemoryKind::tcm, at(0, 0, 0), ""},
  };
  for (const MemoryCase& wanted : list) {
    ProbeCase probe;
    probe.category = ProbeCategory::sram_tcm;
    probe.op = wanted.op;
    probe.name = wanted.name;
    probe.memory = wanted.memory;
    probe.src = at(0, 0, 0);
    const bool sram = wanted.memory == MemoryKind::sram;
    if (!wanted.target) {
      probe.skipped = wanted.otherwise;
    } else if ((sram ? spec.sram_bytes_per_cube : spec.tcm_bytes_per_pe) < kProbeBytes) {
      probe.skipped = sram ? "the SRAM is smaller than 32 KiB" : "the TCM is smaller than 32 KiB";
    } else {
      probe.target = *wanted.target;
    }
    cases.push_back(std::move(probe));
  }
}

std::uint64_t address_of(const ProbeCase& probe, const MachineSpec& spec) {
  using address::PhysAddr;
  const PeCoord& to = probe.target;
  switch (probe.memory) {
    case MemoryKind::hbm:
      return PhysAddr::pe_hbm_addr(to.sip, to.cube, to.pe, 0, spec.hbm_slice_bytes()).value();
    case MemoryKind::sram:
      return PhysAddr::cube_sram_addr(to.sip, to.cube, 0).value();
    case MemoryKind::tcm:
      return PhysAddr::pe_tcm_addr(to.sip, to.cube, to.pe, 0).value();
  }
  throw Error::model("a kind of memory has no address");
}

std::optional<PeCoord> pe_target(const MachineSpec& spec, std::optional<int> pe) {
  if (!pe || *pe >= spec.hbm_slices_per_cube) return std::nullopt;
  return at(0, 0, *pe);
}

}  // namespace

std::string_view probe_category_name(ProbeCategory category) {
  switch (category) {
    case ProbeCategory::h2d:
      return "H2D";
    case ProbeCategory::d2h:
      return "D2H";
    case ProbeCategory::pe_dma:
      return "PE DMA";
    case ProbeCategory::sram_tcm:
      return "SRAM and TCM";
  }
  return "";
}

std::vector<ProbeCase> probe_cases(const MachineSpec& spec) {
  std::vector<ProbeCase> cases;
  add_host_cases(cases, spec, ProbeCategory::h2d);
  add_host_cases(cases, spec, ProbeCategory::d2h);
  add_pe_case(cases, "pe-local-hbm", at(0, 0, 0), "");
  add_pe_case(cases, "pe-same-half-hbm", pe_target(spec, pe_in_half(spec, true)),
              "half of the cube has no second PE with a memory slice");
  add_pe_case(cases, "pe-cross-half-hbm", pe_target(spec, pe_in_half(spec, false)),
              "all PEs with a memory slice are in one half of the cube");
  const int neighbour = spec.cube_mesh_w > 1 ? 1 : spec.cube_mesh_w;
  const int corner = spec.cubes_per_sip() - 1;
  const bool has_neighbour = spec.cubes_per_sip() > 1;
  add_pe_case(cases, "pe-cross-cube-hbm-best", has_neighbour ? std::optional(at(0, neighbour, 0)) : std::nullopt,
              "the SIP has one cube");
  add_pe_case(cases, "pe-cross-cube-hbm-worst", corner > neighbour ? std::optional(at(0, corner, 0)) : std::nullopt,
              has_neighbour ? "the neighbour is the farthest cube" : "the SIP has one cube");
  add_pe_case(cases, "pe-cross-sip-hbm", spec.sip_count > 1 ? std::optional(at(1, 0, 0)) : std::nullopt,
              "the machine has one SIP");
  add_memory_cases(cases, spec);
  return cases;
}

TraceRow probe_row(const ProbeCase& probe, const topology::MachineSpec& spec) {
  if (!probe.skipped.empty()) throw Error::model("probe case " + probe.name + " does not exist on this machine");
  TraceRow row;
  row.id = probe.name;
  row.op = probe.op;
  row.src = probe.src;
  row.dst = address_of(probe, spec);
  row.bytes = kProbeBytes;
  return row;
}

}  // namespace kb::sim
