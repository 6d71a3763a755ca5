#include "kernels/collective/direct_collectives.h"

#include <string>
#include <utility>

#include "kernels/collective/direct_combine.h"
#include "kernels/collective/direct_exchange.h"
#include "kernels/tl/tl.h"
#include "platform/base/checked.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Future;
using tl::Ptr;
using Integer = std::int64_t;
using Futures = std::vector<Future>;

constexpr Integer kMaxRanks = 1'000'000;  // more than any machine has

struct Arguments {
  Ptr in, out;
  Integer n_elem = 0, n_sips = 0, sip_rank = 0, chunk = 0, ahead = 0;
  std::string links;
  // Arguments of some of the kernels.
  Integer root = 0, source = 0, target = 0, pieces = 0, by_blocks = 0;
  std::string op;
};

// Calls body(exchange, segment) for each segment of a block; `streams` messages are received per chunk.
template <typename Body>
void exchange(Context& tl, const Arguments& args, Integer streams, Body body) {
  const tl::LocalShard in = tl.cube_shard(args.in), out = tl.cube_shard(args.out);
  if (in.elements == 0 || out.elements == 0) return;
  tl.require(args.n_elem >= 1 && in.elements >= args.n_elem && out.elements >= args.n_elem,
             "n_elem is larger than the tile in this cube");
  tl.require(args.sip_rank >= 0 && args.sip_rank < args.n_sips && args.n_sips <= kMaxRanks, "sip_rank is not a rank");
  checked_product("n_sips x n_elem", {args.n_sips, args.n_elem});
  DirectExchange x(tl, in.ptr, out.ptr, {args.n_sips, args.sip_rank, args.chunk, args.ahead}, args.links);
  for (const Span& segment : x.segments({0, args.n_elem}, streams)) {
    tl::Scratch scratch(tl);
    body(x, segment);
    x.wait_all();
  }
}

void require_rank(Context& tl, const Arguments& args, Integer rank, const char* name) {
  if (rank >= 0 && rank < args.n_sips) return;
  tl.fail(std::string(name) + " " + std::to_string(rank) + " is none of " + std::to_string(args.n_sips) + " ranks");
}

// --- Transfers of blocks

// Begins of blocks: the rank's own block in `in` and in `out`; the blocks to and from rank r are r steps further.
struct Moves {
  Integer own_from = 0, own_to = 0;
  Integer sent_step = 0, received_step = 0;
};

// Exchanges blocks between all pairs of ranks, beginning with the next rank, so that each rank receives from one at a
// time.
void exchange_blocks(DirectExchange& x, const Span& segment, const Moves& moves) {
  const Integer n = x.ranks(), chunks = segment.chunks(x.chunk());
  for (Integer d = 1; d < n; ++d) {
    const Integer from = x.around(-d);
    for (Integer j = 0; j < chunks; ++j) {
      const Span part = segment.part(j, x.chunk());
      x.collect(from, x.out(from * moves.received_step + part.first), part.size);
    }
  }
  LocalCopy own(x, x.in(moves.own_from + segment.first), x.out(moves.own_to + segment.first), segment.size);
  for (Integer j = 0; j < chunks; ++j) {
    const Span part = segment.part(j, x.chunk());
    own.step();
    for (Integer d = 1; d < n; ++d) {
      const Integer to = x.around(d);
      x.send(to, x.in(to * moves.sent_step + part.first), part.size);
    }
  }
  own.finish();
}

void all_gather(Context& tl, const Arguments& args) {
  exchange(tl, args, args.n_sips - 1, [&](DirectExchange& x, const Span& segment) {
    exchange_blocks(x, segment, {0, x.rank() * args.n_elem, 0, args.n_elem});
  });
}

void all_to_all(Context& tl, const Arguments& args) {
  tl.require(!(args.in == args.out) || args.n_sips == 1, "all_to_all needs two tensors");
  exchange(tl, args, args.n_sips - 1, [&](DirectExchange& x, const Span& segment) {
    const Integer own = x.rank() * args.n_elem;
    exchange_blocks(x, segment, {own, own, args.n_elem, args.n_elem});
  });
}

