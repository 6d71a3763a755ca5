// Requests that cannot be served.
#pragma once

#include <cstdint>
#include <string>

#include "sim/study/requests/request_file.h"
#include "sw/serving/vllm_policy.h"

namespace kb::requests {

// A request has tokens to read and to write, and fits the positions of the model and all blocks; its last output token
// needs no block. Configuration Error with the first requests that do not; with `skip` they are left out, with the
// later calls of their session, and counted.
std::size_t check_requests(const std::string& file, RequestTrace& trace, const serving::VllmLimits& limits,
                           std::int64_t max_positions, bool skip);

}  // namespace kb::requests
