#include "platform/model/stored_tensors.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "platform/base/error.h"
#include "platform/model/weights.h"
#include "tests/unit/model/tiny_models.h"

namespace kb::model {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class StoredTensorsTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("kb_stored_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& bytes) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  // A file of the format: eight bytes of length, lowest first, the header, contents.
  std::string safetensors(const std::string& header) const {
    std::string bytes;
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>((header.size() >> (8 * i)) & 0xff);
    return write("m.safetensors", bytes + header + "contents");
  }

  fs::path folder_;
};

std::string message(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// The tensors that the configuration calls for, as a file has them.
StoredTensors complete(const ModelSpec& spec) {
  StoredTensors stored;
  for (const WeightTensor& weight : all_weights(spec, Dtype::bf16)) {
    const std::string name = weight.name();
    const std::size_t star = name.find('*');
    for (std::int64_t expert = 0; expert < weight.experts; ++expert) {
      const std::string own =
          star == std::string::npos ? name : name.substr(0, star) + std::to_string(expert) + name.substr(star + 1);
      stored[own] = {weight.shape, "BF16"};
    }
  }
  return stored;
}

// M-13
TEST_F(StoredTensorsTest, ReadsNamesAndShapesOfAHeader) {
  const StoredTensors tensors = read_stored_tensors(safetensors(
      R"({"__metadata__": {"format": "pt"}, "a.weight": {"dtype": "BF16", "shape": [3, 4], "data_offsets": [0, 24]}})"));
  ASSERT_EQ(tensors.size(), 1u);
  EXPECT_EQ(tensors.at("a.weight").shape, Shape({3, 4}));
  EXPECT_EQ(tensors.at("a.weight").dtype, "BF16");
  const StoredTensors names = read_stored_tensors(write(
      "m.safetensors.index.json", R"({"metadata": {"total_size": 8}, "weight_map": {"b.weight": "m-1.safetensors"}})"));
  ASSERT_EQ(names.size(), 1u);
  EXPECT_FALSE(names.at("b.weight").shape);
}

TEST_F(StoredTensorsTest, DamagedFilesAreErrors_M13) {
  const auto problem = [](const std::string& file) { return message([&] { read_stored_tensors(file); }); };
  EXPECT_THAT(problem((folder_ / "none").string()), HasSubstr("does not exist"));
  EXPECT_THAT(problem(folder_.string()), HasSubstr("is not a regular file"));
  EXPECT_THAT(problem(write("short", "abc")), HasSubstr("is not a safetensors file"));
  EXPECT_THAT(problem(write("huge", std::string(8, '\xff') + "{}")), HasSubstr("is not a safetensors file"));
  EXPECT_THAT(problem(write("cut", std::string("\x20\0\0\0\0\0\0\0{}", 10))), HasSubstr("ends inside its header"));
  EXPECT_THAT(problem(safetensors("{\"a\": {\"dtype\": \"F32\"}}")), HasSubstr("tensor 'a' has no shape"));
  EXPECT_THAT(problem(safetensors("{")), HasSubstr("is not JSON"));
  for (const char* offsets : {"[4, 0]", "[0]", "[0, 1.5]", "[-4, 0]"}) {
    EXPECT_THAT(problem(safetensors(std::string(R"({"a": {"shape": [1], "data_offsets": )") + offsets + "}}")),
                HasSubstr("tensor 'a' has data_offsets that are not two whole numbers in order"))
        << offsets;
  }
  EXPECT_THAT(problem(write("x.json", "{}")), HasSubstr("has no weight_map"));
  EXPECT_THAT(problem(write("y.json", R"({"weight_map": 3})")), HasSubstr("has a weight_map that is 3"));
  EXPECT_THAT(problem(write("lfs.safetensors", "version https://git-lfs.github.com/spec/v1\n")),
              HasSubstr("git lfs pull"));
}

TEST_F(StoredTensorsTest, ContentsLieBehindTheHeader) {
  const std::string file = safetensors(R"({"a": {"dtype": "F16", "shape": [2], "data_offsets": [3, 7]}})");
  const std::vector<std::byte> bytes = stored_bytes(file, "a", read_stored_tensors(file).at("a"));
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "tent");  // of "contents"
}

TEST(CheckStoredTensors, FilesThatAgreeSayNothing_M13) {
  for (const std::string& family : tiny_families()) {
    const ModelSpec spec = tiny_model(family);
    EXPECT_TRUE(check_stored_tensors(spec, complete(spec), "w").empty()) << family;
  }
}

TEST(CheckStoredTensors, LayersOfAnotherKindAreAnError_M13) {
  const ModelSpec spec = tiny_model("qwen3_moe"), other = tiny_model("qwen3_moe", {{"mlp_only_layers", "[]"}});
  const std::string text = message([&] { check_stored_tensors(spec, complete(other), "w"); });
  EXPECT_THAT(text,
              HasSubstr("3 of the tensors that m.json calls for are missing: model.layers.3.mlp.down_proj.weight"));
  EXPECT_THAT(text, HasSubstr("the file has model.layers.3.mlp.experts.0.down_proj.weight"));
}

TEST(CheckStoredTensors, ShapesHaveToAgree_M13) {
  const ModelSpec spec = tiny_model("llama");
  EXPECT_THAT(
      message([&] {
        check_stored_tensors(spec, complete(tiny_model("llama", {{"head_dim", "16"}})), "w");
      }),
      HasSubstr("w: model.layers.0.self_attn.k_proj.weight: has the shape (64, 64), but m.json calls for (32, 64)"));
}

TEST(CheckStoredTensors, TensorsWithoutAUseAreNamed_M13) {
  const ModelSpec spec = tiny_model("llama");
  StoredTensors stored = complete(spec);
  stored["model.layers.0.self_attn.rotary_emb.inv_freq"] = {};
  EXPECT_TRUE(check_stored_tensors(spec, stored, "w").empty());
  stored["adapter.weight"] = {};
  const std::vector<Diagnostic> warnings = check_stored_tensors(spec, stored, "w");
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].text(), "w: tensors without a use: adapter.weight");
  const ModelSpec deep = tiny_model("deepseek_v3", {{"num_nextn_predict_layers", "1"}});
  StoredTensors more = complete(deep);
  more["model.layers.4.eh_proj.weight"] = {};
  EXPECT_TRUE(check_stored_tensors(deep, more, "w").empty());
  more["model.layers.5.eh_proj.weight"] = {};
  EXPECT_EQ(check_stored_tensors(deep, more, "w").size(), 1u);
}

}  // namespace
}  // namespace kb::model
