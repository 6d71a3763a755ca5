// Message kernels of a user over links of their own, and wirings that an algorithm does not take (chapter 07).
#include <gmock/gmock.h>

#include "tests/machine/cli/command_line.h"
#include "tests/support/source_file.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class MessagesTest : public CommandLineTest {};

// The links of examples/messages/ccl.yaml, which has no all-reduce.
TEST_F(MessagesTest, AKernelSendsToItsNeighboursOverLinksAlone) {
  const std::string plugin = std::string("--plugin ") + KB_PING_PONG_PLUGIN;
  write("ccl.yaml", source_file("examples/messages/ccl.yaml"));
  const Outcome checked = kernbench("check ccl.yaml " + plugin);
  EXPECT_THAT(checked.out, HasSubstr("ccl.yaml: ok (collectives, links only, neighbours)")) << checked.err;
  const std::string run = "run --quiet --out out --topology '" + config("one_cube") + "' " + plugin;
  const Outcome good = kernbench(run + " --verify-data --bench neighbour-sum");
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_EQ(Json::parse(read("out/result.json"))["verification"][0]["ok"], true);
  const Outcome no_algorithm = kernbench(run + " --bench ccl-allreduce");
  EXPECT_EQ(no_algorithm.code, 2);
  EXPECT_THAT(no_algorithm.err,
              AllOf(HasSubstr("algorithms.neighbours.module: 'neighbours' has links and no all-reduce"),
                    HasSubstr("name an algorithm, e.g. 'auto'")));
  write("none.yaml", "algorithms: {}\n");
  const Outcome no_links = kernbench(run + " --bench neighbour-sum --set ccl=none.yaml");
  EXPECT_EQ(no_links.code, 1);
  EXPECT_THAT(no_links.err, HasSubstr("has no queue in direction 'intra_E'"));
}

TEST_F(MessagesTest, AnEntryListsItsLinks) {  // K-5a
  const std::string plugin = std::string("--plugin ") + KB_PING_PONG_PLUGIN;
  const std::string file = source_file("examples/messages/ccl.yaml");
  const std::string run = "run --quiet --out out --bench chain-sums --verify-data " + plugin + " --topology ";
  write("ccl.yaml", file);
  for (const char* const machine : {"one_cube", "six_sips_torus"}) {
    const Outcome good = kernbench(run + "'" + config(machine) + "'");
    EXPECT_EQ(good.code, 0) << good.err;
    EXPECT_EQ(Json::parse(read("out/result.json"))["verification"][0]["ok"], true);
  }
  const Outcome small = kernbench(run + "'" + config("one_pe") + "'");
  EXPECT_EQ(small.code, 2);
  EXPECT_THAT(small.err, HasSubstr("algorithms.chain.links[0].from: there is no PE 1 in this machine"));
  const std::string cut = file.substr(0, file.find("      - { from: sip*.cube*.pe7"));
  write("cut.yaml", cut);  // the chain ends at PE 7, whose kernel does not know
  const Outcome broken = kernbench(run + "'" + config("one_cube") + "' --set ccl=cut.yaml");
  EXPECT_EQ(broken.code, 1);
  EXPECT_THAT(broken.err, HasSubstr("sip0.cube0.pe4 has no queue in direction 'before'; no queues are installed"));
}

TEST_F(MessagesTest, CheckFindsAWiringThatAnAlgorithmDoesNotTake) {
  write("ccl.yaml", "algorithms: { ring_allreduce: { wiring: intracube_ring } }\n");
  for (const std::string& command :
       {std::string("check ccl.yaml"),
        "run --bench ccl-allreduce --set algorithm=ring_allreduce --topology '" + config("one_cube") + "'"}) {
    const Outcome outcome = kernbench(command);
    EXPECT_EQ(outcome.code, 2) << command;
    EXPECT_THAT(outcome.err,
                AllOf(HasSubstr("ccl.yaml:1:41: algorithms.ring_allreduce.wiring"),
                      HasSubstr("it links the PEs of every cube in a ring of its own, the algorithm needs all PEs"),
                      HasSubstr("write 'flat', or 'module: none' for links without an all-reduce")));
  }
}

// The example of examples/messages, whole and broken (Q-102, Q-104).
TEST_F(MessagesTest, TwoRanksPlayPingPongOrSayWhyNot) {
  const std::string command = "run --quiet --topology '" + config("reference") + "' --plugin " + KB_PING_PONG_PLUGIN +
                              " --bench ping-pong --out out ";
  const Outcome good = kernbench(command + "--verify-data");
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_EQ(Json::parse(read("out/result.json"))["verification"].size(), 2u);
  EXPECT_EQ(kernbench(command + "--verify-data --set server=1").code, 0);
  const Outcome stuck = kernbench(command + "--set server=2");
  EXPECT_EQ(stuck.code, 4);
  EXPECT_THAT(stuck.err, ContainsRegex("Deadlock: 2 PEs wait for each other in a cycle.\n"
                                       "  sip0.cube0.pe0.pe_cpu: kernel ping_pong, tl.recv #2 at ping_pong.cpp:[0-9]+ "
                                       "waits for a message of sip1.cube0.pe0 in direction 'global_E'\n"
                                       "    'global_E': sent 0"));
  // A run that is cut short is not a deadlock, and a kernel that failed is why its partner waits.
  const Outcome cut = kernbench(command + "--time-limit-ns 500");
  EXPECT_EQ(cut.code, 4);
  EXPECT_THAT(cut.err, AllOf(HasSubstr("the time limit was reached at 500 ns"), Not(HasSubstr("Deadlock")),
                             Not(HasSubstr("Nobody is left"))));
  const Outcome failed = kernbench(command + "--set elements=4000");
  EXPECT_EQ(failed.code, 1);
  EXPECT_THAT(failed.err,
              AllOf(HasSubstr("QUEUE_ERROR: launch 5 failed: kernel ping_pong, tl.send #2 at ping_pong.cpp:"),
                    HasSubstr("does not fit a slot of 8192 bytes"), HasSubstr("Because of that nothing can happen")));
  EXPECT_EQ(Json::parse(read("out/result.json"))["error"]["code"], "QUEUE_ERROR");
}

// Its launch never ends, because its own receive is never answered; the message it could not send is why.
TEST_F(MessagesTest, AKernelThatFailsWhileItReceivesIsTheCause) {
  const Outcome failed = kernbench("run --quiet --out out --topology '" + config("one_cube") + "' --plugin '" +
                                   KB_RACE_PLUGIN + "' --bench fail-while-receiving");
  EXPECT_EQ(failed.code, 1);
  EXPECT_THAT(failed.err, AllOf(HasSubstr("QUEUE_ERROR: launch"), HasSubstr("kernel fail_while_receiving, tl.send #"),
                                HasSubstr("does not fit a slot of 4096 bytes")));
  EXPECT_EQ(Json::parse(read("out/result.json"))["error"]["code"], "QUEUE_ERROR");
}

}  // namespace
}  // namespace kb::test
