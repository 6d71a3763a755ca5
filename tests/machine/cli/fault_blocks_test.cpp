// Blocks from a plug-in that make one mistake each: an error that names block, node, link, transfer, time and remedy,
// and no result files.
#include <gmock/gmock.h>

#include <csignal>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr int kModelError = 3;

class FaultBlocksTest : public CommandLineTest {
 protected:
  // With `replace` in the machine, for a mistake of fault_blocks.cpp.
  Outcome with(const std::string& replace, const std::string& fault, const std::string& command = "run") const {
    write("m.yaml", read_config("one_cube") + "replace:\n  - { " + replace + " }\n");
    const std::string run = " --bench vector-add --quiet --out out --oplog o.log --topology m.yaml";
    return kernbench(command + (command == "run" ? run : " m.yaml") + " --plugin " KB_FAULT_BLOCKS,
                     "KB_BLOCK_FAULT=" + fault);
  }
  Outcome load(const std::string& fault) const {
    return kernbench("list --plugin " KB_FAULT_BLOCKS, "KB_BLOCK_FAULT=" + fault);
  }
};

constexpr const char* kRouters = "nodes: \"sip0.cube0.r*\", impl: custom.router";
constexpr const char* kRawRouters = "nodes: \"sip0.cube0.r*\", impl: custom.raw_router";
constexpr const char* kMemories = "nodes: \"sip0.cube0.hbm_ctrl.*\", impl: custom.memory";

struct BlockFault {
  const char* name;
  const char* replace;
  const char* what;
  const char* remedy;
};
void PrintTo(const BlockFault& fault, std::ostream* out) {
  *out << fault.name << " of " << fault.replace;
}

// T-28a
class BlockFaultTest : public FaultBlocksTest, public testing::WithParamInterface<BlockFault> {};

TEST_P(BlockFaultTest, EndsTheRunAndIsNamed) {
  const auto& [name, replace, what, remedy] = GetParam();
  const Outcome outcome = with(replace, name);
  EXPECT_EQ(outcome.code, kModelError) << outcome.err;
  const std::string text(replace);
  const std::string impl = text.substr(text.find("custom."));
  EXPECT_THAT(outcome.err, testing::StartsWith("kernbench run: error: sip0.cube0."));
  EXPECT_THAT(outcome.err, HasSubstr(" (" + impl + ") "));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr(what), HasSubstr(" ns; "), HasSubstr(remedy)));
  EXPECT_THAT(files(), ElementsAre("m.yaml", "out"));
}

INSTANTIATE_TEST_SUITE_P(
    Routers, BlockFaultTest,
    testing::Values(
        BlockFault{"swallow", kRouters, "never passes on the map request #", "call depart() for every arrival"},
        BlockFault{
            "twice", kRouters,
            "breaks the protocol: the write of 8 KiB at 0x2000000000 by sip0.io0.pcie_ep (transaction 3) begins twice, "
            "on its link to sip0.cube0.hbm_ctrl.pe0, at ",
            "pass on every flit and message once"},
        BlockFault{"reverse", kRouters, "breaks the protocol: the write of ", "in the order of their index"},
        BlockFault{"past", kRouters, "passes on in the past, at ", "give depart() now() or a later time"},
        BlockFault{"caught", kRouters, "passes on in the past, at ", "give depart() now() or a later time"},
        BlockFault{"raw-early", kRawRouters, "has flit 0 leave before it has arrived, on its link to sip0.cube0.",
                   "let a flit leave no earlier than it has arrived"},
        BlockFault{"raw-end", kRawRouters, "sends an END for the write of ", "derive the block from ArrivalNode"}));

INSTANTIATE_TEST_SUITE_P(
    Memories, BlockFaultTest,
    testing::Values(BlockFault{"silent", kMemories, "never answers the write of ", "call depart() for its response()"},
                    BlockFault{"twice", kMemories, ", or a second time, on its link to sip0.cube0.r",
                               "answer every request once"},
                    BlockFault{"late", kMemories, "", "answer every request once"},
                    BlockFault{"early", kMemories, "leaves before the request has arrived",
                               "an answer no earlier than the last flit of its request"},
                    BlockFault{"pass-on", kMemories, "passes on, although its route ends here, the write of ",
                               "give depart() its response()"}));

constexpr const char* kEngines = "nodes: \"*.pe_math\", impl: custom.engine";

INSTANTIATE_TEST_SUITE_P(
    Engines, BlockFaultTest,
    testing::Values(
        BlockFault{"twice", kEngines, "answers tl.add #", "answer every command once, or pass it on once"},
        BlockFault{"finish-twice", kEngines, ", which it has given away already, at ", "answer every command once"},
        BlockFault{"send-back", kEngines, "sends on tl.add #", "answer every command once"},
        BlockFault{"unasked", kEngines, "answers a command that it never got at ", "only what on_task()"},
        BlockFault{"silent", kEngines, "never answers tl.add #", "call finish() or answer() for every command"}));

TEST_F(FaultBlocksTest, WhatABlockThrowsEndsTheRunAndNamesIt) {
  EXPECT_THAT(with(kRouters, "throw").err, HasSubstr(" (custom.router) threw at "));
  const Outcome math = with("nodes: \"*.pe_math\", impl: custom.math", "throw");
  EXPECT_EQ(math.code, kModelError);
  EXPECT_THAT(math.err, HasSubstr("pe_math (custom.math) threw at "));
  EXPECT_THAT(math.err, HasSubstr(" ns: the table is empty"));
  EXPECT_THAT(with(kEngines, "throw").err, HasSubstr("pe_math (custom.engine) threw at "));
  EXPECT_THAT(with(kRouters, "odd-throw").err, HasSubstr("an object that is not a std::exception"));
  EXPECT_THAT(files(), ElementsAre("m.yaml", "out"));
}

