// What the reports of ladder and tornado share.
#pragma once

#include <string>

#include "platform/base/units.h"

namespace kb::why {

// "1982.880"
std::string ns(TimeFs time);

}  // namespace kb::why