// Sends `segment` of a tile at `from` to one rank.
void send_all(DirectExchange& x, Integer rank, const Ptr& from, const Span& segment) {
  for (Integer j = 0; j < segment.chunks(x.chunk()); ++j) {
    const Span part = segment.part(j, x.chunk());
    x.send(rank, from + part.first, part.size);
  }
}

void collect_all(DirectExchange& x, Integer rank, const Ptr& into, const Span& segment) {
  for (Integer j = 0; j < segment.chunks(x.chunk()); ++j) {
    const Span part = segment.part(j, x.chunk());
    x.collect(rank, into + part.first, part.size);
  }
}

void gather(Context& tl, const Arguments& args) {
  require_rank(tl, args, args.root, "root");
  exchange(tl, args, args.n_sips - 1, [&](DirectExchange& x, const Span& segment) {
    if (x.rank() != args.root) return send_all(x, args.root, x.in(), segment);
    for (Integer d = 1; d < x.ranks(); ++d) {
      const Integer from = x.around(d);
      collect_all(x, from, x.out(from * args.n_elem), segment);
    }
    LocalCopy(x, x.in(segment.first), x.out(x.rank() * args.n_elem + segment.first), segment.size).finish();
  });
}

void scatter(Context& tl, const Arguments& args) {
  require_rank(tl, args, args.root, "root");
  exchange(tl, args, 1, [&](DirectExchange& x, const Span& segment) {
    if (x.rank() != args.root) return collect_all(x, args.root, x.out(), segment);
    LocalCopy own(x, x.in(x.rank() * args.n_elem + segment.first), x.out(segment.first), segment.size);
    for (Integer j = 0; j < segment.chunks(x.chunk()); ++j) {
      const Span part = segment.part(j, x.chunk());
      own.step();
      for (Integer d = 1; d < x.ranks(); ++d) {
        const Integer to = x.around(d);
        x.send(to, x.in(to * args.n_elem + part.first), part.size);
      }
    }
    own.finish();
  });
}

void send_recv(Context& tl, const Arguments& args) {
  require_rank(tl, args, args.source, "source");
  require_rank(tl, args, args.target, "target");
  exchange(tl, args, 1, [&](DirectExchange& x, const Span& segment) {
    const bool moves = args.source != args.target || !(args.in == args.out);
    if (args.source == args.target && x.rank() == args.source && moves) {
      LocalCopy(x, x.in(segment.first), x.out(segment.first), segment.size).finish();
    }
    if (args.source == args.target) return;
    if (x.rank() == args.source) send_all(x, args.target, x.in(), segment);
    if (x.rank() == args.target) collect_all(x, args.source, x.out(), segment);
  });
}

// --- Between a root and the other ranks. Piece p of a segment belongs to the rank p behind the root, p = 1 .. n - 1.

struct Rooted {
  const DirectExchange& x;
  Integer root;
  Span segment;

  Integer place() const { return (x.rank() - root + x.ranks()) % x.ranks(); }
  Integer rank_of(Integer piece) const { return (root + piece) % x.ranks(); }
  Span piece(Integer index) const { return segment.block(index - 1, x.ranks() - 1); }
  Integer chunks() const { return piece(1).chunks(x.chunk()); }  // of the longest piece
  Span part(Integer piece_index, Integer j) const { return piece(piece_index).part(j, x.chunk()); }
};

void broadcast_root(DirectExchange& x, const Rooted& r, bool pieces) {
  LocalCopy own(x, x.in(r.segment.first), x.out(r.segment.first), r.segment.size);
  const Integer chunks = pieces ? r.chunks() : r.segment.chunks(x.chunk());
  for (Integer j = 0; j < chunks; ++j) {
    own.step();
    for (Integer p = 1; p < x.ranks(); ++p) {
      const Span part = pieces ? r.part(p, j) : r.segment.part(j, x.chunk());
      x.send(r.rank_of(p), x.in(part.first), part.size);
    }
  }
  own.finish();
}

