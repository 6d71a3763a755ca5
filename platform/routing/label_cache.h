// Costs to a destination from every link, kept for destinations that are asked for again and again.
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

  // `other_sip` is the second SIP of the links that the labels cover; none when they cover everything.
  struct Key {
    NodeId dst;
    RoutePurpose purpose{};
    SipId other_sip;
  };

  // nullptr when nothing is kept. `worth_keeping` tells whether the destination was asked for before.
  const Labels* find(const Key& key, bool& worth_keeping);
  void keep(const Key& key, Labels labels);

 private:
  static constexpr std::size_t kMaxLabels = std::size_t{1} << 20;  // 24 MB; above it everything is forgotten
  static std::uint64_t pack(const Key& key);

  std::unordered_map<std::uint64_t, Labels> labels_;  // empty: asked for once
  std::size_t size_ = 0;
};

}  // namespace kb::routing
