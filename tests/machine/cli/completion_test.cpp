// kernbench completion: what a shell completes.
#include <gmock/gmock.h>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using testing::HasSubstr;
using CompletionTest = CommandLineTest;

// A bash that completes the words after kernbench; the last one is what is being typed.
TEST_F(CompletionTest, ShellsCompleteCommandsOptionsAndParameters) {
  write("completion.sh", kernbench("completion bash").out);
  write("complete.sh",
        "source completion.sh; COMP_WORDS=(kernbench \"$@\"); COMP_CWORD=$#; _kernbench; echo \"${COMPREPLY[@]}\"\n");
  const auto completed = [&](const std::string& words) {
    return kernbench("--version >/dev/null", "bash complete.sh " + words + ";").out;
  };
  EXPECT_EQ(completed("ru"), "run\n");
  EXPECT_EQ(completed("run --verify"), "--verify-data\n");
  EXPECT_EQ(completed("run --bench flash"), "flash-attention\n");
  EXPECT_EQ(completed("run --bench stream --set ah"), "ahead=\n");
  EXPECT_EQ(completed("list noo"), "noop\n");
  EXPECT_EQ(completed("list --js"), "--json\n");
  EXPECT_EQ(completed("sch"), "schema\n");
  EXPECT_EQ(completed("schema top"), "topology\n");
  EXPECT_EQ(completed("schema topology --pl"), "--plugin\n");
  EXPECT_EQ(completed("check --pl"), "--plugin\n");
  EXPECT_EQ(completed("check --dr"), "--dram-trace\n");
  EXPECT_EQ(completed("check completi"), "completion.sh\n");
  EXPECT_EQ(completed("completion z"), "zsh\n");
  EXPECT_EQ(completed("model sh"), "show\n");  // M-52
  EXPECT_EQ(completed("model show qwen3-30"), "qwen3-30b-a3b\n");
  EXPECT_EQ(completed("model show qwen3-32b --weig"), "--weights\n");
  EXPECT_EQ(completed("list model"), "model-linear models\n");
  const std::string zsh = kernbench("completion zsh").out;
  EXPECT_EQ(zsh.substr(0, zsh.find('\n')), "#compdef kernbench");
  EXPECT_THAT(zsh, HasSubstr("bashcompinit"));
  const Outcome fish = kernbench("completion fish");
  EXPECT_EQ(fish.code, 2);
  EXPECT_THAT(fish.err, HasSubstr("shell 'fish'"));
}

}  // namespace
}  // namespace kb::test