void broadcast_pieces(DirectExchange& x, const Rooted& r) {
  const Integer me = r.place();
  Futures own;
  for (Integer j = 0; j < r.chunks(); ++j) {
    const Span part = r.part(me, j);
    if (part.size > 0) own.push_back(x.receive_into(r.root, x.out(part.first), part.size));
  }
  for (Integer p = 1; p < x.ranks(); ++p) {
    if (p != me) collect_all(x, r.rank_of(p), x.out(), r.piece(p));
  }
  for (std::size_t j = 0; j < own.size(); ++j) {
    x.tl().wait(own[j]);
    const Span part = r.part(me, static_cast<Integer>(j));
    for (Integer step = 1; step < x.ranks() - 1; ++step) {  // the next rank first
      const Integer p = (me - 1 + step) % (x.ranks() - 1) + 1;
      x.send(r.rank_of(p), x.out(part.first), part.size);
    }
  }
}

void broadcast(Context& tl, const Arguments& args) {
  require_rank(tl, args, args.root, "root");
  const bool pieces = args.pieces != 0 && args.n_sips > 2;
  exchange(tl, args, 2, [&](DirectExchange& x, const Span& segment) {
    const Rooted r{x, args.root, segment};
    if (x.rank() == args.root) return broadcast_root(x, r, pieces);
    if (pieces) return broadcast_pieces(x, r);
    collect_all(x, args.root, x.out(), segment);
  });
}

// Sends all tiles to the root, which adds them.
void reduce_at_root(DirectExchange& x, const Rooted& r, const Reduction& reduction) {
  const Integer chunks = r.segment.chunks(x.chunk());
  std::vector<Futures> contributions;
  for (Integer j = 0; j < chunks; ++j) {
    contributions.push_back(x.receive_from(x.others(), r.segment.part(j, x.chunk()).size));
  }
  Accumulation sums(x, reduction);
  for (Integer j = 0; j < chunks + x.ahead(); ++j) {
    if (j < chunks) {
      sums.begin(r.segment.part(j, x.chunk()), std::move(contributions[static_cast<std::size_t>(j)]));
    }
    if (j >= x.ahead()) sums.store(sums.sum());
  }
  sums.finish();
}

// The owner of a piece combines it for the root.
void reduce_pieces(DirectExchange& x, const Rooted& r, const Reduction& reduction) {
  const Integer me = r.place(), chunks = r.chunks();
  const std::vector<Integer> others = x.others();
  std::vector<Futures> contributions;
  for (Integer j = 0; j < chunks; ++j) {
    for (Integer p = 1; me == 0 && p < x.ranks(); ++p) {
      const Span part = r.part(p, j);
      x.collect(r.rank_of(p), x.out(part.first), part.size);
    }
    const Span own = me == 0 ? Span{} : r.part(me, j);
    contributions.push_back(own.size > 0 ? x.receive_from(others, own.size) : Futures());
  }
  Accumulation sums(x, reduction);
  for (Integer j = 0; j < chunks + x.ahead(); ++j) {
    if (j < chunks) {
      if (const Span own = me == 0 ? Span{} : r.part(me, j); own.size > 0) {
        sums.begin(own, std::move(contributions[static_cast<std::size_t>(j)]));
      }
      for (Integer d = 1; d < x.ranks(); ++d) {
        const Integer other = x.around(d);
        if (other == r.root) continue;
        const Span part = r.part((other - r.root + x.ranks()) % x.ranks(), j);
        x.send(other, x.in(part.first), part.size);
      }
    }
    if (j >= x.ahead() && !sums.empty()) x.send(r.root, sums.sum());
  }
}

void reduce(Context& tl, const Arguments& args) {
  require_rank(tl, args, args.root, "root");
  const Reduction reduction(tl, args.op, args.n_sips, args.in.dtype());
  const bool pieces = args.pieces != 0 && args.n_sips > 2;
  exchange(tl, args, pieces ? 2 : args.n_sips, [&](DirectExchange& x, const Span& segment) {
    const Rooted r{x, args.root, segment};
    if (pieces) return reduce_pieces(x, r, reduction);
    if (x.rank() == args.root) return reduce_at_root(x, r, reduction);
    send_all(x, args.root, x.in(), segment);
  });
}

