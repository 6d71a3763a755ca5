// One row of the operation log.
#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "platform/data/op_log.h"

namespace kb::data {

// Appends the row with its line end. Equal records give equal bytes.
void format_row(fmt::memory_buffer& out, std::uint64_t sequence, const OpRecord& record, const OpLog::Options& options);

}  // namespace kb::data
