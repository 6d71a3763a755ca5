#include "sim/study/verify/model_weights.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "platform/base/error.h"
#include "platform/model/weights.h"
#include "sw/tensor/host_array.h"
#include "tests/unit/model/tiny_models.h"

namespace kb::verify {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ModelWeightsTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("kb_weights_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // A .safetensors file of these weights; `cut` bytes are missing at its end.
  std::string store(const ModelWeights& weights, Dtype dtype, const std::string& name, std::size_t cut = 0) const {
    std::string header = "{", contents;
    for (const model::WeightTensor& weight : model::all_weights(spec_, dtype)) {
      const sw::HostArray array = sw::HostArray::from_doubles(weight.shape, dtype, weights.at(weight.name()));
      std::string shape;
      for (const std::int64_t extent : weight.shape) shape += (shape.empty() ? "" : ",") + std::to_string(extent);
      header += (header.size() == 1 ? "\"" : ",\"") + weight.name() + R"(":{"dtype":")" + name + R"(","shape":[)" +
                shape + R"(],"data_offsets":[)" + std::to_string(contents.size()) + ",";
      contents.append(reinterpret_cast<const char*>(array.bytes().data()), array.bytes().size());
      header += std::to_string(contents.size()) + "]}";
    }
    header += "}";
    std::string bytes;
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>((header.size() >> (8 * i)) & 0xff);
    bytes += header + contents;
    const std::string file = (folder_ / "m.safetensors").string();
    std::ofstream(file, std::ios::binary) << bytes.substr(0, bytes.size() - cut);
    return file;
  }
  std::string problem(const std::string& file) const {
    std::vector<Diagnostic> warnings;
    try {
      stored_weights(spec_, file, warnings);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  model::ModelSpec spec_ = model::tiny_model("qwen2", {{"num_hidden_layers", "1"}});
  fs::path folder_;
};

// M-121
TEST_F(ModelWeightsTest, SeededOnesDependOnTheSeedAndAreExactInBf16) {
  const ModelWeights one = seeded_weights(spec_, 1), again = seeded_weights(spec_, 1), other = seeded_weights(spec_, 2);
  EXPECT_EQ(one.tensors, again.tensors);
  EXPECT_NE(one.at("lm_head.weight"), other.at("lm_head.weight"));
  for (const auto& [name, values] : one.tensors) {
    const auto count = static_cast<std::int64_t>(values.size());
    EXPECT_EQ(sw::HostArray::from_doubles({count}, Dtype::bf16, values).to_doubles(), values) << name;
  }
}

// M-121
TEST_F(ModelWeightsTest, AFileGivesWhatLiesInIt) {
  const ModelWeights weights = seeded_weights(spec_, 1);
  std::vector<Diagnostic> warnings;
  EXPECT_EQ(stored_weights(spec_, store(weights, Dtype::f32, "F32"), warnings).tensors, weights.tensors);
  EXPECT_EQ(stored_weights(spec_, store(weights, Dtype::bf16, "BF16"), warnings).tensors, weights.tensors);
  const std::vector<double> halves =
      stored_weights(spec_, store(weights, Dtype::f16, "F16"), warnings).at("lm_head.weight");
  EXPECT_NEAR(halves[5], weights.at("lm_head.weight")[5], 1e-3);
  EXPECT_TRUE(warnings.empty());
}

// M-127
TEST_F(ModelWeightsTest, ABadFileIsRefused) {
  const ModelWeights weights = seeded_weights(spec_, 1);
  EXPECT_THAT(problem(store(weights, Dtype::f32, "F64")), HasSubstr("is stored as 'F64' (known: F32, BF16, F16)"));
  EXPECT_THAT(problem(store(weights, Dtype::f32, "BF16")), HasSubstr("its shape calls for"));
  EXPECT_THAT(problem(store(weights, Dtype::bf16, "BF16", 1)), HasSubstr("ends inside the tensor 'lm_head.weight'"));
  EXPECT_THAT(problem("m.safetensors.index.json"), HasSubstr("is an index and has no contents"));
}

}  // namespace
}  // namespace kb::verify
