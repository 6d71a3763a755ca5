// Where a node stands in the machine. Names are made from coordinates; no name is read for them.
#pragma once

#include <string>

#include "platform/base/ids.h"

namespace kb {

// The part of the machine that a node belongs to. What does not apply is unset; the host and the switches between SIPs
// belong to no part.
struct NodeCoord {
  SipId sip;
  std::string io;  // id of the IO chiplet in its SIP, "io0"
  CubeId cube;
  PeId pe;  // also of the PE's HBM slice and channel routers

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
// Its cube, IO chiplet or SIP.
NodeCoord chip_of(NodeCoord part);
// The part above: the cube of a PE, the SIP of a cube or IO chiplet; of a SIP none.
NodeCoord part_above(NodeCoord part);
// True when `node` belongs to `part`. What `part` leaves unset may be anything.
bool is_within(const NodeCoord& node, const NodeCoord& part);

// A node as files and pages list it.
struct NodeEntry {
  std::string id;     // "sip0.cube3.pe1.pe_dma"
  std::string kind;   // "pe_dma"
  std::string label;  // its name within its part, "pe_dma"; the whole id outside of SIPs
  NodeCoord coord;
};
// The name of its part; its own outside of SIPs.
std::string cell_name(const NodeEntry& node);

}  // namespace kb
