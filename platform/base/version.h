#pragma once

namespace kb {
inline constexpr const char* kVersion = "0.1.0";
}
