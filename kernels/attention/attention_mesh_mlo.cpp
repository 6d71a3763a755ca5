#include "kernels/attention/attention_mesh_mlo.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/attention/attention_rank.h"
#include "kernels/attention/key_blocks.h"
#include "kernels/attention/query_rows.h"
#include "kernels/tl/tl.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Ptr;
using tl::TensorHandle;

// Position of a rank in the reduction of partials: one or two chains that end in the root.
struct FoldPlace {
  std::vector<std::string_view> from;
  std::optional<std::string_view> to;  // no value: the root
};

FoldPlace place_on_line(std::int64_t rank, std::int64_t n, std::int64_t root) {
  FoldPlace place;
  if (rank <= root && rank > 0) place.from.emplace_back("W");
  if (rank >= root && rank < n - 1) place.from.emplace_back("E");
  if (rank < root) place.to = "E";
  if (rank > root) place.to = "W";
  return place;
}

// The ring is cut opposite the root: the half behind the root is reduced westward, the rest eastward.
FoldPlace place_on_ring(std::int64_t rank, std::int64_t n, std::int64_t root) {
  const std::int64_t west_side = n / 2;
  const std::int64_t behind = (rank - root + n) % n;
  return place_on_line(behind <= west_side ? n - 1 - west_side + behind : behind - west_side - 1, n, n - 1 - west_side);
}

// The result returns on the path of the partials, and every rank stores it.
void hand_out(Context& tl, const FoldPlace& place, const TensorHandle& result, std::int64_t elements,
              std::int64_t slot_bytes, Ptr out) {
  const std::int64_t step = slot_bytes / static_cast<std::int64_t>(item_size(out.dtype()));
  for (std::int64_t first = 0; first < elements; first += step) {
    const tl::Scratch messages(tl);
    const Shape shape{std::min(step, elements - first)};
    const TensorHandle part = place.to ? tl.recv(*place.to, shape, out.dtype()) : tl.view(result, first, shape);
    for (const std::string_view from : place.from) tl.send(from, part);
    if (place.to) tl.store(out + first, part);
  }
}

// The keys of a rank that its rows attend to, in blocks in memory order.
std::vector<RowPair> key_blocks_of(std::int64_t seen, std::int64_t most) {
  std::vector<RowPair> out;
  for (std::int64_t first = 0; first < seen; first += most) out.push_back({{first, std::min(most, seen - first)}, {}});
  return out;
}

void attend_own_keys(Context& tl, const AttentionArguments& args, const AttentionRank& me, const FoldPlace& place,
                     std::int64_t head, const RowRange& piece) {
  const tl::Scratch scope(tl);
  const std::int64_t at = (head * args.query_rows() + piece.first) * args.d;
  const tl::Future q = tl.load_async(me.q + at, {piece.count, args.d});
  const BalancedRows dealt(args.context, args.n_ranks);
  const RowPair keys = dealt.of(me.rank);
  const std::int64_t keys_at = head * dealt.most() * args.d;
  const std::vector<RowPair> places = key_blocks_of(args.sight().seen({piece, {}}, keys), args.most_keys());
  KeyBlocks blocks(tl, {me.k + keys_at, me.v + keys_at, args.d}, places, 1);
  QueryRows rows(tl, args.sight(), {piece, {}}, tl.wait(q));
  for (std::int64_t step = 0; step < blocks.count(); ++step) {
    const RowRange& its = places[static_cast<std::size_t>(step)].low;
    rows.attend(
        keys.part(its.first, its.count), [&] { return blocks.k(step); }, [&] { return blocks.v(step); });
  }
  for (const std::string_view from : place.from) {
    const tl::Scratch partial_scope(tl);
    OnlineSoftmax partial(tl, piece.count, args.d);
    partial.receive(from, args.slot_bytes);
    rows.softmax().merge(partial);
  }
  TensorHandle result;
  if (place.to) {
    rows.softmax().send(*place.to, args.slot_bytes);
  } else {
    result = rows.softmax().result(args.o.dtype());
    tl.store(me.o + at, result);
  }
  if (args.broadcast.value_or(0) != 0) hand_out(tl, place, result, piece.count * args.d, args.slot_bytes, me.o + at);
}

void attention_mesh_mlo(Context& tl, const AttentionArguments& args) {
  const auto me = attention_rank(tl, args, Queries::everywhere);
  if (!me) return;
  const std::int64_t n_ranks = args.n_ranks;
  const std::int64_t end = args.root && *args.root >= 0 ? *args.root : me->ring ? 0 : n_ranks / 2;
  tl.require(end < n_ranks, "the root is not a rank");
  const FoldPlace place = me->ring ? place_on_ring(me->rank, n_ranks, end) : place_on_line(me->rank, n_ranks, end);
  for (std::int64_t head = 0; head < args.heads; ++head) {
    for (std::int64_t first = 0; first < args.query_rows(); first += args.most_rows()) {
      attend_own_keys(tl, args, *me, place, head, {first, std::min(args.most_rows(), args.query_rows() - first)});
    }
  }
}

}  // namespace

contract::Kernel attention_mesh_mlo_kernel() {
  tl::Parameters<AttentionArguments> parameters = attention_parameters();
  parameters.emplace_back("root", &AttentionArguments::root);
  parameters.emplace_back("broadcast", &AttentionArguments::broadcast);
  return tl::make_kernel("attention_mesh_mlo",
                         "decode attention: each rank attends over its part of K and V, the partial results are merged",
                         std::move(parameters), attention_mesh_mlo);
}

}  // namespace kb::kernels
