#include "sim/study/requests/model_file.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/unit/requests/text_files.h"

namespace kb::requests {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

Json llama() {
  return {
      {"model_type", "llama"},    {"hidden_size", 64},  {"num_hidden_layers", 2},   {"num_attention_heads", 4},
      {"num_key_value_heads", 2}, {"vocab_size", 1000}, {"intermediate_size", 128}, {"max_position_embeddings", 512},
      {"torch_dtype", "bfloat16"}};
}

Json cluster() {
  return Json::parse(R"({"num_nodes": 1, "link_bw": 16, "link_latency": 1000, "nodes": [{"num_instances": 1,
      "cpu_mem": {"mem_size": 64, "mem_bw": 50, "mem_latency": 0}, "instances": [{"model_name": "m", "hardware": "X",
      "npu_mem": {"mem_size": 24, "mem_bw": 1008, "mem_latency": 0, "mem_util": 0.5}, "num_npus": 2, "tp_size": 2,
      "pd_type": null}]}]})");
}

class ModelFileTest : public FilesTest {
 protected:
  std::string refused_model(const Json& json) {
    return message([&] { read_model(write("config.json", json.dump())); });
  }
  std::string refused_cluster(const Json& json) {
    return message([&] { read_cluster(write("cluster.json", json.dump())); });
  }
};

TEST_F(ModelFileTest, ReadsWhatServingNeeds) {  // M-61
  profile::ServedModel model = read_model(write("config.json", llama().dump()));
  EXPECT_EQ(model.head_dim, 16);
  EXPECT_EQ(model.kv_heads, 2);
  EXPECT_EQ(model.max_positions, 512);
  EXPECT_EQ(model.element_bytes, 2);
  Json other = llama();
  other["head_dim"] = 128;
  other["torch_dtype"] = "float32";
  other.erase("num_key_value_heads");
  model = read_model(write("config.json", other.dump()));
  EXPECT_EQ(model.head_dim, 128);
  EXPECT_EQ(model.kv_heads, 4);
  EXPECT_EQ(model.element_bytes, 4);
}

TEST_F(ModelFileTest, ReadsMixturesOfExperts) {  // M-61
  Json json = llama();
  json["model_type"] = "qwen3_moe";
  json["num_experts"] = 8;
  json["num_experts_per_tok"] = 2;
  json["moe_intermediate_size"] = 32;
  const profile::ServedModel model = read_model(write("config.json", json.dump()));
  EXPECT_EQ(model.experts, 8);
  EXPECT_EQ(model.experts_per_token, 2);
  EXPECT_EQ(model.expert_inner, 32);
  json["num_experts_per_tok"] = 9;
  EXPECT_THAT(refused_model(json), HasSubstr("num_experts_per_tok: is larger than the number of experts"));
  json.erase("num_experts");
  EXPECT_THAT(refused_model(json), HasSubstr("'qwen3_moe' and 0 experts contradict each other"));
}

TEST_F(ModelFileTest, RefusesOtherFiles) {  // M-78
  Json json = llama();
  json["model_type"] = "lama";
  EXPECT_THAT(refused_model(json), HasSubstr("the layers of 'lama' are not known (did you mean 'llama'?)"));
  json = llama();
  json.erase("max_position_embeddings");
  EXPECT_THAT(refused_model(json), HasSubstr("max_position_embeddings: the key is missing"));
  json = llama();
  json["hidden_size"] = -1;
  EXPECT_THAT(refused_model(json), HasSubstr("hidden_size: is -1 (write a whole number from 1"));
  json = llama();
  json["torch_dtype"] = "bfloat61";
  EXPECT_THAT(refused_model(json), HasSubstr("did you mean 'bfloat16'?"));
  EXPECT_THAT(refused_model(cluster()), HasSubstr("this is a cluster file"));
  EXPECT_THAT(refused_cluster(llama()), HasSubstr("this is the config.json of a model"));
}

TEST_F(ModelFileTest, ReadsAClusterOfOneInstance) {  // M-69
  const Cluster all = read_cluster(write("cluster.json", cluster().dump()));
  EXPECT_EQ(all.hardware, "X");
  EXPECT_EQ(all.ranks.tp, 2);
  EXPECT_EQ(all.ranks.ep, 0);
  EXPECT_EQ(all.links.latency_ns, 1000);
  EXPECT_EQ(all.memory_bytes, std::int64_t{12} << 30);
  Json json = cluster();
  json["nodes"][0]["instances"].push_back(json["nodes"][0]["instances"][0]);
  EXPECT_THAT(refused_cluster(json), HasSubstr("nodes[0].instances: has 2 elements (one instance is served)"));
  json = cluster();
  json["nodes"][0]["instances"][0]["pp_size"] = 2;
  EXPECT_THAT(refused_cluster(json), HasSubstr("pp_size: pipelines of several ranks are not served"));
  json = cluster();
  json["nodes"][0]["instances"][0]["pd_type"] = "prefill";
  EXPECT_THAT(refused_cluster(json), HasSubstr("pd_type: prefill and decode on different devices are not served"));
}

TEST_F(ModelFileTest, BlocksFitBesideTheWeights) {  // M-69
  const profile::ServedModel model = read_model(write("config.json", llama().dump()));
  Cluster all;
  const std::int64_t weights = profile::weight_bytes(model, {1, 1}), block = 16 * (2 * 2 * 2 * 16 * 2);
  all.memory_bytes = weights + 10 * block + block - 1;
  EXPECT_EQ(blocks_that_fit(all, model, {1, 1}, 16), 10);
  all.memory_bytes = weights + block - 1;
  EXPECT_THAT(message([&] { blocks_that_fit(all, model, {1, 1}, 16); }), HasSubstr("leave no block"));
  all.memory_bytes = 10;
  EXPECT_THAT(message([&] { blocks_that_fit(all, model, {1, 1}, 16); }), HasSubstr("leave no block"));
}

}  // namespace
}  // namespace kb::requests
