// What all compiled RTL models have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "platform/base/error.h"

namespace kb::modules {

// What registers hold before anything was written to them. Verilator has no X: two copies of a model, one of each kind,
// do the same as long as no output depends on such a register.
enum class RtlFill : std::uint8_t { zeros, ones };

template <typename Pins>
using RtlMaker = std::function<std::unique_ptr<Pins>(RtlFill)>;

// Model Errors about the RTL, by what is wrong with it. The caller of the block adds node and implementation.
enum class RtlFault : std::uint8_t { hang, unknown, wrong };
Error rtl_error(RtlFault fault, const std::string& message);

}  // namespace kb::modules
