// kernbench model step --record: launches of a layer, run again with everything observed.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class ModelRecordTest : public CommandLineTest {
 protected:
  void write_model(int layers) const {
    write("m.json", R"({"model_type": "llama", "hidden_size": 512, "intermediate_size": 1024,
 "num_attention_heads": 8, "num_key_value_heads": 2, "num_hidden_layers": )" +
                        std::to_string(layers) + R"(, "vocab_size": 512, "rms_norm_eps": 1e-5,
 "torch_dtype": "bfloat16", "max_position_embeddings": 2048})");
  }
  Outcome step(const std::string& options) const {
    return kernbench("model step m.json --set sip.cube_mesh.w=2 --set sip.cube_mesh.h=2 " + options);
  }
  nlohmann::json result() const { return nlohmann::json::parse(read("r/result.json")); }
};

// M-105: launches of the record take the times of the step.
TEST_F(ModelRecordTest, LaunchesOfALayerTakeTheirTimeOfTheStep) {
  write_model(3);
  const Outcome outcome = step("--tp 2 --store times --json --record r --perfetto t.json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json whole = nlohmann::json::parse(outcome.out), recorded = result();
  std::map<std::string, std::int64_t> times;  // of layer 1
  for (const nlohmann::json& op : whole["by_op"]) {
    if (op["each_fs"].size() == 3 && op["op"].get<std::string>().find("all_reduce") == std::string::npos) {
      times[op["op"]] = op["each_fs"][1];
    }
  }
  EXPECT_EQ(times.size(), 6U);
  std::size_t found = 0;
  for (const nlohmann::json& launch : recorded["launches"]) {
    if (launch["kernel"] == "noop") continue;
    ++found;
    EXPECT_EQ(std::llround(launch["pe_exec_ns"]["max"].get<double>() * 1e6), times.at(launch["label"]))
        << launch["label"];
  }
  EXPECT_EQ(found, times.size());
  EXPECT_THAT(recorded["notes"][0], HasSubstr("layer 1 of m on one of 2 SIPs"));
  EXPECT_EQ(recorded["notes"][1], "sums over SIPs are left out: attention.all_reduce, mlp.all_reduce");
  for (const nlohmann::json& finding : recorded["findings"]) EXPECT_NE(finding["rule"], "launch_overhead");
  EXPECT_GT(std::filesystem::file_size(folder() + "/t.json"), 10'000U);
  EXPECT_EQ(kernbench("convert r --perfetto again.json").code, 0);
  EXPECT_EQ(read("again.json"), read("t.json"));
  // The launches that are known are run again all the same, and the step is the same.
  const Outcome again = step("--tp 2 --store times --json --record r");
  EXPECT_EQ(nlohmann::json::parse(again.out)["memo"]["simulated"], 0);
  EXPECT_EQ(nlohmann::json::parse(again.out)["by_op"], whole["by_op"]);
  EXPECT_EQ(without_host(result()), without_host(recorded));
}

// M-105
TEST_F(ModelRecordTest, TheLayerIsChosen) {
  write_model(1);
  const Outcome outcome = step("--record r");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Record of layer 0 on one SIP: r\n"));
  EXPECT_THAT(result()["notes"][0], HasSubstr("layer 0 of m on one SIP,"));
  write_model(3);
  ASSERT_EQ(step("--record r --layer 2").code, 0);
  EXPECT_THAT(result()["notes"][0], HasSubstr("layer 2 of m"));
}

// M-105
TEST_F(ModelRecordTest, WrongCallsSimulateNothing) {
  write_model(3);
  const auto problem = [&](const std::string& options) {
    const Outcome outcome = step(options);
    EXPECT_EQ(outcome.code, 2) << options;
    EXPECT_THAT(outcome.out, IsEmpty());
    return outcome.err;
  };
  EXPECT_THAT(problem("--record r --layer 3"), HasSubstr("--layer 3: the model has layers 0 to 2"));
  EXPECT_THAT(problem("--layer 1"), HasSubstr("--layer is of a record; add --record DIR"));
  EXPECT_THAT(problem("--perfetto t.json"), HasSubstr("--perfetto is made of a record; add --record DIR"));
  EXPECT_THAT(problem("--record r --out r/result.json"), HasSubstr("--out"));
  EXPECT_FALSE(std::filesystem::exists(folder() + "/r"));
}

}  // namespace
}  // namespace kb::test
