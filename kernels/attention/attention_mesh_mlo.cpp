#include "kernels/attention/attention_mesh_mlo.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/attention/attention_rank.h"
#include "kernels/attention/online_softmax.h"
#include "kernels/tl/tl.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Ptr;
using tl::TensorHandle;

// A rank in the tree that partials are folded along: one or two chains that end in the root.
struct FoldPlace {
  std::vector<std::string_view> from;
  std::optional<std::string_view> to;  // none: the root
};

FoldPlace place_on_line(std::int64_t rank, std::int64_t n, std::int64_t root) {
  FoldPlace place;
  if (rank <= root && rank > 0) place.from.emplace_back("W");
  if (rank >= root && rank < n - 1) place.from.emplace_back("E");
  if (rank < root) place.to = "E";
  if (rank > root) place.to = "W";
  return place;
}

// The ring is cut opposite of the root: the first half behind it folds westward, the rest eastward.
FoldPlace place_on_ring(std::int64_t rank, std::int64_t n, std::int64_t root) {
  const std::int64_t west_side = n / 2;
  const std::int64_t behind = (rank - root + n) % n;
  return place_on_line(behind <= west_side ? n - 1 - west_side + behind : behind - west_side - 1, n, n - 1 - west_side);
}

// The result goes back the way the partials came, and every rank stores it.
void hand_out(Context& tl, const FoldPlace& place, const TensorHandle& result, const AttentionArguments& args,
              Ptr out) {
  const std::int64_t elements = args.rows * args.d;
  const std::int64_t step = args.slot_bytes / static_cast<std::int64_t>(item_size(out.dtype()));
  for (std::int64_t first = 0; first < elements; first += step) {
    const tl::Scratch messages(tl);
    const Shape shape{std::min(step, elements - first)};
    const TensorHandle part = place.to ? tl.recv(*place.to, shape, out.dtype()) : tl.view(result, first, shape);
    for (const std::string_view from : place.from) tl.send(from, part);
    if (place.to) tl.store(out + first, part);
  }
}

void attention_mesh_mlo(Context& tl, const AttentionArguments& args) {
  const auto me = attention_rank(tl, args);
  if (!me) return;
  const std::int64_t rows = args.rows, keys = args.keys, d = args.d, n_ranks = args.n_ranks;
  const std::int64_t end = args.root && *args.root >= 0 ? *args.root : me->ring ? 0 : n_ranks / 2;
  tl.require(end < n_ranks, "the root is not a rank");
  const FoldPlace place = me->ring ? place_on_ring(me->rank, n_ranks, end) : place_on_line(me->rank, n_ranks, end);
  for (std::int64_t head = 0; head < args.heads; ++head) {
    const tl::Scratch scope(tl);
    const TensorHandle my_q = tl.load(me->q + head * rows * d, {rows, d});
    OnlineSoftmax softmax(tl, rows, d);
    const std::int64_t at = head * keys * d;
    softmax.attend(
        my_q, keys,
        [&] {
          return tl.load(me->k + at, {keys, d});
        },
        [&] {
          return tl.load(me->v + at, {keys, d});
        });
    for (const std::string_view from : place.from) {
      const tl::Scratch partial_scope(tl);
      OnlineSoftmax partial(tl, rows, d);
      partial.receive(from, args.slot_bytes);
      softmax.merge(partial);
    }
    const Ptr out = me->o + head * rows * d;
    TensorHandle result;
    if (place.to) {
      softmax.send(*place.to, args.slot_bytes);
    } else {
      result = softmax.result(args.o.dtype());
      tl.store(out, result);
    }
    if (args.broadcast.value_or(0) != 0) hand_out(tl, place, result, args, out);
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
