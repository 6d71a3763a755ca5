#include "sim/analysis/findings/pe_transfers.h"

#include <algorithm>

#include "platform/address/address_space.h"

namespace kb::sim {

void TransferChain::keep(TimeFs end) {
  skipped_ = 0;
  ends_.push_back(end);
  if (ends_.size() < kMost) return;
  for (std::size_t i = 0; i < kMost / 2; ++i) ends_[i] = ends_[2 * i + 1];
  ends_.resize(kMost / 2);
  stride_ *= 2;
}

// Between two ends that are kept are up to stride_ - 1 others, and so before the first and behind the last one.
std::uint64_t TransferChain::count(TimeFs begin, TimeFs end) const {
  const auto first = std::upper_bound(ends_.begin(), ends_.end(), begin),
             last = std::upper_bound(first, ends_.end(), end);
  const auto kept = static_cast<std::uint64_t>(last - first);
  return kept * stride_ + (stride_ - 1);
}

void PeTransfers::add(bool reads_memory, TimeFs start, TimeFs end) {
  (reads_memory ? reads : writes).add(start, end);
  all.add(start, end);
}

void PeTransfers::add_target(const std::vector<Extent>& memory, const contract::ITranslator* translator,
                             std::uint64_t commands) {
  constexpr int kMiB = 20;
  if (memory.empty()) return;
  std::uint64_t latest = ~std::uint64_t{0};
  const auto note = [&](std::uint64_t encoded) {
    physical_.clear();
    const address::AddressSpace space = address::space_of(encoded);
    if (space == address::AddressSpace::message) return;
    if (space == address::AddressSpace::pa) {
      physical_.push_back({encoded, 1});
    } else if (translator == nullptr || translator->translate({encoded, 1}, physical_) || physical_.empty()) {
      return;
    }
    const std::uint64_t at = address::value_of(physical_.front().pa);
    if (at >> kMiB == latest) return;
    latest = at >> kMiB;
    Target& target = targets[latest];
    target.address = at;
    target.commands += commands;
  };
  note(memory.front().pa);
  note(memory.back().pa + std::max<std::uint64_t>(1, memory.back().nbytes) - 1);
}

}  // namespace kb::sim
