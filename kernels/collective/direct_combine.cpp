#include "kernels/collective/direct_combine.h"

#include <utility>
#include <vector>

namespace kb::kernels {

using tl::TensorHandle;
using Integer = std::int64_t;
using Futures = std::vector<tl::Future>;

// Order of a rank's messages: a chunk of the block of the receiving rank, then, `ahead` chunks later, one of the sums
// of the sender's own block.
void combine_blocks(DirectExchange& x, const Span& segment, const Reduction& reduction) {
  const Integer n = x.ranks(), ahead = x.ahead(), chunks = segment.block(0, n).chunks(x.chunk());
  const auto part = [&](Integer rank, Integer j) { return segment.block(rank, n).part(j, x.chunk()); };
  const std::vector<Integer> others = x.others();
  std::vector<Futures> contributions(static_cast<std::size_t>(chunks));
  for (Integer j = 0; j < chunks + ahead; ++j) {
    for (const Integer other : others) {
      const Span own = j < chunks ? part(x.rank(), j) : Span{};
      if (own.size > 0) contributions[static_cast<std::size_t>(j)].push_back(x.receive(other, own.size));
      if (j < ahead) continue;
      const Span theirs = part(other, j - ahead);
      x.collect(other, x.out(theirs.first), theirs.size);
    }
  }
  Accumulation sums(x, reduction);
  for (Integer j = 0; j < chunks + ahead; ++j) {
    if (j < chunks) {
      if (const Span own = part(x.rank(), j); own.size > 0) {
        sums.begin(own, std::move(contributions[static_cast<std::size_t>(j)]));
      }
      for (Integer d = 1; d < n; ++d) {
        const Span theirs = part(x.around(d), j);
        x.send(x.around(d), x.in(theirs.first), theirs.size);
      }
    }
    if (j < ahead || sums.empty()) continue;
    const TensorHandle sum = sums.sum();
    for (Integer d = 1; d < n; ++d) x.send(x.around(d), sum);
    sums.store(sum);
  }
  sums.finish();
}

void combine_tiles(DirectExchange& x, const Span& segment, const Reduction& reduction) {
  const Integer chunks = segment.chunks(x.chunk());
  std::vector<Integer> others;  // in rank order, which is the order of addition
  for (Integer rank = 0; rank < x.ranks(); ++rank) {
    if (rank != x.rank()) others.push_back(rank);
  }
  std::vector<Futures> contributions;
  for (Integer j = 0; j < chunks; ++j) {
    contributions.push_back(x.receive_from(others, segment.part(j, x.chunk()).size));
  }
  Accumulation sums(x, reduction);
  for (Integer j = 0; j < chunks + x.ahead(); ++j) {
    if (j < chunks) {
      const Span part = segment.part(j, x.chunk());
      sums.begin(part, std::move(contributions[static_cast<std::size_t>(j)]));
      for (Integer d = 1; d < x.ranks(); ++d) x.send(x.around(d), x.in(part.first), part.size);
    }
    if (j >= x.ahead()) sums.store(sums.sum(x.rank()));
  }
  sums.finish();
}

}  // namespace kb::kernels
