// How many transfers of a PE can have waited for one another, and where they went.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "platform/base/units.h"
#include "platform/contract/i_translator.h"
#include "platform/ops/op_types.h"

namespace kb::sim {

// The longest row of transfers of which each began when the one before had ended: no path through a kernel has more.
class TransferChain {
 public:
  // Calls come in the order of the ends, so that taking each transfer that fits is best.
  void add(TimeFs start, TimeFs end) {
    if (start < last_) return;
    last_ = end;
    if (++skipped_ >= stride_) keep(end);
  }
  // Transfers in the chain that ended within (begin, end], at most. The longest row of those that ended within has at
  // most one more, where the chain's own one before it lies across `begin`.
  std::uint64_t count(TimeFs begin, TimeFs end) const;

 private:
  static constexpr std::size_t kMost = 4096;  // ends that are kept: 32 kB for a PE

  void keep(TimeFs end);

  TimeFs last_ = 0_fs;
  std::vector<TimeFs> ends_;                // of each stride-th transfer of the chain
  std::uint64_t stride_ = 1, skipped_ = 0;  // skipped_: since the latest that was kept
};

// Of the PE_DMA of a PE.
struct PeTransfers {
  TransferChain reads, writes, all;
  // Commands by the memory that has their first or last byte; kAnyNumber of a composite.
  static constexpr std::uint64_t kAnyNumber = std::uint64_t{1} << 40;
  struct Target {
    std::uint64_t address = 0;  // physical, of one of its bytes
    std::uint64_t commands = 0;
  };
  std::unordered_map<std::uint64_t, Target> targets;  // by MiB of the physical addresses

  void add(bool reads_memory, TimeFs start, TimeFs end);
  void add_target(const std::vector<Extent>& memory, const contract::ITranslator* translator, std::uint64_t commands);

 private:
  std::vector<Extent> physical_;
};

}  // namespace kb::sim
