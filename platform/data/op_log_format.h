// Formats one row of the operation log as text.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "platform/data/op_log.h"

namespace kb::data {

// Appends the row with its line end. Equal records give equal bytes.
void format_row(fmt::memory_buffer& out, std::uint64_t sequence, const OpRecord& record, const OpLog::Options& options);

// Appends the parameters: one JSON object without spaces.
void format_params(fmt::memory_buffer& out, const OpRecord& record, const OpLog::Options& options);

// "sip0.cube0.pe0.pe_dma"; "host" without a component; "node7" for a component without a name.
std::string component_name(NodeId component, const OpLog::Options& options);

}  // namespace kb::data
