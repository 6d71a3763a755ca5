// PE_DMA on machines with a router per HBM channel: hbm_mapping_mode one_to_one.
#include <gmock/gmock.h>

#include <cstdlib>

#include "platform/address/address_space.h"
#include "platform/contract/command.h"
#include "tests/block/pe/pe_machine.h"
#include "tests/support/own_process.h"

namespace kb::test {
namespace {

using address::AddressSpace;
using address::Region;
using contract::CommandKind;
using testing::Each;
using testing::Field;
using topology::NodeKind;

const char* const kDma = "sip0.cube0.pe0.pe_dma";
constexpr std::uint64_t kLa = 0x1'0000'0000;
constexpr TimeFs kLater = 10000 * kNs;  // when every segment is in place

struct Machine {
  int channels = 8;
  bool one_to_one = true;
  std::vector<std::pair<std::string, std::string>> set;
  bool scripted_memory = false;
};

MachineOptions options_of(const Machine& machine) {
  MachineOptions options;
  options.pes = 2;
  options.requesters = {NodeKind::pe_scheduler};
  options.scripted_memory = machine.scripted_memory;
  options.set = {{"cube.memory_map.address_model", "la"},
                 {"cube.memory_map.hbm_mapping_mode", machine.one_to_one ? "one_to_one" : "n_to_one"},
                 {"cube.memory_map.hbm_channels_per_pe", std::to_string(machine.channels)}};
  options.set.insert(options.set.end(), machine.set.begin(), machine.set.end());
  return options;
}

// The tensor at kLa: 16 MiB of PE 0's partition, then 16 MiB of PE 1's.
constexpr std::uint64_t kShard = 16u << 20;
void install(PeMachine& machine) {
  payload::BaawSegmentInstallMsg message;
  message.segments = address::RegionList::make(
      {{kLa, hbm(8192), kShard}, {kLa + kShard, hbm(machine.slice_bytes() + 4096), kShard}}, AddressSpace::la);
  machine.send(kDma, 1000 * kNs, payload::Op::message, message);
}

Extent la(std::uint64_t offset, std::uint64_t nbytes) {
  return {address::encode(AddressSpace::la, kLa + offset), nbytes};
}

Request access(const PeMachine& machine, TimeFs at, CommandKind kind, std::vector<Extent> memory) {
  const std::uint64_t nbytes = total_bytes(memory);
  contract::Command command = dma(kind, std::move(memory), {{machine.tcm(0), nbytes}});
  command.call = kind == CommandKind::dma_read ? "load" : "store";
  return {at, NodeKind::pe_dma, std::move(command), {}, {}};
}

// N requests and not one; physical addresses stay those of contiguous memory.
TEST(HbmChannels, AnAccessIsOneRequestPerChannel) {
  for (const int channels : {4, 8, 16}) {
    EXPECT_EQ(in_own_process([&] {
                PeMachine machine(options_of({channels, true, {}, true}));
                install(machine);
                machine.run({access(machine, kLater, CommandKind::dma_read, {la(0, 4096)})});
                const auto& accesses = machine.memory.accesses;
                if (accesses.size() != static_cast<std::size_t>(channels)) return 1;
                for (std::size_t i = 0; i < accesses.size(); ++i) {
                  if (accesses[i].address != hbm(8192) + i * 256 || accesses[i].hbm_offset != 8192 + i * 256) return 2;
                  if (accesses[i].bytes != 4096u / static_cast<unsigned>(channels)) return 3;
                  if (accesses[i].arrived != accesses[0].arrived) return 4;  // at the same time
                  if (accesses[i].node != machine.node("sip0.cube0.hbm_ctrl.pe0")) return 5;
                }
                return machine.statistics(kDma).at("read_requests") == channels ? 0 : 6;
              }),
              0)
        << channels;
  }
}

TEST(HbmChannels, OtherMemoryIsReachedAsUnderNToOne) {  // another PE's shard, a physical address
  PeMachine machine(options_of({8, true, {}, true}));
  install(machine);
  machine.run({access(machine, kLater, CommandKind::dma_read, {la(kShard, 4096)}),
               access(machine, 2 * kLater, CommandKind::dma_write, {{hbm(8192), 4096}})});
  const auto& accesses = machine.memory.accesses;
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_THAT(accesses, Each(Field(&MemoryScript::Access::bytes, 4096u)));
  EXPECT_EQ(accesses[0].node, machine.node("sip0.cube0.hbm_ctrl.pe1"));
  EXPECT_EQ(accesses[1].node, machine.node("sip0.cube0.hbm_ctrl.pe0"));
}

TEST(HbmChannels, ACommandIsOneRecordAndEndsWithItsLastRequest) {
  PeMachine machine(options_of({8, true, {}, true}));
  install(machine);
  const std::vector<Outcome> o =
      machine.run({access(machine, kLater, CommandKind::dma_write, {la(100, 700), la(kShard - 512, 1024)})});
  ASSERT_TRUE(o[0].status.ok) << o[0].status.message;
  EXPECT_EQ(machine.memory.accesses.size(), 4u + 2u + 1u);  // 100 .. 799, the last two chunks, the other PE's
  ASSERT_EQ(machine.log.commands.size(), 1u);
  EXPECT_EQ(machine.log.commands[0].memory,
            (std::vector<Extent>{
                {hbm(8192 + 100), 700}, {hbm(8192 + kShard - 512), 512}, {hbm(machine.slice_bytes() + 4096), 512}}));
}

TEST(HbmChannels, AFailingRequestFailsTheCommandOnce) {
  PeMachine machine(options_of({8, true, {}, true}));
  install(machine);
  machine.memory.status = [](const payload::Transaction& t) {
    return t.address == hbm(8192) + 3 * 256 ? payload::Status{false, "BROKEN", "channel 3"} : payload::Status{};
  };
  const std::vector<Outcome> o = machine.run({access(machine, kLater, CommandKind::dma_read, {la(0, 4096)})});
  EXPECT_EQ(o[0].status.code, "BROKEN");
  EXPECT_TRUE(machine.log.commands.empty());
}

// Time from start to end with real memory.
TimeFs time_of(const Machine& shape, CommandKind kind, const std::vector<Extent>& memory) {
  return in_own_process([&] {
    PeMachine machine(options_of(shape));
    install(machine);
    const Outcome o = machine.run({access(machine, kLater, kind, memory)}).at(0);
    return o.status.ok ? o.end - o.start : -1_fs;
  });
}

// whole stripes, also where the PE's link is wider or the HBM slower. The times are equal to the
// femtosecond.
TEST(HbmChannels, MoveLargeAccessesInTheSameTime) {
  const std::vector<std::vector<std::pair<std::string, std::string>>> links{
      {}, {{"cube.links.pe_to_router_bw_gbs", "1024"}}, {{"cube.components.hbm_ctrl.attrs.efficiency", "0.5"}}};
  for (const int channels : {4, 8, 16}) {
    for (const CommandKind kind : {CommandKind::dma_read, CommandKind::dma_write}) {
      for (const auto& set : links) {
        if (channels == 16 && set.empty()) continue;  // 512 GB/s of HBM behind a link of 256: below
        for (const std::uint64_t nbytes : {4096u, 65536u, 1u << 20}) {
          const TimeFs together = time_of({channels, false, set, false}, kind, {la(0, nbytes)});
          EXPECT_GT(together, 0_fs);
          EXPECT_EQ(together, time_of({channels, true, set, false}, kind, {la(0, nbytes)}))
              << channels << " channels, " << nbytes << " bytes";
        }
      }
    }
  }
}

// A-84 where the PE's link is the limit: a flit is N times as long on a channel, which is paid once.
TEST(HbmChannels, TogetherAreAsWideAsTheLinkOfThePe) {
  const Machine joined{16, false, {}, false}, split{16, true, {}, false};
  const std::vector<Extent> memory{la(0, 1u << 20)};
  const TimeFs a = time_of(joined, CommandKind::dma_read, memory);
  const TimeFs b = time_of(split, CommandKind::dma_read, memory);
  EXPECT_GT(a, 4096 * kNs);        // 1 MiB at 256 GB/s
  EXPECT_EQ(b - a, 15 * kNs / 2);  // 15 flits of 256 B at 512 GB/s
}

// what touches one channel only runs at the bandwidth of that channel.
TEST(HbmChannels, OneChannelAloneIsSlow) {
  std::vector<Extent> one_channel, all_channels;
  for (std::uint64_t i = 0; i < 256; ++i) {
    one_channel.push_back(la(i * 8 * 256, 256));
    all_channels.push_back(la(i * 256, 256));
  }
  const auto gbs = [](TimeFs time) { return 65536.0 / (fs_to_ns(time)); };
  const double slow = gbs(time_of({}, CommandKind::dma_read, one_channel));
  EXPECT_NEAR(slow, 32.0, 0.5);
  EXPECT_LE(slow, 32.0);
  EXPECT_NEAR(gbs(time_of({}, CommandKind::dma_read, all_channels)), 256.0, 20.0);
}

}  // namespace
}  // namespace kb::test
