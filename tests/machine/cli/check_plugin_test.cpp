// `kernbench check --plugin`: a plug-in alone is loaded, checked and shown (H-110).
#include <gmock/gmock.h>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class CheckPluginTest : public CommandLineTest {
 protected:
  Outcome check(const std::string& arguments, const std::string& entry = "") const {
    return kernbench("check " + arguments, entry.empty() ? "" : "KB_FAULTY_ENTRY=" + entry);
  }
};

TEST_F(CheckPluginTest, EverythingThatAPlugInRegistersIsListed) {
  const Outcome outcome = check("--plugin " KB_PING_PONG_PLUGIN);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr(KB_PING_PONG_PLUGIN ": ok (kernbench "),
                                 HasSubstr("; 3 workloads, 4 kernels, 1 all-reduce, 0 blocks)\n"),
                                 HasSubstr("  workload    neighbour-sum  elements, ccl\n"),
                                 HasSubstr("  kernel      ping_pong      t: tensor, rank: int, rounds: int, server: "
                                           "int\n"),
                                 HasSubstr("  all-reduce  own_ring       kernel own_ring\n")));
}

// The command that `list` prints runs the workload.
TEST_F(CheckPluginTest, AListedWorkloadIsRunWithItsPlugIn) {
  const Outcome listed = kernbench("list neighbour-sum --plugin " KB_PING_PONG_PLUGIN);
  EXPECT_THAT(listed.out, HasSubstr("Run it: kernbench run --plugin " KB_PING_PONG_PLUGIN " --bench neighbour-sum\n"));
  EXPECT_THAT(kernbench("run --bench neighbour-sum").err, HasSubstr("; one of a plug-in needs --plugin FILE)"));
}

TEST_F(CheckPluginTest, BlocksAreListedByKindAndTheMachineThatUsesThemIsChecked) {
  write("m.yaml", read_config("one_pe") + "\nreplace: [{ nodes: '*.pe_math', impl: custom.math }]\n");
  const Outcome outcome = check("--plugin " KB_FAULT_BLOCKS " m.yaml");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("  pe_math     custom.math        no attributes of its own\n"),
                                 HasSubstr("m.yaml: ok (")));
  EXPECT_THAT(check("m.yaml").err, HasSubstr("nobody has registered the implementation 'custom.math' of pe_math"));
}

TEST_F(CheckPluginTest, WhatLoadsAndCannotBeUsedIsAProblem) {
  const Outcome nothing = check("--plugin " KB_FAULTY_PLUGIN, "nothing");
  EXPECT_EQ(nothing.code, 2);
  EXPECT_THAT(nothing.err, AllOf(HasSubstr(KB_FAULTY_PLUGIN ": the plug-in registers nothing (call registrar.add_ke"),
                                 HasSubstr("1 problem found\n")));
  EXPECT_EQ(nothing.out, "");
  const Outcome lost = check("--plugin " KB_FAULTY_PLUGIN, "no-kernel");
  EXPECT_EQ(lost.code, 2);
  EXPECT_THAT(lost.err, HasSubstr("the all-reduce 'lost' launches the kernel 'ring_allreduc', which nobody has "
                                  "registered (did you mean 'ring_allreduce'?)"));
}

TEST_F(CheckPluginTest, WhatCannotBeLoadedIsRefusedAsByRun) {
  for (const char* const entry : {"odd", "standard", "no-help"}) {
    const Outcome checked = check("--plugin " KB_FAULTY_PLUGIN, entry);
    const Outcome run = kernbench("run --plugin " KB_FAULTY_PLUGIN, std::string("KB_FAULTY_ENTRY=") + entry);
    EXPECT_EQ(checked.code, 2) << entry;
    EXPECT_EQ(checked.err.substr(0, checked.err.rfind("kernbench")), run.err.substr(0, run.err.rfind("kernbench")));
  }
  EXPECT_THAT(check("--plugin nothing.so").err, HasSubstr("nothing.so"));
  EXPECT_THAT(kernbench("check --plugin " KB_ODD_PLUGIN, "KB_ODD_ABI=old").err,
              HasSubstr("was built for kernbench 0.0"));
  EXPECT_THAT(check("--plugin " KB_PING_PONG_PLUGIN " --set sip.cube_mesh.w=1").err,
              HasSubstr("--set changes keys of a topology; name one"));
  EXPECT_THAT(check("").err, HasSubstr("FILES is required, or --plugin"));
}

}  // namespace
}  // namespace kb::test
