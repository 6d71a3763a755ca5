// kernbench model memo: stores of launches that steps have written.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class ModelMemoTest : public CommandLineTest {
 protected:
  void SetUp() override {
    CommandLineTest::SetUp();
    write("m.json", R"({"model_type": "llama", "hidden_size": 256, "intermediate_size": 512,
 "num_attention_heads": 8, "num_key_value_heads": 2, "num_hidden_layers": 2, "vocab_size": 512, "rms_norm_eps": 1e-5,
 "torch_dtype": "bfloat16", "max_position_embeddings": 2048})");
  }
  nlohmann::json step(const std::string& options) const {
    return json("model step m.json --json --topology one_cube " + options);
  }
  nlohmann::json memo(const std::string& arguments) const { return json("model memo " + arguments + " --json"); }
  Outcome text(const std::string& arguments, const std::string& prefix = "") const {
    return kernbench("model memo " + arguments, prefix);
  }
};

// M-102, M-103: what two stores have is known to a step with the third.
TEST_F(ModelMemoTest, StoresAreUnited) {
  const nlohmann::json decode = step("--store a"), prefill = step("--phase prefill --tokens 32 --store b");
  const nlohmann::json a = memo("a --stat"), b = memo("b");
  EXPECT_EQ(a["files"], 1);
  EXPECT_GE(a["entries"], decode["memo"]["simulated"]) << "and the gap, and the host's turn";
  EXPECT_EQ(a["versions"].size(), 1U);
  EXPECT_EQ(a["versions"][0]["own"], true);
  EXPECT_EQ(a["machines"][0]["machine"], "one_cube");
  EXPECT_EQ(a["models"][0]["model"], "m");
  EXPECT_EQ(a["kernels"][0]["kernel"], "norm_linear");
  const nlohmann::json merged = memo("all --merge a b");
  EXPECT_EQ(merged["entries"], memo("all")["entries"]);
  EXPECT_GT(merged["entries"], a["entries"]);
  EXPECT_GT(merged["entries"], b["entries"]);
  const nlohmann::json again = step("--store all"), other = step("--phase prefill --tokens 32 --store all");
  EXPECT_EQ(again["memo"]["simulated"], 0);
  EXPECT_EQ(other["memo"]["simulated"], 0);
  EXPECT_EQ(again["by_op"], decode["by_op"]);
  EXPECT_EQ(other["ttft_ns"], prefill["ttft_ns"]);
  EXPECT_EQ(memo("a"), a) << "the others stay as they are";
  EXPECT_THAT(text("all").out, HasSubstr("this program"));
  EXPECT_THAT(text("all --merge a").out, HasSubstr("all: 0 times added, "));
}

// M-103: a time that is not that of the launch is found, and nothing is written.
TEST_F(ModelMemoTest, TwoTimesOfALaunchAreExitCode3) {
  step("--store a");
  step("--store b");
  const std::string file = std::filesystem::directory_iterator(folder() + "/b")->path();
  std::string line;
  std::getline(std::ifstream(file), line);
  std::ofstream(file) << line << "\n";
  EXPECT_EQ(text("a --merge b").code, 0);
  const auto files = [&] { return std::distance(std::filesystem::directory_iterator(folder() + "/a"), {}); };
  const auto before = files();  // a second one where b was used later than a
  // The same key with one digit more, and a checksum of its own.
  const std::string rest = line.substr(line.find(' ') + 1), key = rest.substr(0, rest.find(' '));
  const std::string wrong = key + " 1" + rest.substr(key.size() + 1);
  write("wrong.txt", wrong);
  const std::string command =
      "mkdir c && { printf '%s ' \"$(sha256sum < wrong.txt | cut -c1-16)\"; cat wrong.txt; echo; } > "
      "c/1-x.journal;";
  const Outcome outcome = text("a --merge c", command);
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(key));
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_EQ(files(), before);
}

// M-104
TEST_F(ModelMemoTest, AStoreIsMadeSmaller) {
  step("--store a");
  const std::uint64_t bytes = memo("a")["bytes"];
  const nlohmann::json pruned = memo("a --prune " + std::to_string(bytes / 2));
  EXPECT_EQ(pruned["bytes_before"], bytes);
  EXPECT_LE(pruned["bytes"], bytes / 2);
  EXPECT_GT(pruned["removed_own_version"], 0);
  EXPECT_GT(step("--store a")["memo"]["simulated"], 0);
  EXPECT_THAT(text("a --prune 0.5KiB").out, HasSubstr("a: removed 0 times of other versions and "));
  EXPECT_LE(memo("a")["bytes"], 512);
}

// M-104: a full disk, here a limit of the size of files.
TEST_F(ModelMemoTest, AFullDiskLosesNothing) {
  step("--store a");
  const nlohmann::json before = memo("a");
  const Outcome outcome = text("a --prune " + std::to_string(before["bytes"].get<int>() - 1), "ulimit -f 0;");
  EXPECT_EQ(outcome.code, 2);  // the limit holds for standard error as well
  EXPECT_EQ(memo("a"), before);
  EXPECT_EQ(text("b --merge a", "ulimit -f 0;").code, 2);
  EXPECT_EQ(memo("a"), before);
}

// M-102
TEST_F(ModelMemoTest, WrongCallsSayWhatIsWrong) {
  const auto problem = [&](const std::string& arguments) {
    const Outcome outcome = text(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_THAT(outcome.out, IsEmpty());
    return outcome.err;
  };
  std::filesystem::create_directories(folder() + "/a");
  EXPECT_THAT(problem("missing"), HasSubstr("'missing' does not exist; 'kernbench model step ... --store missing'"));
  EXPECT_THAT(problem("m.json"), HasSubstr("'m.json' is not a store of launches"));
  EXPECT_THAT(problem(""), HasSubstr("STORE is required"));
  EXPECT_THAT(problem("a --stat --prune 1"), HasSubstr("--prune"));
  for (const char* const size : {"1kb", "much", "-1", "1e99999", "nan", "MiB"}) {
    EXPECT_THAT(problem(std::string("a --prune=") + size), HasSubstr("as in 512MiB")) << size;
  }
}

}  // namespace
}  // namespace kb::test
