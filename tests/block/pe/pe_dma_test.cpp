// PE_DMA behind a scripted requester in place of PE_SCHEDULER. Most tests script the memories, too: they answer 100 ns
// after a request has arrived.
#include "modules/pe/pe_dma.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "platform/address/phys_addr.h"
#include "platform/contract/command.h"
#include "tests/block/pe/pe_machine.h"

namespace kb::test {
namespace {

using contract::CommandKind;
using testing::ElementsAre;
using testing::HasSubstr;
using topology::NodeKind;

const std::string kAttrs = "cube.pe_template.components.pe_dma.attrs.";
const char* const kDma = "sip0.cube0.pe0.pe_dma";
constexpr CommandKind kRead = CommandKind::dma_read;
constexpr CommandKind kWrite = CommandKind::dma_write;
// The router adds 2 ns per direction, 16 flits of 1 ns pass two links, each link adds its 1 fs twice.
constexpr TimeFs kLoad4KiB = (2 + 100 + 2 + 17) * kNs + 4_fs;
// The other way round: the data go and the acknowledgement comes back.
constexpr TimeFs kStore4KiB = kLoad4KiB;
constexpr TimeFs kStore256B = kStore4KiB - 15 * kNs;

MachineOptions dma_alone(std::vector<std::pair<std::string, std::string>> set = {}, int pes = 1) {
  MachineOptions options;
  options.pes = pes;
  options.requesters = {NodeKind::pe_scheduler};
  options.scripted_memory = true;
  options.set = std::move(set);
  return options;
}

Request transfer(const PeMachine& machine, TimeFs at, CommandKind kind, std::vector<Extent> memory) {
  const std::uint64_t nbytes = total_bytes(memory);
  contract::Command command = dma(kind, std::move(memory), {{machine.tcm(0), nbytes}});
  command.call = kind == kRead ? "load" : "store";
  return {at, NodeKind::pe_dma, std::move(command), {}, {}};
}

TEST(PeDma, AReadTakesTheRoundTrip) {  // P-37, P-38: one hop over the router, then 16 flits over two links
  PeMachine machine(dma_alone());
  const Outcome o = machine.run({transfer(machine, 0_fs, kRead, {{hbm(0), 4096}})}).at(0);
  const TimeFs there =
      machine.platform->routes().pe_dma(machine.node(kDma), machine.node("sip0.cube0.hbm_ctrl.pe0")).formula_fs;
  ASSERT_EQ(machine.memory.accesses.size(), 1u);
  EXPECT_EQ(machine.memory.accesses[0].arrived, there);
  EXPECT_EQ(o.start, 0_fs);
  EXPECT_EQ(o.end, there + 100 * kNs + there + 17 * kNs);
  EXPECT_EQ(o.end, kLoad4KiB);
  EXPECT_EQ(o.answered, o.end);
}

TEST(PeDma, LoadOfItsOwnSliceMeetsTheReference) {  // 16 KiB from the own slice: 77 ns within 1 ns
  MachineOptions options = dma_alone();
  options.scripted_memory = false;
  PeMachine machine(options);
  const Outcome o = machine.run({transfer(machine, 0_fs, kRead, {{hbm(0), 16384}})}).at(0);
  EXPECT_NEAR(fs_to_ns(o.end), 77.0, 1.0);
}

TEST(PeDma, LoadsQueueForTheReadChannel) {  // P-37: stamped at acquisition, so both last equally long
  PeMachine machine(dma_alone());
  const std::vector<Outcome> o = machine.run(
      {transfer(machine, 0_fs, kRead, {{hbm(0), 4096}}), transfer(machine, 1_fs, kRead, {{hbm(65536), 4096}})});
  EXPECT_EQ(o[1].start, o[0].end);
  EXPECT_EQ(o[1].end - o[1].start, o[0].end - o[0].start);
  ASSERT_EQ(machine.log.commands.size(), 2u);
  EXPECT_EQ(machine.log.commands[1].start, o[0].end);
}

TEST(PeDma,
     WaitsUntilTheChannelIsReleasedAndNoLonger) {  // P-37: just before, at and just after the end of the load before
  PeMachine machine(dma_alone());
  const TimeFs end = kLoad4KiB;
  const std::vector<Outcome> o = machine.run({transfer(machine, 0_fs, kRead, {{hbm(0), 4096}}),
                                              transfer(machine, end - 1_fs, kRead, {{hbm(0), 4096}}),
                                              transfer(machine, 2 * end, kRead, {{hbm(0), 4096}}),
                                              transfer(machine, 3 * end + 1_fs, kRead, {{hbm(0), 4096}})});
  EXPECT_EQ(o[1].start, end);
  EXPECT_EQ(o[2].start, 2 * end);
  EXPECT_EQ(o[3].start, 3 * end + 1_fs);
}

TEST(PeDma, ReadsAndWritesOverlap) {  // P-36
  PeMachine machine(dma_alone());
  const std::vector<Outcome> o = machine.run({transfer(machine, 0_fs, kRead, {{hbm(0), 4096}}),
                                              transfer(machine, 0_fs, kWrite, {{hbm(65536), 4096}}),
                                              transfer(machine, 0_fs, kWrite, {{hbm(65536), 4096}})});
  EXPECT_EQ(o[0].start, 0_fs);
  EXPECT_EQ(o[1].start, 0_fs);
  EXPECT_EQ(o[2].start, o[1].end);
}

TEST(PeDma, AnAtomicAdditionTakesTheTimeOfAWrite) {  // decision 0033: row by row, wherever they lie
  MachineOptions options = dma_alone();
  options.scripted_memory = false;
  PeMachine machine(options);
  const auto write = [&](TimeFs at, std::optional<Dtype> added) {
    Request request = transfer(machine, at, kWrite, {{hbm(65536), 512}, {hbm(0), 512}, {hbm(65536), 512}});
    request.command.added = added;
    return request;
  };
  const std::vector<Outcome> o = machine.run({write(0_fs, std::nullopt), write(10'000 * kNs, Dtype::f32)});
  EXPECT_GT(o[0].end, o[0].start);
  EXPECT_EQ(o[1].end - o[1].start, o[0].end - o[0].start);
}

TEST(PeDma, ATransferOfNothingEndsAtOnce) {  // of a mask that takes no element
  PeMachine machine(dma_alone());
  const std::vector<Outcome> o =
      machine.run({transfer(machine, 0_fs, kRead, {}), transfer(machine, 0_fs, kRead, {{hbm(0), 4096}})});
  EXPECT_TRUE(o[0].status.ok) << o[0].status.message;
  EXPECT_EQ(o[0].end, o[0].start);
  EXPECT_EQ(o[1].end, kLoad4KiB);
  EXPECT_EQ(machine.log.commands.size(), 2u);
}

TEST(PeDma, EnginesAreChannels) {  // rd_engines 2: the third load waits for the first to end
  PeMachine machine(dma_alone({{kAttrs + "rd_engines", "2"}}));
  const std::vector<Outcome> o = machine.run({transfer(machine, 0_fs, kRead, {{hbm(0), 256}}),
                                              transfer(machine, 0_fs, kRead, {{hbm(4096), 65536}}),
                                              transfer(machine, 0_fs, kRead, {{hbm(8192), 256}})});
  EXPECT_EQ(o[0].start, 0_fs);
  EXPECT_EQ(o[1].start, 0_fs);
  EXPECT_EQ(o[2].start, o[0].end);
  EXPECT_LT(o[2].start, o[1].end);
}

TEST(PeDma, AChannelHasItsOutstandingReadsUnderWay) {  // rd_outstanding 2: the third load waits for the first to end
  PeMachine machine(dma_alone({{kAttrs + "rd_outstanding", "2"}}));
  const std::vector<Outcome> o = machine.run(
      {transfer(machine, 0_fs, kRead, {{hbm(0), 256}}), transfer(machine, 0_fs, kRead, {{hbm(4096), 65536}}),
       transfer(machine, 0_fs, kRead, {{hbm(8192), 256}}), transfer(machine, 0_fs, kWrite, {{hbm(0), 256}}),
       transfer(machine, 0_fs, kWrite, {{hbm(0), 256}})});
  EXPECT_EQ(o[1].start, 0_fs);
  EXPECT_EQ(o[2].start, o[0].end);
  EXPECT_EQ(o[4].start, o[3].end);  // of writes there is one
}

TEST(PeDma, WriteEnginesAreChannels) {
  PeMachine machine(dma_alone({{kAttrs + "wr_engines", "2"}}));
  const std::vector<Outcome> o = machine.run({transfer(machine, 0_fs, kWrite, {{hbm(0), 256}}),
                                              transfer(machine, 0_fs, kWrite, {{hbm(4096), 256}}),
                                              transfer(machine, 0_fs, kWrite, {{hbm(8192), 256}})});
  EXPECT_EQ(o[1].start, 0_fs);
  EXPECT_EQ(o[2].start, o[0].end);
}

TEST(PeDma, AChannelHasItsOutstandingWritesUnderWay) {  // P-36: the third store waits for the first to end
  PeMachine machine(dma_alone({{kAttrs + "wr_outstanding", "2"}}));
  const std::vector<Outcome> o = machine.run(
      {transfer(machine, 0_fs, kWrite, {{hbm(0), 4096}}), transfer(machine, 0_fs, kWrite, {{hbm(4096), 4096}}),
       transfer(machine, 0_fs, kWrite, {{hbm(8192), 4096}}), transfer(machine, 0_fs, kRead, {{hbm(0), 256}}),
       transfer(machine, 0_fs, kRead, {{hbm(0), 256}})});
  EXPECT_EQ(o[0].start, 0_fs);
  EXPECT_EQ(o[0].end, kStore4KiB);
  EXPECT_EQ(o[1].start, 0_fs);
  EXPECT_EQ(o[1].end, kStore4KiB + 16 * kNs);  // its data go behind those of the first
  EXPECT_EQ(o[2].start, kStore4KiB);
  EXPECT_EQ(o[2].end, 2 * kStore4KiB);
  EXPECT_EQ(o[4].start, o[3].end);  // of reads there is one
}

TEST(PeDma, WritesOfAChannelEndInTheOrderOfTheirStarts) {  // P-37a
  const std::vector<std::pair<std::string, std::string>> two = {{kAttrs + "wr_outstanding", "3"}};
  PeMachine machine(dma_alone(two));
  // A store, a copy inside the TCM that has long been done, and one without an element; the fourth waits for a place.
  const std::vector<Outcome> o = machine.run(
      {transfer(machine, 0_fs, kWrite, {{hbm(0), 256}}), transfer(machine, kNs, kWrite, {{machine.tcm(4096), 256}}),
       transfer(machine, 2 * kNs, kWrite, {}), transfer(machine, 3 * kNs, kWrite, {{machine.tcm(4096), 256}})});
  EXPECT_EQ(o[0].end, kStore256B);
  EXPECT_EQ(o[1].start, kNs);
  EXPECT_EQ(o[1].end, kStore256B);
  EXPECT_EQ(o[2].start, 2 * kNs);
  EXPECT_EQ(o[2].end, kStore256B);
  EXPECT_EQ(o[3].start, kStore256B);
  EXPECT_EQ(o[3].end, kStore256B + kNs / 2);
  ASSERT_EQ(machine.log.commands.size(), 4u);
  EXPECT_EQ(machine.log.commands[1].memory[0].pa, machine.tcm(4096));
  EXPECT_EQ(machine.time(kDma, "write_busy"), kStore256B + (kStore256B - kNs) + (kStore256B - 2 * kNs) + kNs / 2);
}

TEST(PeDma, EachWriteChannelHasAnOrderOfItsOwn) {  // the channel with the fewest writes takes the next one
  PeMachine machine(dma_alone({{kAttrs + "wr_engines", "2"}, {kAttrs + "wr_outstanding", "2"}}));
  const std::vector<Outcome> o = machine.run({transfer(machine, 0_fs, kWrite, {{hbm(0), 256}}),
                                              transfer(machine, 0_fs, kWrite, {{machine.tcm(4096), 256}}),
                                              transfer(machine, kNs, kWrite, {{machine.tcm(4096), 256}}),
                                              transfer(machine, kNs, kWrite, {{machine.tcm(4096), 256}})});
  EXPECT_EQ(o[0].end, kStore256B);
  EXPECT_EQ(o[1].end, kNs / 2);        // on the second channel, which is free again then
  EXPECT_EQ(o[2].end, kNs + kNs / 2);  // the same
  EXPECT_EQ(o[3].end, kStore256B);     // behind the first one
}

TEST(PeDma, AFailureOfAWriteHoldsItsPlace) {
  PeMachine machine(dma_alone({{kAttrs + "wr_outstanding", "2"}}));
  const std::vector<Outcome> o = machine.run({transfer(machine, 0_fs, kWrite, {{hbm(0), 256}}),
                                              transfer(machine, 0_fs, kWrite, {{hbm(machine.slice_bytes()), 256}})});
  EXPECT_TRUE(o[0].status.ok);
  EXPECT_FALSE(o[1].status.ok);
  EXPECT_EQ(o[1].end, o[0].end);
}

TEST(PeDma, PaysItsOverheadThereAndBack) {
  PeMachine plain(dma_alone({{kAttrs + "overhead_ns", "3"}}));
  const Outcome o = plain.run({transfer(plain, 0_fs, kRead, {{hbm(0), 4096}})}).at(0);
  EXPECT_EQ(o.start, 0_fs);
  EXPECT_EQ(o.end, kLoad4KiB + 6 * kNs);
}

TEST(PeDma, IssuesAllExtentsAtOnceAndEndsWithTheLast) {
  PeMachine machine(dma_alone());
  const Outcome o =
      machine.run({transfer(machine, 0_fs, kRead, {{hbm(0), 256}, {hbm(4096), 256}, {hbm(8192), 128}})}).at(0);
  ASSERT_EQ(machine.memory.accesses.size(), 3u);
  for (const MemoryScript::Access& access : machine.memory.accesses) {
    EXPECT_EQ(access.arrived, machine.memory.accesses[0].arrived);
  }
  EXPECT_EQ(machine.memory.accesses[2].hbm_offset, 8192u);
  EXPECT_EQ(machine.memory.accesses[2].bytes, 128u);
  // The router decodes the three responses side by side, 2 ns from 1 ns on; then 2.5 flits leave it one by one.
  EXPECT_EQ(o.end, (2 + 100 + 1 + 2 + 2) * kNs + kNs / 2 + 4_fs);
}

TEST(PeDma, SplitsAtSliceBoundaries) {  // F-9
  PeMachine machine(dma_alone({}, 4));
  const std::uint64_t slice = machine.slice_bytes();
  machine.run({transfer(machine, 0_fs, kRead, {{hbm(slice - 512), 1024}})});
  auto& accesses = machine.memory.accesses;
  ASSERT_EQ(accesses.size(), 2u);
  std::sort(accesses.begin(), accesses.end(), [](const auto& a, const auto& b) { return a.address < b.address; });
  EXPECT_EQ(accesses[0].node, machine.node("sip0.cube0.hbm_ctrl.pe0"));
  EXPECT_EQ(accesses[0].hbm_offset, slice - 512);
  EXPECT_EQ(accesses[0].bytes, 512u);
  EXPECT_EQ(accesses[1].node, machine.node("sip0.cube0.hbm_ctrl.pe1"));
  EXPECT_EQ(accesses[1].address, hbm(slice));
  EXPECT_EQ(accesses[1].hbm_offset, slice);
  EXPECT_EQ(accesses[1].bytes, 512u);
}

TEST(PeDma, SlicesAccessedBeforeSplitTheSame) {  // F-9: also when no address has to be resolved any more
  PeMachine machine(dma_alone({}, 4));
  const std::uint64_t slice = machine.slice_bytes();
  std::vector<Request> requests;
  for (int round = 0; round < 2; ++round) {
    for (const std::uint64_t at : {slice - 512, 3 * slice - 64, std::uint64_t{0}, 4 * slice - 1024, 2 * slice}) {
      requests.push_back(transfer(machine, 0_fs, kRead, {{hbm(at), 1024}}));
    }
  }
  for (const Outcome& o : machine.run(requests)) EXPECT_TRUE(o.status.ok) << o.status.message;
  const auto& accesses = machine.memory.accesses;
  ASSERT_EQ(accesses.size(), 14u);
  for (const auto& access : accesses) {
    const std::uint64_t offset = access.address - hbm(0);
    EXPECT_EQ(access.hbm_offset, offset);
    EXPECT_EQ(access.node, machine.node("sip0.cube0.hbm_ctrl.pe" + std::to_string(offset / slice)));
    EXPECT_EQ((offset + access.bytes - 1) / slice, offset / slice);
  }
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(accesses[i].address, accesses[i + 7].address);
    EXPECT_EQ(accesses[i].bytes, accesses[i + 7].bytes);
  }
}

TEST(PeDma, ReachesTheCubeSram) {  // P-49
  PeMachine machine(dma_alone());
  const std::uint64_t sram = address::PhysAddr::cube_sram_addr(SipId(0), CubeId(0), 4096).value();
  const Outcome o = machine.run({transfer(machine, 0_fs, kWrite, {{sram, 1024}})}).at(0);
  EXPECT_TRUE(o.status.ok);
  ASSERT_EQ(machine.memory.accesses.size(), 1u);
  EXPECT_EQ(machine.memory.accesses[0].node, machine.node("sip0.cube0.sram"));
  EXPECT_EQ(machine.memory.accesses[0].op, payload::Op::write);
  EXPECT_EQ(machine.memory.accesses[0].address, sram);
}

TEST(PeDma, NothingToMoveTakesNoTime) {
  PeMachine machine(dma_alone());
  const Outcome o = machine.run({transfer(machine, 9_fs, kRead, {})}).at(0);
  EXPECT_EQ(o.answered, 9_fs);
  EXPECT_TRUE(o.status.ok);
}

TEST(PeDma, AnAddressThatLeadsNowhereFailsTheCommandAndFreesTheChannel) {
  PeMachine machine(dma_alone());
  const std::uint64_t beyond = machine.graph().spec.hbm_bytes_per_cube;
  const std::vector<Outcome> o = machine.run({transfer(machine, 5_fs, kRead, {{hbm(0), 256}, {hbm(beyond), 64}}),
                                              transfer(machine, 5_fs, kRead, {{hbm(0), 256}})});
  EXPECT_EQ(o[0].answered, 5_fs);
  EXPECT_EQ(o[0].status.code, "ADDRESS_ERROR");
  EXPECT_EQ(o[1].start, 5_fs);
  EXPECT_TRUE(o[1].status.ok);
  EXPECT_EQ(machine.memory.accesses.size(), 1u);  // nothing of the failing command was sent
  EXPECT_EQ(machine.log.commands.size(), 1u);
  EXPECT_EQ(machine.platform->pool().outstanding(), 0u);
}

TEST(PeDma, OnlyHbmSramAndTcmAreMemory) {
  PeMachine machine(dma_alone({}, 2));
  const std::uint64_t queues =
      address::PhysAddr::pe_resource_addr(SipId(0), CubeId(0), PeId(1), address::PeUnit::ipcq, 0).value();
  const Outcome o = machine.run({transfer(machine, 0_fs, kRead, {{queues, 64}})}).at(0);
  EXPECT_EQ(o.status.code, "ADDRESS_ERROR");
  EXPECT_THAT(o.status.message, HasSubstr("is not a memory that reads and writes go to"));
}

TEST(PeDma, TheLocalSideIsThisPesTcm) {
  PeMachine machine(dma_alone({}, 2));
  Request foreign = transfer(machine, 0_fs, kRead, {{hbm(0), 64}});
  foreign.command.local = {{machine.tcm(0, 1), 64}};
  Request last = transfer(machine, 0_fs, kRead, {{hbm(0), 64}});
  const std::uint64_t end = machine.tcm(0) + machine.graph().spec.tcm_bytes_per_pe;
  last.command.local = {{end - 64, 64}};
  Request beyond = last;
  beyond.command.local = {{end - 63, 64}};
  Request uneven = last;
  uneven.command.memory = {{hbm(0), 128}};
  const std::vector<Outcome> o = machine.run({foreign, last, beyond, uneven});
  EXPECT_EQ(o[0].status.code, "ADDRESS_ERROR");
  EXPECT_TRUE(o[1].status.ok);
  EXPECT_EQ(o[2].status.code, "ADDRESS_ERROR");
  EXPECT_EQ(o[3].status.code, "SCHEMA_ERROR");
}

TEST(PeDma, AFailingResponseFailsTheCommandAfterTheLastResponse) {  // H-41: with its cause
  PeMachine machine(dma_alone());
  machine.memory.status = [](const payload::Transaction& t) {
    return t.hbm_offset == 0 ? payload::Status{false, "ECC_ERROR", "uncorrectable"} : payload::Status{};
  };
  const std::vector<Outcome> o = machine.run({transfer(machine, 0_fs, kRead, {{hbm(0), 256}, {hbm(4096), 4096}}),
                                              transfer(machine, 0_fs, kRead, {{hbm(512), 256}})});
  EXPECT_EQ(o[0].status.code, "ECC_ERROR");
  EXPECT_EQ(o[0].status.message, "uncorrectable");
  EXPECT_EQ(o[0].end, kLoad4KiB + kNs);  // behind the one flit of the first response
  EXPECT_TRUE(o[1].status.ok);
  EXPECT_EQ(o[1].start, o[0].end);
  EXPECT_EQ(machine.log.commands.size(), 1u);
}

TEST(PeDma, RefusesOtherMessages) {
  MachineOptions options = dma_alone();
  PeMachine machine(options);
  const std::size_t number = machine.send(kDma, 1000 * kNs, payload::Op::message, std::nullopt);
  machine.run();
  EXPECT_EQ(machine.answers[number].status.code, "UNSUPPORTED");
  EXPECT_THAT(machine.answers[number].status.message, HasSubstr("takes reads and writes of its TCM"));
}

TEST(PeDma, NamesWhatWaits) {
  PeMachine machine(dma_alone());
  machine.memory.delay = 1000 * kNs;
  machine.platform->scheduler().set_time_limit(500 * kNs);
  Request second = transfer(machine, 7 * kNs, kRead, {{hbm(0), 256}});
  second.command.call_index = 12;
  machine.run({transfer(machine, 0_fs, kRead, {{hbm(0), 256}}), second});
  EXPECT_THAT(
      machine.wait_lines(kDma),
      ElementsAre("sip0.cube0.pe0.pe_dma: tl.load #12: a free read channel (1 of 1 busy) @7",
                  fmt::format("sip0.cube0.pe0.pe_dma: response of sip0.cube0.hbm_ctrl.pe0 to read of 256 B at {:#x} @0",
                              hbm(0))));
}

TEST(PeDma, CountsPerDirection) {
  PeMachine machine(dma_alone());
  const std::vector<Outcome> o = machine.run({transfer(machine, 0_fs, kRead, {{hbm(0), 4096}, {hbm(8192), 256}}),
                                              transfer(machine, 2 * kNs, kRead, {{hbm(0), 256}}),
                                              transfer(machine, 0_fs, kWrite, {{hbm(0), 512}})});
  const auto statistics = machine.statistics(kDma);
  EXPECT_EQ(statistics.at("read_commands"), 2);
  EXPECT_EQ(statistics.at("read_requests"), 3);
  EXPECT_EQ(statistics.at("read_bytes"), 4608);
  EXPECT_EQ(machine.time(kDma, "read_busy"), o[1].end);
  EXPECT_EQ(machine.time(kDma, "read_wait"), o[0].end - 2 * kNs);
  EXPECT_EQ(machine.time(kDma, "write_busy"), o[2].end);
  EXPECT_EQ(statistics.at("write_failures"), 0);
}

TEST(PeDma, ShowsBusyChannels) {
  PeMachine machine(dma_alone({{kAttrs + "rd_engines", "2"}}));
  const std::vector<Outcome> o =
      machine.run({transfer(machine, kNs, kRead, {{hbm(0), 256}}), transfer(machine, 2 * kNs, kRead, {{hbm(0), 256}})});
  EXPECT_THAT(machine.waves.changes["sip0.cube0.pe0.pe_dma.read_busy"],
              ElementsAre(Waves::Change(kNs, 1), Waves::Change(2 * kNs, 2), Waves::Change(o[0].end, 1),
                          Waves::Change(o[1].end, 0)));
}

}  // namespace
}  // namespace kb::test
