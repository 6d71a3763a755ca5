// Report of a collective that chose its algorithm. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kb::sw {

struct CollectiveEstimate {
  std::string algorithm;
  double ns = 0;                    // formula time
  std::int64_t chunk_elements = 0;  // elements per message
  int root = -1;                    // root cube; -1 = none
};

struct CollectiveRecord {
  std::string call;       // "all_reduce"
  std::string algorithm;  // the algorithm that was used
  bool automatic = false;
  std::uint64_t tile_bytes = 0;
  int ranks = 0;                              // number of combined tiles
  std::vector<CollectiveEstimate> estimates;  // in the order of candidate_names()

  bool same_case(const CollectiveRecord& other) const {
    return call == other.call && algorithm == other.algorithm && tile_bytes == other.tile_bytes && ranks == other.ranks;
  }
};

}  // namespace kb::sw
