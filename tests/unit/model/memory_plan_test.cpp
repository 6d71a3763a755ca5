#include "platform/model/memory_plan.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "platform/base/units.h"
#include "platform/model/weights.h"
#include "tests/unit/model/tiny_models.h"

namespace kb::model {
namespace {

ArenaGeometry small_slices(std::uint64_t slice_bytes, address::ChannelHash hash = address::ChannelHash::none) {
  ArenaGeometry geometry;
  geometry.pes = 8;
  geometry.pes_per_cube = 8;
  geometry.slice_bytes = slice_bytes;
  geometry.hash = hash;
  return geometry;
}

bool is_kept(const GraphTensor& tensor) {
  return tensor.kind == TensorKind::weight || tensor.kind == TensorKind::cache;
}

// Whether some operation of [first, last] of one tensor lies in those of the other.
struct Span {
  std::size_t first = ~std::size_t{0}, last = 0;
};
std::vector<Span> spans(const Graph& graph) {
  std::vector<Span> spans(graph.tensors.size());
  for (std::size_t at = 0; at < graph.ops.size(); ++at) {
    const GraphOp& op = graph.ops[at];
    for (const auto& list : {op.inputs, op.outputs, op.weights}) {
      for (const std::size_t tensor : list) {
        spans[tensor].first = std::min(spans[tensor].first, at);
        spans[tensor].last = std::max(spans[tensor].last, at);
      }
    }
  }
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (is_kept(graph.tensors[i])) spans[i] = {0, graph.ops.size()};
  }
  return spans;
}

// M-31: no two tensors that are needed at one time share a byte.
RC_GTEST_PROP(MemoryPlan, TensorsThatAreNeededTogetherDoNotOverlap, ()) {
  const std::string family = *rc::gen::elementOf(tiny_families());
  const ModelSpec spec = tiny_model(family);
  const bool decode = *rc::gen::arbitrary<bool>();
  const BatchChoice choice{decode ? Phase::decode : Phase::prefill,
                           std::to_string(*rc::gen::inRange(1, 40)) + "x" + std::to_string(*rc::gen::inRange(1, 200)),
                           0, 1};
  const ParallelPlan plan{*rc::gen::element(1, 2, 4), *rc::gen::element(1, 2), 1, 1};
  const Graph graph = build_graph(spec, plan, make_batch(choice), Dtype::bf16, plan.pp - 1);
  const MemoryPlan memory = plan_memory(
      graph, small_slices(kGiB, *rc::gen::element(address::ChannelHash::none, address::ChannelHash::folded)));
  const std::vector<Span> needed = spans(graph);
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    RC_ASSERT(memory.parts[i] * 8 >= graph.tensors[i].bytes);
    RC_ASSERT(memory.offsets[i] + memory.parts[i] <= memory.slice_bytes_taken);
    for (std::size_t j = 0; j < i; ++j) {
      const bool together = needed[i].first <= needed[j].last && needed[j].first <= needed[i].last;
      const bool apart = memory.offsets[i] + memory.parts[i] <= memory.offsets[j] ||
                         memory.offsets[j] + memory.parts[j] <= memory.offsets[i];
      RC_ASSERT(!together || apart);
    }
  }
}

// M-31: a launch on one layer meets the same addresses of activations as on the next, from the second layer of a kind
// on.
TEST(MemoryPlan, LayersShareTheRoomOfActivations) {
  for (const std::string& family : tiny_families()) {
    const ModelSpec spec = tiny_model(family, {{"num_hidden_layers", "12"}});
    const Graph graph = build_graph(spec, {2, 1, 1, 1}, make_batch({Phase::prefill, "5x100", 0, 1}), Dtype::bf16, 0);
    const MemoryPlan memory = plan_memory(graph, small_slices(kGiB));
    std::map<std::string, std::vector<std::uint64_t>> offsets;  // by role and kind of layer
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
      const GraphTensor& tensor = graph.tensors[i];
      if (is_kept(tensor) || tensor.layer < 0) continue;
      const bool moe = spec.layers[static_cast<std::size_t>(tensor.layer)].moe;
      offsets[tensor.role + (moe ? " of experts" : "")].push_back(memory.offsets[i]);
    }
    EXPECT_GE(offsets.size(), 7u);
    for (const auto& [role, list] : offsets) {
      for (std::size_t i = 2; i < list.size(); ++i) EXPECT_EQ(list[i], list[1]) << family << " " << role << " " << i;
    }
  }
}

TEST(MemoryPlan, BytesAreThoseOfTheTensors_M30) {
  const ModelSpec spec = tiny_model("llama");
  const Graph graph = build_graph(spec, {}, make_batch({Phase::decode, "2x100", 0, 1}), Dtype::bf16, 0);
  const MemoryPlan memory = plan_memory(graph, small_slices(kGiB));
  EXPECT_EQ(memory.weight_bytes, 2 * static_cast<std::uint64_t>(parameters(spec).all));
  EXPECT_EQ(memory.cache_bytes, 4u * 2 * 112 * 2 * 4 * 8 * 2);
  EXPECT_EQ(cache_bytes_per_token(spec, Dtype::bf16), 4u * 2 * 4 * 8 * 2);
  EXPECT_EQ(cache_bytes_per_token(spec, {8, 2, 1, 1}, Dtype::bf16, {0, 2}), 2u * 2 * 1 * 8 * 2);
  EXPECT_TRUE(memory.fits());
  EXPECT_EQ(memory.there(), 8 * kGiB);
}

// M-35: 64 K/V heads would fit at tp 2; the smallest that divides and fits.
TEST(MemoryPlan, FindsTheSmallestTpThatFits) {
  const ModelSpec spec = tiny_model("llama", {{"vocab_size", "4096"}});
  const Batch batch = make_batch({Phase::decode, "1x16", 0, 1});
  const auto taken = [&](std::int64_t tp) {
    return plan_memory(build_graph(spec, {tp, 1, 1, 1}, batch, Dtype::bf16, 0), small_slices(kGiB)).slice_bytes_taken;
  };
  ASSERT_GT(taken(1), taken(2));
  ASSERT_GT(taken(2), taken(4));
  EXPECT_EQ(smallest_tp(spec, {}, batch, Dtype::bf16, small_slices(taken(1))), 1);
  EXPECT_EQ(smallest_tp(spec, {}, batch, Dtype::bf16, small_slices(taken(1) - 2048)), 2);
  EXPECT_EQ(smallest_tp(spec, {}, batch, Dtype::bf16, small_slices(taken(2) - 2048)), 4);
  EXPECT_EQ(smallest_tp(spec, {}, batch, Dtype::bf16, small_slices(4096)), std::nullopt);
}

}  // namespace
}  // namespace kb::model
