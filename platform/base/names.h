// The names of places in the machine, as node ids begin and messages show them, and of launches.
#pragma once

#include <string>

#include "platform/base/ids.h"

namespace kb {

// "sip0.cube3"
std::string cube_name(SipId sip, CubeId cube);
// "sip0.cube3.pe1"; without a valid PE the cube's name
std::string pe_name(const PeCoord& pe);
// What a launch runs, wherever it is named: "gemm", with a label "gemm (first layer)".
std::string launch_name(const std::string& kernel, const std::string& label);

}  // namespace kb
