#pragma once

#include <cstdint>

#include "platform/params/field_table.h"

namespace kb::params {

enum class Decode : std::uint8_t { pipelined, serial };

// Parameters of every block that messages merely cross: noc_router, channel_router, switch, ucie, ucie_conn, io_noc.
struct TransitParams {
  Nanoseconds overhead;
  Decode decode = Decode::pipelined;

  // The table of a kind whose overhead is `overhead_ns` unless it is written.
  static FieldTable fields(double overhead_ns);
  // The table of routers of the cube's mesh, whose overhead is a key of the links.
  static FieldTable router_fields();
};

}  // namespace kb::params
