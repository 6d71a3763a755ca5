// Number of a request of the host, in the order of submission.
#pragma once

#include <cstdint>

namespace kb::contract {

using RequestId = std::uint64_t;

}  // namespace kb::contract
