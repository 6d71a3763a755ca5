// One rank of an all-reduce over hops.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/collective/reduction.h"
#include "kernels/tl/context.h"

namespace kb::kernels {

// Arguments of the kernels of hop_allreduce.h.
struct HopArguments {
  tl::Ptr t;
  std::int64_t n_elem = 0, ranks = 0, first_rank = 0;
  std::string order, links, op;
  std::int64_t chunk = 0;
  std::optional<std::int64_t> ahead, by_blocks, twice;  // only for the pairwise kernel
};

// A range of elements of a tile.
struct Part {
  std::int64_t first = 0, elements = 0;
};

class HopRank {
 public:
  // Returns no value when this PE does not hold a tile.
  static std::optional<HopRank> make(tl::Context& tl, const HopArguments& args);

  std::int64_t rank() const { return rank_; }
  std::int64_t ranks() const { return ranks_; }
  std::int64_t around(std::int64_t distance) const { return ((rank_ + distance) % ranks_ + ranks_) % ranks_; }
  tl::Ptr tile() const { return tile_; }
  const HopArguments& arguments() const { return arguments_; }
  // Labels to the rank `distance` ahead and from the rank `distance` behind; 1 <= distance < ranks.
  std::string to(std::int64_t distance) const;
  std::string from(std::int64_t distance) const;

  // Splits the tile into segments of at most `elements` elements, so that a segment fits the scratch.
  std::vector<Part> segments(std::int64_t elements) const;
  // The messages of a rank's block in a segment; none when the block is empty.
  std::vector<Part> messages(const Part& segment, std::int64_t rank) const;
  // Splits a part into messages.
  std::vector<Part> messages(const Part& part) const;
  Part block(const Part& segment, std::int64_t rank) const;

 private:
  std::string label(std::int64_t hop) const;
  tl::Ptr tile_;
  std::int64_t n_elem_ = 0, rank_ = 0, ranks_ = 0, step_ = 0;
  std::string links_;
  HopArguments arguments_;
};

}  // namespace kb::kernels
