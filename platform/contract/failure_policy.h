// What a launch does when one of its PEs fails (H-41).
#pragma once

#include <cstdint>

namespace kb::contract {

enum class FailurePolicy : std::uint8_t { fail_fast, collect_all };

}  // namespace kb::contract
