// Coordinates of a node in the machine. Names are generated from coordinates and never parsed.
#pragma once

#include <string>

#include "platform/base/ids.h"

namespace kb {

// The part of the machine that a node belongs to. Members that do not apply are unset; the host and the switches
// between SIPs belong to no part.
struct NodeCoord {
  SipId sip;
  std::string io;  // id of the IO chiplet in its SIP, "io0"
  CubeId cube;
  PeId pe;  // also set for the PE's HBM slice and channel routers

  friend bool operator==(const NodeCoord& a, const NodeCoord& b) {
    return a.sip == b.sip && a.io == b.io && a.cube == b.cube && a.pe == b.pe;
  }
  friend bool operator!=(const NodeCoord& a, const NodeCoord& b) { return !(a == b); }
};

// "sip0", "sip0.io0", "sip0.cube3", "sip0.cube3.pe1"; empty outside of SIPs.
std::string part_name(const NodeCoord& part);
// The last word of part_name(): "cube3".
std::string part_label(const NodeCoord& part);
// "sip", "io", "cube" or "pe"; empty outside of SIPs.
const char* part_level(const NodeCoord& part);
// The cube, IO chiplet or SIP that contains `part`, or `part` itself.
NodeCoord chip_name(NodeCoord part);
// The containing part: the cube of a PE, the SIP of a cube or IO chiplet; no part for a SIP.
NodeCoord parent_part(NodeCoord part);
// True when `node` belongs to `part`. Unset members of `part` match all nodes.
bool is_within(const NodeCoord& node, const NodeCoord& part);

// A node in the lists of files and pages.
struct NodeEntry {
  std::string id;     // "sip0.cube3.pe1.pe_dma"
  std::string kind;   // "pe_dma"
  std::string label;  // name within the part, "pe_dma"; the complete id outside of SIPs
  NodeCoord coord;
};
// The name of the node's part; its id outside of SIPs.
std::string cell_name(const NodeEntry& node);

}  // namespace kb
