// What the reports of ladder and tornado share.
#pragma once

#include <cstddef>
#include <string>

#include "platform/base/units.h"

namespace kb::why {

constexpr std::size_t kReportWidth = 150;  // of tables

// "1982.880"
std::string ns(TimeFs time);

}  // namespace kb::why
