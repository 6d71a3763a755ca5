#include "platform/base/names.h"

#include "platform/base/node_coord.h"

namespace kb {

std::string cube_name(SipId sip, CubeId cube) {
  return part_name({sip, "", cube, PeId()});
}

std::string pe_name(const PeCoord& pe) {
  return part_name({pe.sip, "", pe.cube, pe.pe});
}

std::string launch_name(const std::string& kernel, const std::string& label) {
  return label.empty() ? kernel : kernel + " (" + label + ")";
}

}  // namespace kb
