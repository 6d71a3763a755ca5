// How a channel decides (C-DRAM-2, C-DRAM-5, C-DRAM-8, C-DRAM-9, C-DRAM-12).
#pragma once

#include <cstdint>

#include "platform/dram/standards.h"

namespace kb::dram {

enum class BankHash : std::uint8_t { none, xor_row };  // xor_row: bank bits ^= low row bits
enum class PagePolicy : std::uint8_t { open, closed, timeout };
enum class RefreshMode : std::uint8_t { per_bank, all_bank, none };
enum class Drain : std::uint8_t { watermark, oldest };
enum class WriteAck : std::uint8_t { committed, accepted };

// Configuration Error when refresh leaves no time for accesses.
void check_refresh(const Standard& standard, RefreshMode mode, int postpone);

}  // namespace kb::dram
