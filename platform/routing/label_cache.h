// Caches the costs from all links to frequent destinations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "platform/base/ids.h"
#include "platform/routing/cost.h"
#include "platform/routing/edge_classes.h"
#include "platform/routing/port_graph.h"

namespace kb::routing {

class LabelCache {
 public:
  using Labels = std::vector<std::pair<LinkState, Cost>>;

  // `other_sip` is the second SIP of the covered links; no value when all links are covered.
  struct Key {
    NodeId dst;
    RoutePurpose purpose{};
    SipId other_sip;
  };

  // Returns nullptr on a miss. `worth_keeping` tells whether the destination was requested before.
  const Labels* find(const Key& key, bool& worth_keeping);
  void keep(const Key& key, Labels labels);

 private:
  static constexpr std::size_t kMaxLabels = std::size_t{1} << 20;  // 24 MB; the cache is cleared above this size
  static std::uint64_t pack(const Key& key);

  std::unordered_map<std::uint64_t, Labels> labels_;  // empty list: requested once
  std::size_t size_ = 0;
};

}  // namespace kb::routing
