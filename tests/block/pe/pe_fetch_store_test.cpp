// PE_FETCH_STORE with the real PE_TCM behind it and a scripted requester in place of PE_SCHEDULER.
#include <gmock/gmock.h>

#include "platform/contract/command.h"
#include "tests/block/pe/pe_machine.h"

namespace kb::test {
namespace {

using Stage = plan::StageType;
using testing::ElementsAre;
using topology::NodeKind;

const std::string kOverhead = "cube.pe_template.components.pe_fetch_store.attrs.overhead_ns";
const std::string kLink = "cube.pe_template.links.fetch_store_to_tcm_bw_gbs";

MachineOptions fetch_store(std::vector<std::pair<std::string, std::string>> set = {}) {
  MachineOptions options;
  options.requesters = {NodeKind::pe_scheduler};
  options.set = std::move(set);
  return options;
}

Request request(TimeFs at, Stage stage, contract::Command command) {
  return {at, NodeKind::pe_fetch_store, std::move(command), stage, {}};
}

TEST(PeFetchStore, MovesTheBytesOfTheOperands) {  // P-43; A (32, 64) and B (64, 32) of f16: 8192 B over 512 GB/s
  PeMachine machine(fetch_store());
  const std::vector<Outcome> o =
      machine.run({request(0_fs, Stage::fetch, gemm(32, 64, 32)), request(100 * kNs, Stage::store, gemm(32, 64, 32))});
  EXPECT_EQ(o[0].answered, 16 * kNs);
  EXPECT_EQ(o[1].answered, 104 * kNs);
}

TEST(PeFetchStore, NumbersOfTheKernelCostNothing) {
  PeMachine machine(fetch_store());
  contract::Command scale = gemm(32, 64, 32);
  scale.inputs[1] = OperandRef::number(2.0, Dtype::f16);
  EXPECT_EQ(machine.run({request(0_fs, Stage::fetch, scale)}).at(0).answered, 8 * kNs);
}

TEST(PeFetchStore, OneFetchAtATimeBesideOneStore) {  // P-43, P-42
  PeMachine machine(fetch_store());
  const std::vector<Outcome> o =
      machine.run({request(0_fs, Stage::fetch, gemm(32, 64, 32)), request(0_fs, Stage::fetch, gemm(32, 64, 32)),
                   request(0_fs, Stage::store, gemm(32, 64, 32))});
  EXPECT_EQ(o[0].answered, 16 * kNs);
  EXPECT_EQ(o[1].answered, 32 * kNs);
  EXPECT_EQ(o[2].answered, 4 * kNs);
}

TEST(PeFetchStore, OverheadComesBeforeTheTcm) {  // C-TCM-6
  PeMachine machine(fetch_store({{kOverhead, "3"}}));
  const std::vector<Outcome> o =
      machine.run({request(0_fs, Stage::fetch, gemm(32, 64, 32)), request(0_fs, Stage::fetch, gemm(32, 64, 32))});
  EXPECT_EQ(o[0].answered, 19 * kNs);
  EXPECT_EQ(o[1].answered, 38 * kNs);
}

TEST(PeFetchStore, ANarrowerLinkShows) {  // P-2
  PeMachine machine(fetch_store({{kLink, "256"}, {kOverhead, "3"}}));
  EXPECT_EQ(machine.run({request(0_fs, Stage::fetch, gemm(32, 64, 32))}).at(0).answered, 35 * kNs);
}

TEST(PeFetchStore, AWiderLinkDoesNot) {  // P-2
  PeMachine machine(fetch_store({{kLink, "1024"}}));
  EXPECT_EQ(machine.run({request(0_fs, Stage::fetch, gemm(32, 64, 32))}).at(0).answered, 16 * kNs);
}

TEST(PeFetchStore, CountsCommandsAndBytes) {
  PeMachine machine(fetch_store());
  machine.run({request(0_fs, Stage::fetch, gemm(32, 64, 32)), request(0_fs, Stage::store, gemm(32, 64, 32))});
  EXPECT_THAT(
      machine.statistics("sip0.cube0.pe0.pe_fetch_store"),
      ElementsAre(std::pair("fetch_busy", (16 * kNs).fs()), std::pair("fetch_bytes", 8192), std::pair("fetches", 1),
                  std::pair("store_busy", (4 * kNs).fs()), std::pair("store_bytes", 2048), std::pair("stores", 1)));
}

}  // namespace
}  // namespace kb::test
