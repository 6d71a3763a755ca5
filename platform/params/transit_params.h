#pragma once

#include <cstdint>

#include "platform/params/field_table.h"

namespace kb::params {

enum class Decode : std::uint8_t { pipelined, serial };

// Of every block that messages merely cross: noc_router, channel_router, switch, ucie, ucie_conn, io_noc.
struct TransitParams {
  Nanoseconds overhead;
  Decode decode = Decode::pipelined;

  // Of a kind whose overhead is `overhead_ns` unless it is written.
  static FieldTable fields(double overhead_ns);
  // Of routers of the cube's mesh, whose overhead is a key of the links.
  static FieldTable router_fields();
};

}  // namespace kb::params
