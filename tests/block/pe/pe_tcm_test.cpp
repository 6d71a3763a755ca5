// PE_TCM behind a scripted requester in place of PE_FETCH_STORE.
#include "modules/pe/pe_tcm.h"

#include <gmock/gmock.h>

#include "tests/block/pe/pe_machine.h"

namespace kb::test {
namespace {

using modules::TcmDirection;
using testing::ElementsAre;
using testing::HasSubstr;
using topology::NodeKind;

constexpr TcmDirection kRead = TcmDirection::read;
constexpr TcmDirection kWrite = TcmDirection::write;

MachineOptions tcm_alone(std::vector<std::pair<std::string, std::string>> set = {}) {
  MachineOptions options;
  options.requesters = {NodeKind::pe_fetch_store};
  options.set = std::move(set);
  return options;
}

Request request(TimeFs at, TcmDirection direction, std::uint64_t nbytes) {
  return {at, NodeKind::pe_tcm, gemm(1, 1, 1), {}, std::make_pair(direction, nbytes)};
}

TEST(PeTcm, EqualDirectionsSerialise) {  // chapter 03, acceptance check 11
  PeMachine machine(tcm_alone());
  const std::vector<Outcome> o = machine.run({request(0_fs, kRead, 4096), request(0_fs, kRead, 4096)});
  EXPECT_EQ(o[0].answered, 8 * kNs);
  EXPECT_EQ(o[1].answered, 16 * kNs);
}

TEST(PeTcm, OppositeDirectionsOverlap) {  // chapter 03, acceptance check 11; C-TCM-3
  PeMachine machine(tcm_alone());
  const std::vector<Outcome> o = machine.run({request(0_fs, kRead, 4096), request(0_fs, kWrite, 4096)});
  EXPECT_EQ(o[0].answered, 8 * kNs);
  EXPECT_EQ(o[1].answered, 8 * kNs);
}

TEST(PeTcm, ServesEachDirectionInRequestOrder) {  // C-TCM-3
  PeMachine machine(tcm_alone());
  const std::vector<Outcome> o = machine.run({request(0_fs, kWrite, 5120), request(1_fs, kWrite, 512),
                                              request(1_fs, kRead, 512), request(2_fs, kWrite, 1024)});
  EXPECT_EQ(o[0].answered, 10 * kNs);
  EXPECT_EQ(o[1].answered, 11 * kNs);
  EXPECT_EQ(o[2].answered, kNs + 1_fs);
  EXPECT_EQ(o[3].answered, 13 * kNs);
}

TEST(PeTcm, WaitsOnlyWhileTheChannelIsTaken) {  // just before, at and just after the release
  PeMachine machine(tcm_alone());
  const std::vector<Outcome> o = machine.run({request(0_fs, kRead, 512), request(kNs - 1_fs, kRead, 512),
                                              request(2 * kNs, kRead, 512), request(3 * kNs + 1_fs, kRead, 512)});
  EXPECT_EQ(o[1].answered, 2 * kNs);
  EXPECT_EQ(o[2].answered, 3 * kNs);
  EXPECT_EQ(o[3].answered, 4 * kNs + 1_fs);
}

TEST(PeTcm, ZeroBytesTakeTheirTurnAndNoTime) {  // C-TCM-4
  PeMachine machine(tcm_alone());
  const std::vector<Outcome> o = machine.run(
      {request(0_fs, kRead, 4096), request(1_fs, kRead, 0), request(2_fs, kRead, 512), request(20 * kNs, kRead, 0)});
  EXPECT_EQ(o[1].answered, 8 * kNs);
  EXPECT_EQ(o[2].answered, 9 * kNs);
  EXPECT_EQ(o[3].answered, 20 * kNs);
}

TEST(PeTcm, BandwidthsArePerDirectionAndOverheadIsNotCharged) {  // C-TCM-2, C-TCM-6
  const std::string attrs = "cube.pe_template.components.pe_tcm.attrs.";
  PeMachine machine(
      tcm_alone({{attrs + "read_bw_gbs", "256"}, {attrs + "write_bw_gbs", "1024"}, {attrs + "overhead_ns", "5"}}));
  const std::vector<Outcome> o = machine.run({request(0_fs, kRead, 4096), request(0_fs, kWrite, 4096)});
  EXPECT_EQ(o[0].answered, 16 * kNs);
  EXPECT_EQ(o[1].answered, 4 * kNs);
}

class Ended final : public modules::ITcmPort::IUser {
 public:
  explicit Ended(PeMachine& machine) : machine_(machine) {}
  void on_tcm_access(TcmDirection, std::uint64_t cookie) override {
    times.emplace_back(cookie, machine_.platform->scheduler().now());
  }
  std::vector<std::pair<std::uint64_t, TimeFs>> times;

 private:
  PeMachine& machine_;
};

TEST(PeTcm, PeDmaWaitsInTheSameQueue) {  // P-47: for the time that it says
  PeMachine machine(tcm_alone());
  Ended ended(machine);
  modules::ITcmPort& port =
      *modules::PeContext::of(machine.node("sip0.cube0.pe0.pe_tcm"), machine.platform->context()).tcm;
  EXPECT_EQ(port.occupancy(kRead, 4096), 8 * kNs);
  port.access(kRead, 4096, 3 * kNs, {}, ended, 1);
  port.access(kRead, 4096, 2 * kNs, {}, ended, 2);
  const std::vector<Outcome> o = machine.run({request(1_fs, kRead, 512), request(1_fs, kWrite, 512)});
  EXPECT_THAT(ended.times, ElementsAre(std::make_pair(1u, 3 * kNs), std::make_pair(2u, 5 * kNs)));
  EXPECT_EQ(o[0].answered, 6 * kNs);
  EXPECT_EQ(o[1].answered, kNs + 1_fs);
}

TEST(PeTcm, RefusesAnyOtherDirection) {  // C-TCM-5
  PeMachine machine(tcm_alone());
  EXPECT_THAT([&] { machine.run({request(0_fs, static_cast<TcmDirection>(2), 64)}); },
              testing::ThrowsMessage<std::exception>(HasSubstr("must be read or write")));
}

TEST(PeTcm, RefusesATaskWithoutARequest) {  // C-TCM-5
  PeMachine machine(tcm_alone());
  Request bare = request(0_fs, kRead, 64);
  bare.tcm.reset();
  EXPECT_THAT([&] { machine.run({bare}); }, testing::ThrowsMessage<std::exception>(HasSubstr("asks nothing of a TCM")));
}

TEST(PeTcm, CountsPerDirection) {
  PeMachine machine(tcm_alone());
  machine.run({request(0_fs, kRead, 4096), request(kNs, kRead, 512)});
  EXPECT_THAT(machine.statistics("sip0.cube0.pe0.pe_tcm"),
              ElementsAre(std::pair("read_busy", (9 * kNs).fs()), std::pair("read_bytes", 4608),
                          std::pair("read_wait", (7 * kNs).fs()), std::pair("reads", 2)));
}

}  // namespace
}  // namespace kb::test