TEST_F(FaultBlocksTest, BlocksWithoutAMistakeRun) {
  EXPECT_EQ(with(kRouters, "none").code, 0);
  EXPECT_EQ(with(kMemories, "none").code, 0);
  EXPECT_EQ(with("nodes: \"*.pe_math\", impl: custom.math", "none").code, 0);
  EXPECT_EQ(with(kEngines, "none").code, 0);
}

// H-83c
TEST_F(FaultBlocksTest, ACrashNamesBlockAndNode) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer reports it";
#endif
  for (const char* fault : {"segv", "null", "fpe", "bus", "ill", "abort"}) {
    const Outcome outcome = with(kRouters, fault);
    EXPECT_EQ(outcome.code, 3) << outcome.err;
    EXPECT_THAT(outcome.err,
                HasSubstr("kernbench: error: the process crashed, in the block custom.router at sip0.cube0"));
    EXPECT_THAT(files(), ElementsAre("m.yaml", "out")) << fault;
  }
  EXPECT_THAT(with("nodes: \"*.pe_math\", impl: custom.math", "segv").err,
              HasSubstr("crashed, in the block custom.math at sip0.cube0.pe"));
  EXPECT_THAT(with(kEngines, "segv").err, HasSubstr("crashed, in the block custom.engine at sip0.cube0.pe"));
  EXPECT_THAT(with(kRouters, "constructor-segv").err, HasSubstr("crashed, in the block custom.router at sip0.cube0.r"));
  const Outcome entry = load("entry-segv");
  EXPECT_EQ(entry.code, 3);
  EXPECT_THAT(entry.err, HasSubstr("crashed, in the plug-in " KB_FAULT_BLOCKS ", while it was loaded: an invalid"));
}

TEST_F(FaultBlocksTest, TheHostTimeLimitNamesABlockThatNeverReturns) {
  write("m.yaml", read_config("one_cube") + "replace:\n  - { " + kRouters + " }\n");
  const Outcome outcome = kernbench(
      "run --bench vector-add --quiet --out out --topology m.yaml --host-time-limit-s 1 --plugin " KB_FAULT_BLOCKS,
      "KB_BLOCK_FAULT=busy");
  EXPECT_EQ(outcome.code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("in the block custom.router at sip0.cube0."));
}

TEST_F(FaultBlocksTest, WrongRegistrationsAreRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {"no-prefix", "the implementation 'router' of noc_router needs a name that begins with custom."},
      {"no-factory", "the implementation 'custom.router' has no factory"},
      {"no-kind", "the implementation 'custom.router' is for a kind of block that does not exist"},
      {"host", "the implementation 'custom.router' is for a kind of block that does not exist"},
      {"clash", "the implementation 'custom.router' of noc_router is registered twice; rename one of them"},
      {"table", "lanes has the default 0, but must be between 1"},
      {"table-clash",
       "the parameter 'overhead_ns' of 'custom.router' has the name of a parameter that every "
       "noc_router has"}};
  for (const auto& [fault, message] : cases) {
    const Outcome outcome = load(fault);
    EXPECT_EQ(outcome.code, 2) << fault;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("fault_blocks"), HasSubstr(message))) << fault;
  }
  const Outcome twice = kernbench("list --plugin " KB_FAULT_BLOCKS " --plugin " KB_FAULT_BLOCKS);
  EXPECT_EQ(twice.code, 2);
  EXPECT_THAT(twice.err, HasSubstr("the plug-in is given twice (give it once)"));
}

TEST_F(FaultBlocksTest, FactoriesThatThrowAreNamed) {
  const Outcome standard = with(kRouters, "constructor");
  EXPECT_EQ(standard.code, 2);
  EXPECT_THAT(standard.err, HasSubstr("its implementation 'custom.router' cannot be made: no licence"));
  const Outcome odd = with(kRouters, "odd-constructor");
  EXPECT_EQ(odd.code, 2);
  EXPECT_THAT(odd.err, HasSubstr("cannot be made: it threw an object that is not a std::exception"));
}

// `check` and `run` refuse the same.
TEST_F(FaultBlocksTest, WrongReplacementsAreRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {"nodes: \"sip9.*\", impl: custom.router",
       "m.yaml:9:14: replace[0].nodes: no node matches the pattern 'sip9.*' (names begin with sip0)"},
      {"nodes: \"sip0.cube0.*\", impl: custom.router", "matches nodes of several kinds"},
      {"nodes: sip0.cube0.sram, impl: custom.router", "'custom.router' cannot serve as sram"},
      {"nodes: \"*.r0c0\", impl: custom.ruter", "did you mean 'custom.router'?"},
      {"nodes: \"*.r0c0\", impl: custom.router, attrs: { lanes: 1 }", "replace[0].attrs.lanes: unknown key 'lanes'"}};
  for (const auto& [replace, message] : cases) {
    for (const char* command : {"check", "run"}) {
      const Outcome outcome = with(replace, "none", command);
      EXPECT_EQ(outcome.code, 2) << replace;
      EXPECT_THAT(outcome.err, HasSubstr(message));
    }
  }
}

}  // namespace
}  // namespace kb::test
