#include "platform/base/names.h"

#include <fmt/format.h>

namespace kb {

std::string cube_name(SipId sip, CubeId cube) {
  return fmt::format("sip{}.cube{}", sip.value, cube.value);
}

std::string pe_name(const PeCoord& pe) {
  const std::string cube = cube_name(pe.sip, pe.cube);
  return pe.pe.valid() ? fmt::format("{}.pe{}", cube, pe.pe.value) : cube;
}

std::string launch_name(const std::string& kernel, const std::string& label) {
  return label.empty() ? kernel : kernel + " (" + label + ")";
}

}  // namespace kb
