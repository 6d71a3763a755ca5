// Tracks bytes whose contents a two-pass run has not computed at this point of simulated time (P-62).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "platform/base/ids.h"
#include "platform/data/interval_map.h"
#include "platform/data/op_record.h"

namespace kb::data {

class TaintMap {
 public:
  // The operation that computed a byte; copies preserve it.
  struct Origin {
    std::uint64_t sequence = 0;
    NodeId component;
    Dtype dtype = Dtype::f16;
    std::string_view name;  // name of the operation; empty: a product
    friend bool operator==(const Origin& a, const Origin& b) { return a.sequence == b.sequence; }
  };
  struct Found {
    std::uint64_t pa = 0;
    Origin origin;
  };

  // Results of engines become tainted, a copy copies the taint byte for byte, and bytes from outside are clean.
  void apply(std::uint64_t sequence, const OpRecord& record);
  // First tainted byte of the extents, in order; no value when all are clean.
  std::optional<Found> find(const std::vector<Extent>& extents) const;
  std::size_t ranges() const { return map_.size(); }

 private:
  IntervalMap<Origin> map_;
};

}  // namespace kb::data
