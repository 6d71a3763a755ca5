#include "platform/base/node_coord.h"

#include <fmt/format.h>

namespace kb {

std::string part_label(const NodeCoord& part) {
  if (part.pe.valid()) return fmt::format("pe{}", part.pe.value);
  if (part.cube.valid()) return fmt::format("cube{}", part.cube.value);
  if (!part.io.empty()) return part.io;
  return part.sip.valid() ? fmt::format("sip{}", part.sip.value) : "";
}

std::string part_name(const NodeCoord& part) {
  const std::string above = part.sip.valid() ? part_name(parent_part(part)) : "";
  return above.empty() ? part_label(part) : above + "." + part_label(part);
}

const char* part_level(const NodeCoord& part) {
  if (part.pe.valid()) return "pe";
  if (part.cube.valid()) return "cube";
  if (!part.io.empty()) return "io";
  return part.sip.valid() ? "sip" : "";
}

NodeCoord chip_name(NodeCoord part) {
  part.pe = PeId();
  return part;
}

NodeCoord parent_part(NodeCoord part) {
  if (part.pe.valid()) return chip_name(std::move(part));
  if (!part.cube.valid() && part.io.empty()) return {};
  NodeCoord sip;
  sip.sip = part.sip;
  return sip;
}

bool is_within(const NodeCoord& node, const NodeCoord& part) {
  return (!part.sip.valid() || node.sip == part.sip) && (part.io.empty() || node.io == part.io) &&
         (!part.cube.valid() || node.cube == part.cube) && (!part.pe.valid() || node.pe == part.pe);
}

std::string cell_name(const NodeEntry& node) {
  return node.coord.sip.valid() ? part_name(node.coord) : node.id;
}

}  // namespace kb
