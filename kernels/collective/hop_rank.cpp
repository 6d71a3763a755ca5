#include "kernels/collective/hop_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "platform/base/checked.h"
#include "platform/contract/tensor_layout.h"

namespace kb::kernels {
namespace {

// Position of the tile in the rank order of its SIP. `order` has a position for each cube, whose tiles are consecutive.
std::int64_t place_of(tl::Context& tl, const std::string& order, std::int64_t tile, std::int64_t tiles) {
  std::vector<std::int64_t> places;
  std::istringstream text(order);
  for (std::int64_t place = 0; text >> place;) places.push_back(place);
  if (places.empty()) return tile;
  const auto cubes = static_cast<std::int64_t>(places.size());
  tl.require(tiles % cubes == 0 && tile < tiles, "the order of the ranks does not fit the tiles");
  const std::int64_t per_cube = tiles / cubes;
  return places[static_cast<std::size_t>(tile / per_cube)] * per_cube + tile % per_cube;
}

}  // namespace

std::optional<HopRank> HopRank::make(tl::Context& tl, const HopArguments& args) {
  const tl::LocalShard own = tl.shard(args.t);
  if (own.elements == 0) return std::nullopt;
  tl.require(args.n_elem >= 1 && own.elements == args.n_elem, "n_elem is not the size of the tile on this PE");
  HopRank member;
  member.tile_ = own.ptr;
  member.n_elem_ = args.n_elem;
  member.ranks_ = args.ranks;
  member.links_ = args.links;
  member.arguments_ = args;
  member.step_ = args.chunk > 0 ? std::min(args.chunk, args.n_elem) : args.n_elem;
  const std::int64_t tiles =
      static_cast<std::int64_t>(args.t.tensor().nbytes / item_size(args.t.dtype())) / args.n_elem;
  member.rank_ =
      checked_sum("first_rank + tile", {args.first_rank, place_of(tl, args.order, own.first / args.n_elem, tiles)});
  if (member.rank_ < 0 || member.rank_ >= args.ranks) {
    tl.fail(fmt::format("this PE is rank {}, but there are {}", member.rank_, args.ranks));
  }
  return member;
}

std::string HopRank::label(std::int64_t hop) const {
  if (links_ == "hop") return fmt::format("hop{:+}", hop);
  return links_ + (hop > 0 ? "E" : "W");
}

std::string HopRank::to(std::int64_t distance) const {
  return label(2 * distance <= ranks_ ? distance : distance - ranks_);
}

std::string HopRank::from(std::int64_t distance) const {
  return label(2 * distance <= ranks_ ? -distance : ranks_ - distance);
}

std::vector<Part> HopRank::segments(std::int64_t elements) const {
  std::vector<Part> all;
  for (std::int64_t first = 0; first < n_elem_; first += elements) {
    all.push_back({first, std::min(elements, n_elem_ - first)});
  }
  return all;
}

Part HopRank::block(const Part& segment, std::int64_t rank) const {
  // Equal to rank * elements / ranks, but without overflow.
  const std::int64_t least = segment.elements / ranks_, rest = segment.elements % ranks_;
  const std::int64_t first = rank * least + rank * rest / ranks_,
                     last = (rank + 1) * least + (rank + 1) * rest / ranks_;
  return {segment.first + first, last - first};
}

std::vector<Part> HopRank::messages(const Part& segment, std::int64_t rank) const {
  return messages(block(segment, rank));
}

std::vector<Part> HopRank::messages(const Part& part) const {
  std::vector<Part> all;
  for (std::int64_t first = 0; first < part.elements; first += step_) {
    all.push_back({part.first + first, std::min(step_, part.elements - first)});
  }
  return all;
}

}  // namespace kb::kernels
