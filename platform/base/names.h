// Names of cubes, PEs and launches in node ids and messages.
#pragma once

#include <string>

#include "platform/base/ids.h"

namespace kb {

// "sip0.cube3"
std::string cube_name(SipId sip, CubeId cube);
// "sip0.cube3.pe1"; the cube's name when the PE is not valid.
std::string pe_name(const PeCoord& pe);
// Name of a launch: "gemm", or with a label "gemm (first layer)".
std::string launch_name(const std::string& kernel, const std::string& label);

}  // namespace kb