// --- Reductions with a result on all ranks

void reduce_scatter(Context& tl, const Arguments& args) {
  const Reduction reduction(tl, args.op, args.n_sips, args.in.dtype());
  exchange(tl, args, args.n_sips - 1, [&](DirectExchange& x, const Span& segment) {
    const std::vector<Integer> others = x.others();
    const Integer chunks = segment.chunks(x.chunk()), own = x.rank() * args.n_elem;
    std::vector<Futures> contributions;
    for (Integer j = 0; j < chunks; ++j) {
      contributions.push_back(x.receive_from(others, segment.part(j, x.chunk()).size));
    }
    Accumulation sums(x, reduction, -own);
    for (Integer j = 0; j < chunks + x.ahead(); ++j) {
      if (j < chunks) {
        const Span part = segment.part(j, x.chunk());
        sums.begin({own + part.first, part.size}, std::move(contributions[static_cast<std::size_t>(j)]));
        for (Integer d = 1; d < x.ranks(); ++d) {
          const Integer to = x.around(d);
          x.send(to, x.in(to * args.n_elem + part.first), part.size);
        }
      }
      if (j >= x.ahead()) sums.store(sums.sum());
    }
    sums.finish();
  });
}

void all_reduce(Context& tl, const Arguments& args) {
  const Reduction reduction(tl, args.op, args.n_sips, args.in.dtype());
  const bool blocks = args.by_blocks != 0;
  exchange(tl, args, combined_streams(args.n_sips, blocks), [&](DirectExchange& x, const Span& segment) {
    if (blocks) return combine_blocks(x, segment, reduction);
    combine_tiles(x, segment, reduction);
  });
}

// A kernel with the common parameters and some additional ones.
contract::Kernel kernel(const char* name, const char* what, const tl::Parameters<Arguments>& more,
                        void (*body)(Context&, const Arguments&)) {
  tl::Parameters<Arguments> parameters{
      {"in", &Arguments::in},         {"out", &Arguments::out},           {"n_elem", &Arguments::n_elem},
      {"n_sips", &Arguments::n_sips}, {"sip_rank", &Arguments::sip_rank}, {"chunk", &Arguments::chunk},
      {"ahead", &Arguments::ahead},   {"links", &Arguments::links}};
  parameters.insert(parameters.end(), more.begin(), more.end());
  return tl::make_kernel(name, what, std::move(parameters), body);
}

}  // namespace

std::vector<contract::Kernel> direct_collective_kernels() {
  const tl::Parameters<Arguments> root{{"root", &Arguments::root}}, op{{"op", &Arguments::op}},
      root_in_pieces{{"root", &Arguments::root}, {"pieces", &Arguments::pieces}},
      op_of_root{{"root", &Arguments::root}, {"op", &Arguments::op}, {"pieces", &Arguments::pieces}},
      op_by_blocks{{"op", &Arguments::op}, {"by_blocks", &Arguments::by_blocks}},
      ends{{"source", &Arguments::source}, {"target", &Arguments::target}};
  return {
      kernel("direct_all_gather", "every SIP gets the tiles of all SIPs, straight from each", {}, all_gather),
      kernel("direct_all_to_all", "every SIP sends a block of its tile straight to every other", {}, all_to_all),
      kernel("direct_allreduce", "all-reduce of the tiles of the same cube of all SIPs, linked with each other",
             op_by_blocks, all_reduce),
      kernel("direct_broadcast", "every SIP gets the tiles of one, which all are linked with", root_in_pieces,
             broadcast),
      kernel("direct_gather", "one SIP gets the tiles of all SIPs, straight from each", root, gather),
      kernel("direct_reduce", "one SIP gets the combination of the tiles of all SIPs, linked with each other",
             op_of_root, reduce),
      kernel("direct_reduce_scatter", "every SIP gets its block of the combination, straight from all", op,
             reduce_scatter),
      kernel("direct_scatter", "every SIP gets its block of the tile of one, straight from it", root, scatter),
      kernel("direct_send_recv", "one SIP sends its tiles straight to another", ends, send_recv),
  };
}

}  // namespace kb::kernels
