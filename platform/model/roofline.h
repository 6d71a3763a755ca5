// What a SIP can do at most, and the least time that an operation takes on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platform/base/quantities.h"
#include "platform/model/graph.h"
#include "platform/topology/machine_spec.h"

namespace kb::model {

struct SipRoofs {
  std::int64_t pes = 0;
  std::uint64_t hbm_bytes = 0;
  Bandwidth hbm;              // all slices, reads
  Bandwidth link;             // to other SIPs, each direction
  MacRate macs;               // all PE_GEMM, of the graph's dtype
  ElementRate elements;       // all PE_MATH
  bool engines_share = true;  // PE_GEMM and PE_MATH of a PE take turns
};
SipRoofs sip_roofs(const topology::MachineSpec& machine, Dtype dtype);

enum class Limit : std::uint8_t { memory, compute, link };
std::string_view limit_name(Limit limit);

struct RoofTime {
  TimeFs memory = 0_fs, compute = 0_fs, link = 0_fs;

  // The longest of the three: what an operation moves can overlap what it computes.
  TimeFs all() const;
  Limit limit() const;
};
RoofTime roof_time(const Work& work, const SipRoofs& roofs);

// Work of operations that are done together: an activation that is made and read inside of them only is not moved.
Work work_together(const Graph& graph, const std::vector<std::size_t>& ops);

// Operations that are equal but for the layer.
struct OpGroup {
  const GraphOp* first = nullptr;
  std::size_t stage = 0;           // of the first
  std::vector<LayerRange> layers;  // in which they are; empty outside the layers
  std::int64_t count = 0;
  Work each;
  RoofTime time;  // of one
};
// Groups in the order of their first operations; they point into `graphs`, which are the stages of a model.
std::vector<OpGroup> op_groups(const std::vector<Graph>& graphs, const SipRoofs& roofs);

// Least time of operations that follow each other.
struct StageTime {
  TimeFs all = 0_fs;
  TimeFs memory = 0_fs, compute = 0_fs, link = 0_fs;  // sums of the three roofs, whatever was the limit

  StageTime& operator+=(const StageTime& other);
};
StageTime stage_time(const Graph& graph, const SipRoofs& roofs);

}  // namespace kb::model
