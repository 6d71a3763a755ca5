#pragma once

#include <cstdint>

#include "platform/params/field_table.h"

namespace kb::params {

enum class Decode : std::uint8_t { pipelined, serial };

// Parameters of the blocks that only forward messages: noc_router, channel_router, switch, ucie, ucie_conn, io_noc.
struct ForwardingParams {
  Nanoseconds overhead;
  Decode decode = Decode::pipelined;

  // Table of a kind with this default overhead.
  static FieldTable fields(double overhead_ns);
  // Table of the routers of a cube's mesh, whose overhead is set in the section `links`.
  static FieldTable router_fields();
};

}  // namespace kb::params
