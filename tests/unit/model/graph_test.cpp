#include "platform/model/graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "platform/model/weights.h"
#include "tests/unit/model/tiny_models.h"

namespace kb::model {
namespace {

Batch decode(const std::string& sequences) {
  return make_batch({Phase::decode, sequences, 64, 1});
}
Batch prefill(const std::string& sequences, std::int64_t past = 0) {
  return make_batch({Phase::prefill, sequences, past, 16});
}

const GraphOp& op_of(const Graph& graph, const std::string& name, std::int64_t layer) {
  const auto found = std::find_if(graph.ops.begin(), graph.ops.end(),
                                  [&](const GraphOp& op) { return op.name == name && op.layer == layer; });
  EXPECT_NE(found, graph.ops.end()) << name;
  return *found;
}

std::vector<std::string> kinds_of_layer(const Graph& graph, std::int64_t layer) {
  std::vector<std::string> kinds;
  for (const GraphOp& op : graph.ops) {
    if (op.layer == layer) kinds.emplace_back(op_kind_name(op.kind));
  }
  return kinds;
}

// M-17
TEST(Graph, ALayerIsTheseOperations) {
  using List = std::vector<std::string>;
  const Graph dense = build_graph(tiny_model("llama"), {}, decode("1"), Dtype::bf16, 0);
  EXPECT_EQ(kinds_of_layer(dense, 1),
            List({"norm", "linear", "rope", "append", "attend", "linear", "norm", "linear", "swiglu", "linear"}));
  EXPECT_EQ(kinds_of_layer(dense, -1), List({"embed", "norm", "head"}));
  const Graph split = build_graph(tiny_model("qwen3"), {2, 1, 1, 1}, decode("1"), Dtype::bf16, 0);
  EXPECT_EQ(kinds_of_layer(split, 0), List({"norm", "linear", "head_norm", "rope", "append", "attend", "linear",
                                            "all_reduce", "norm", "linear", "swiglu", "linear", "all_reduce"}));
  EXPECT_EQ(kinds_of_layer(split, -1), List({"embed", "all_reduce", "norm", "head", "all_gather"}));
  const Graph latent = build_graph(tiny_model("deepseek_v3"), {1, 1, 2, 2}, decode("1"), Dtype::bf16, 0);
  EXPECT_EQ(kinds_of_layer(latent, 1),
            List({"norm", "linear", "norm", "linear", "linear", "norm", "rope", "append", "mla", "linear", "norm",
                  "route", "linear", "swiglu", "linear", "all_to_all", "experts", "all_to_all", "combine"}));
}

TEST(Graph, StagesPassTheResidualOn_M16) {
  const ModelSpec spec = tiny_model("llama");
  using List = std::vector<std::string>;
  EXPECT_EQ(kinds_of_layer(build_graph(spec, {1, 3, 1, 1}, decode("1"), Dtype::bf16, 0), -1), List({"embed", "send"}));
  const Graph middle = build_graph(spec, {1, 3, 1, 1}, decode("5"), Dtype::bf16, 1);
  EXPECT_EQ(kinds_of_layer(middle, -1), List({"receive", "send"}));
  EXPECT_EQ(middle.ops.back().work.link_bytes, 5u * 64 * 2);
  EXPECT_EQ(kinds_of_layer(build_graph(spec, {1, 3, 1, 1}, decode("1"), Dtype::bf16, 2), -1),
            List({"receive", "norm", "head"}));
}

// M-18: shapes of one SIP.
TEST(Graph, ShapesAreThoseOfASip) {
  const Graph graph = build_graph(tiny_model("llama"), {8, 1, 1, 1}, decode("3x33"), Dtype::bf16, 0);
  const auto shape = [&graph](const std::string& name) { return graph.tensors.at(graph.index_of(name)).shape; };
  EXPECT_EQ(shape("layers.2.qkv"), Shape({3, (1 + 2 * 1) * 8}));  // one head of queries, a K/V head that two SIPs have
  EXPECT_EQ(shape("layers.2.cache.k"), Shape({3 * 48, 1, 8}));    // whole blocks of 16 tokens
  EXPECT_EQ(shape("layers.2.attended"), Shape({3, 8}));
  EXPECT_EQ(shape("layers.2.gate_up"), Shape({3, 2 * 12}));
  EXPECT_EQ(shape("model.layers.2.mlp.down_proj.weight"), Shape({64, 12}));
  EXPECT_EQ(shape("residual"), Shape({3, 64}));
  EXPECT_EQ(shape("logits"), Shape({3, 16}));
  const GraphTensor& down = graph.tensors.at(graph.index_of("model.layers.2.mlp.down_proj.weight"));
  EXPECT_EQ(down.cut, "columns / 8");
  EXPECT_EQ(down.bytes, 64u * 12 * 2);
}

// M-19, M-21, by hand: 8 heads, 4 K/V heads of 8, 3 sequences whose new token sees 33 keys.
TEST(Graph, WorkByHand) {
  const Graph graph = build_graph(tiny_model("llama"), {}, decode("3x33"), Dtype::bf16, 0);
  const Work& attend = op_of(graph, "attend", 0).work;
  EXPECT_EQ(attend.macs, 3 * 8 * 33 * (8 + 8));
  EXPECT_EQ(attend.cache_bytes, 3u * 33 * 2 * 4 * 8 * 2);
  EXPECT_EQ(attend.element_ops, 5 * 3 * 8 * 33);  // softmax takes five passes
  const Work& gate_up = op_of(graph, "gate_up", 0).work;
  EXPECT_EQ(gate_up.macs, 3 * 64 * 192);
  EXPECT_EQ(gate_up.weight_bytes, 2u * 96 * 64 * 2);
  EXPECT_EQ(gate_up.activation_bytes, 3u * (64 + 192) * 2);
  EXPECT_EQ(op_of(graph, "append", 0).work.cache_bytes, 3u * 2 * 4 * 8 * 2);
  EXPECT_EQ(op_of(graph, "embed", -1).work.weight_bytes, 3u * 64 * 2);
  EXPECT_EQ(op_of(graph, "head", -1).work.activation_bytes, 3u * 64 * 2 + 3 * 128 * 2 + 3 * 2 * 4);
  const Graph split = build_graph(tiny_model("llama"), {4, 1, 1, 1}, decode("3x33"), Dtype::bf16, 0);
  EXPECT_EQ(op_of(split, "mlp.all_reduce", 0).work.link_bytes, 2u * (3 * 64 * 2) * 3 / 4);
}

TEST(Graph, AWindowLimitsWhatIsSeenAndKept_M22) {
  const Graph graph = build_graph(tiny_model("mistral"), {}, prefill("1x40"), Dtype::bf16, 0);
  EXPECT_EQ(op_of(graph, "attend", 0).work.macs, 2 * 8 * 8 * (16 * 17 / 2 + 24 * 16));
  const Graph step = build_graph(tiny_model("mistral"), {}, decode("1x1000"), Dtype::bf16, 0);
  EXPECT_EQ(op_of(step, "attend", 0).work.cache_bytes, 16u * 2 * 4 * 8 * 2);
  EXPECT_EQ(step.tensors[step.index_of("layers.0.cache.k")].shape[0], 16);
}

// M-23: rank 16, rope 4, nope 8, v 6.
TEST(Graph, LatentAttentionStaysInsideInADecodeStep) {
  const ModelSpec spec = tiny_model("deepseek_v3");
  const Graph step = build_graph(spec, {}, decode("2x100"), Dtype::bf16, 0);
  EXPECT_EQ(op_of(step, "attend", 0).work.macs, 2 * 8 * (16 * (8 + 6) + 100 * (16 + 4 + 16)));
  EXPECT_EQ(op_of(step, "attend", 0).work.cache_bytes, 2u * 100 * 20 * 2);
  const Graph prompt = build_graph(spec, {}, prefill("1x10", 5), Dtype::bf16, 0);
  EXPECT_EQ(op_of(prompt, "attend", 0).work.macs, 8 * (15 * 16 * (8 + 6) + (15 * 16 / 2 - 5 * 6 / 2) * (8 + 4 + 6)));
}

// M-24: 16 experts, 4 per token.
TEST(Graph, TokensAreSpreadEvenlyOverExperts) {
  const ModelSpec spec = tiny_model("qwen3_moe");
  const GraphOp one = op_of(build_graph(spec, {}, decode("1"), Dtype::bf16, 0), "experts", 1);
  EXPECT_EQ(one.numbers.at("rows"), 4);
  EXPECT_EQ(one.numbers.at("experts_used"), 4);
  EXPECT_EQ(one.work.weight_bytes, 4u * 3 * 32 * 64 * 2);
  const GraphOp many = op_of(build_graph(spec, {}, decode("9"), Dtype::bf16, 0), "experts", 1);
  EXPECT_EQ(many.numbers.at("rows"), 36);
  EXPECT_EQ(many.numbers.at("experts_used"), 16);
  const GraphOp parts = op_of(build_graph(spec, {2, 1, 2, 2}, decode("9"), Dtype::bf16, 0), "experts", 1);
  EXPECT_EQ(parts.numbers.at("rows"), 36);  // two copies bring 72 rows for two parts of the experts
  EXPECT_EQ(parts.numbers.at("experts"), 8);
  EXPECT_EQ(parts.numbers.at("columns"), 16);
  const GraphOp sent = op_of(build_graph(spec, {2, 1, 2, 2}, decode("9"), Dtype::bf16, 0), "dispatch", 1);
  EXPECT_EQ(sent.work.link_bytes, 36u * 64 * 2 * 3 / 4);
}

// An oracle that does not know the operations: each matrix is multiplied once per token (the head once per sequence).
TEST(Graph, ProductsAreThoseOfTheParameters_M19) {
  for (const char* const family : {"llama", "mistral", "qwen2", "qwen3"}) {
    const ModelSpec spec = tiny_model(family);
    for (const ParallelPlan& plan : {ParallelPlan{1, 1, 1, 1}, ParallelPlan{4, 1, 1, 1}}) {
      const Graph graph = build_graph(spec, plan, prefill("2x10"), Dtype::bf16, 0);
      double products = 0, expected = 0;
      for (const GraphOp& op : graph.ops) {
        if (op.kind == OpKind::linear) products += op.work.macs * static_cast<double>(plan.tp);
      }
      for (std::int64_t layer = 0; layer < spec.layer_count(); ++layer) {
        for (const WeightTensor& weight : layer_weights(spec, layer, Dtype::bf16)) {
          if (weight.shape.size() == 2) expected += 20.0 * static_cast<double>(weight.elements());
        }
      }
      EXPECT_EQ(products, expected) << family;
    }
  }
}

// M-17: what a kernel has to know is there, and every weight of the stage is used by one operation.
TEST(Graph, OperationsNameTheirTensors) {
  for (const std::string& family : tiny_families()) {
    const ModelSpec spec = tiny_model(family, {{"tie_word_embeddings", family == "qwen3" ? "true" : "false"}});
    const Graph graph = build_graph(spec, {2, 1, 1, 1}, prefill("3x7"), Dtype::f16, 0);
    std::map<std::size_t, int> uses;
    std::set<std::string> names;
    for (const GraphTensor& tensor : graph.tensors) EXPECT_TRUE(names.insert(tensor.name).second) << tensor.name;
    for (const GraphOp& op : graph.ops) {
      EXPECT_FALSE(op.inputs.empty()) << op.name;
      for (const std::size_t weight : op.weights) ++uses[weight];
      for (const std::size_t weight : op.weights) EXPECT_EQ(graph.tensors.at(weight).kind, TensorKind::weight);
    }
    for (const WeightTensor& weight : all_weights(spec, Dtype::f16)) {
      const bool twice = spec.tied && weight.layer == kNoLayer && weight.role == "model.embed_tokens.weight";
      EXPECT_EQ(uses[graph.index_of(weight.name())], twice ? 2 : 1) << family << " " << weight.name();
    }
  }
}

TEST(Graph, EqualArgumentsGiveEqualGraphs_M17) {
  const ModelSpec spec = tiny_model("deepseek_v3");
  const Graph a = build_graph(spec, {2, 1, 2, 1}, decode("3"), Dtype::bf16, 0),
              b = build_graph(spec, {2, 1, 2, 1}, decode("3"), Dtype::bf16, 0);
  ASSERT_EQ(a.ops.size(), b.ops.size());
  for (std::size_t i = 0; i < a.ops.size(); ++i) {
    EXPECT_EQ(a.ops[i].name, b.ops[i].name);
    EXPECT_EQ(a.ops[i].inputs, b.ops[i].inputs);
    EXPECT_EQ(a.ops[i].numbers, b.ops[i].numbers);
  }
  // Equal layers differ in nothing but their number.
  EXPECT_EQ(op_of(a, "experts", 1).numbers, op_of(a, "experts", 3).numbers);
}

}  // namespace
}  // namespace kb::model
