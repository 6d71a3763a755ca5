// Copies values of an IntervalMap along with the bytes that they describe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "platform/data/interval_map.h"
#include "platform/ops/op_types.h"

namespace kb::data {

// Gives each byte of `destination` the value of the matching byte of `source`, or no value. The source is read
// completely before the destination changes. moved(value, distance) adapts a value to an address that is larger by
// `distance` (modulo 2^64).
template <typename T, typename Moved>
void copy_ranges(IntervalMap<T>& map, const std::vector<Extent>& source, const std::vector<Extent>& destination,
                 Moved&& moved) {
  struct Piece {
    std::uint64_t begin, end;  // bytes from the start of the copy
    std::uint64_t from;        // address of `begin`
    T value;
  };
  std::vector<Piece> pieces;
  std::uint64_t offset = 0;
  for (const Extent& from : source) {
    map.for_each(from.pa, from.pa + from.nbytes, [&](std::uint64_t begin, std::uint64_t end, const T& value) {
      pieces.push_back({offset + (begin - from.pa), offset + (end - from.pa), begin, value});
      return true;
    });
    offset += from.nbytes;
  }
  offset = 0;
  auto piece = pieces.begin();
  for (const Extent& to : destination) {
    map.erase(to.pa, to.pa + to.nbytes);
    const std::uint64_t stop = offset + to.nbytes;
    while (piece != pieces.end() && piece->begin < stop) {
      const std::uint64_t begin = std::max(piece->begin, offset);
      const std::uint64_t at = to.pa + (begin - offset), was = piece->from + (begin - piece->begin);
      map.assign(at, to.pa + (std::min(piece->end, stop) - offset), moved(piece->value, at - was));
      if (piece->end > stop) break;  // the rest belongs to the next extent
      ++piece;
    }
    offset = stop;
  }
}

}  // namespace kb::data
