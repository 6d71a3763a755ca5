// Common definitions of all compiled RTL models.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "platform/base/error.h"

namespace kb::modules {

// Contents of registers before the first write. Verilator has no X: two copies of a model with different contents
// behave equally as long as no output depends on such a register.
enum class RtlFill : std::uint8_t { zeros, ones };

template <typename Pins>
using RtlMaker = std::function<std::unique_ptr<Pins>(RtlFill)>;

// Kinds of model Errors about RTL. The caller of the block adds node and implementation.
enum class RtlFault : std::uint8_t { hang, unknown, wrong };
Error rtl_error(RtlFault fault, const std::string& message);

}  // namespace kb::modules
