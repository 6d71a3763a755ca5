#pragma once

#include <cstdint>

#include "platform/params/field_table.h"

namespace kb::params {

enum class ReadOrder : std::uint8_t { fair, arrival };
enum class ChannelHash : std::uint8_t { none, folded };  // "xor" in files

// Name of the resource whose units are the pseudo-channels.
inline constexpr const char* kChannelResource = "pc";

struct HbmCtrlParams {
  Nanoseconds overhead;
  std::int64_t num_pcs = 8;
  std::int64_t burst_bytes = 256;
  Nanoseconds switch_penalty;
  double efficiency = 1.0;
  ReadOrder read_order = ReadOrder::fair;
  Nanoseconds access;
  std::int64_t access_bytes = 256;
  ChannelHash channel_hash = ChannelHash::none;
  Bandwidth pc_bw;  // bandwidth of one pseudo-channel; derived by the compiler

  static const FieldTable& fields();
};

}  // namespace kb::params
