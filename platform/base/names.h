// The names of places in the machine, as node ids begin and messages show them.
#pragma once

#include <string>

#include "platform/base/ids.h"

namespace kb {

// "sip0.cube3"
std::string cube_name(SipId sip, CubeId cube);
// "sip0.cube3.pe1"; without a valid PE the cube's name
std::string pe_name(const PeCoord& pe);

}  // namespace kb
