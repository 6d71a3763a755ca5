// Describes a transaction to a user by its contents instead of its internal id.
#pragma once

#include <string>

#include "platform/payload/transaction.h"

namespace kb::topology {
struct Graph;
}

namespace kb::modules {

// "read of 4 KiB at 0x1142000001000", "launch #3".
std::string request_text(const payload::Transaction& transaction);
// The same with its issuer: "... by sip0.cube0.pe0.pe_dma".
std::string request_text(const payload::Transaction& transaction, const topology::Graph& graph);

}  // namespace kb::modules
