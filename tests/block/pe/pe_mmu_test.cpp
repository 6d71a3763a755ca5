// PE_MMU and the translation in PE_DMA: map messages come from the M_CPU, accesses from a scripted requester.
#include "modules/pe/pe_mmu.h"

#include <gmock/gmock.h>

#include "modules/fabric/fabric_endpoint.h"
#include "platform/address/address_space.h"
#include "platform/contract/command.h"
#include "tests/block/pe/pe_machine.h"
#include "tests/support/own_process.h"

namespace kb::test {
namespace {

using address::AddressSpace;
using address::Region;
using contract::CommandKind;
using testing::ElementsAre;
using testing::HasSubstr;
using topology::NodeKind;

const char* const kMmu = "sip0.cube0.pe0.pe_mmu";
const char* const kDma = "sip0.cube0.pe0.pe_dma";
const std::string kAttrs = "cube.pe_template.components.pe_mmu.attrs.";
constexpr std::uint64_t kVa = 0x1'0000'0000;
constexpr TimeFs kLater = 10000 * kNs;  // when every mapping is in place

Extent va(std::uint64_t offset, std::uint64_t nbytes) {
  return {address::encode(AddressSpace::va, kVa + offset), nbytes};
}

MachineOptions machine_with(NodeKind requester, std::vector<std::pair<std::string, std::string>> set = {}) {
  MachineOptions options;
  options.pes = 2;
  options.requesters = {requester};
  options.scripted_memory = true;
  options.set = std::move(set);
  options.set.emplace_back("cube.memory_map.address_model", "va");
  return options;
}

std::size_t map(PeMachine& machine, TimeFs ready, std::vector<Region> regions, bool unmap = false) {
  payload::MmuMapMsg message;
  message.unmap = unmap;
  message.entries = address::RegionList::make(std::move(regions));
  return machine.send(kMmu, ready, payload::Op::message, message);
}

Request transfer(const PeMachine& machine, TimeFs at, CommandKind kind, std::vector<Extent> memory) {
  const std::uint64_t nbytes = total_bytes(memory);
  contract::Command command = dma(kind, std::move(memory), {{machine.tcm(0), nbytes}});
  command.call = kind == CommandKind::dma_read ? "load" : "store";
  return {at, NodeKind::pe_dma, std::move(command), {}, {}};
}

// A-47 .. A-49: the answer comes when the table has changed, a round trip after the message was sent.
TEST(PeMmu, AppliesMapAndUnmapMessages) {
  PeMachine machine(machine_with(NodeKind::pe_scheduler));
  const std::size_t mapped = map(machine, 1000 * kNs, {{kVa, hbm(0), 4096}, {kVa + 4096, hbm(65536), 128}});
  const std::size_t unmapped = map(machine, 2000 * kNs, {{kVa, 0, 4096}}, true);
  const auto& mmu = machine.platform->block_as<modules::PeMmu>(machine.node(kMmu));
  machine.run();
  EXPECT_TRUE(machine.answers[mapped].status.ok);
  EXPECT_GT(machine.answers[mapped].completed, 1000 * kNs);
  EXPECT_TRUE(machine.answers[unmapped].status.ok);
  EXPECT_EQ(machine.answers[unmapped].completed - 2000 * kNs, machine.answers[mapped].completed - 1000 * kNs);
  EXPECT_EQ(mmu.table().regions(), 1u);
  const auto statistics = machine.statistics(kMmu);
  EXPECT_EQ(statistics.at("maps"), 1);
  EXPECT_EQ(statistics.at("unmaps"), 1);
  EXPECT_EQ(statistics.at("regions"), 2);
  EXPECT_EQ(statistics.at("shared_pages"), 0);
}

// one message at a time, each takes update_overhead_ns.
TEST(PeMmu, UpdatesTakeTheirTimeOneAfterTheOther) {
  PeMachine machine(machine_with(NodeKind::pe_scheduler, {{kAttrs + "update_overhead_ns", "30"}}));
  const std::size_t first = map(machine, 1000 * kNs, {{kVa, hbm(0), 4096}});
  const std::size_t second = map(machine, 1000 * kNs, {{kVa + 4096, hbm(0), 4096}});
  const std::size_t third = map(machine, 2000 * kNs, {{kVa + 8192, hbm(0), 4096}});
  machine.run();
  const TimeFs back = machine.answers[third].completed - 2030 * kNs;
  EXPECT_GT(back, 0_fs);
  EXPECT_EQ(machine.answers[first].completed, 1030 * kNs + back);
  EXPECT_EQ(machine.answers[second].completed, 1060 * kNs + back);
}

TEST(PeMmu, NamesTheUpdatesThatTakeTheirTime) {
  PeMachine machine(machine_with(NodeKind::pe_scheduler, {{kAttrs + "update_overhead_ns", "500"}}));
  map(machine, 1000 * kNs, {{kVa, hbm(0), 4096}});
  machine.platform->scheduler().set_time_limit(1200 * kNs);
  machine.run();
  EXPECT_THAT(machine.wait_lines(kMmu), ElementsAre("sip0.cube0.pe0.pe_mmu: map #0: its table update @1000"));
}

TEST(PeMmu, RefusesWhatIsNoMapMessage) {
  PeMachine machine(machine_with(NodeKind::pe_scheduler));
  const std::size_t number = machine.send(kMmu, 1000 * kNs, payload::Op::message, std::nullopt);
  machine.run();
  EXPECT_EQ(machine.answers[number].status.code, "UNSUPPORTED_REQUEST");
}

// an access is split where the mappings end, at the very times of the physical access, and the report has
// physical addresses (P-78).
TEST(PeMmu, AVirtualAccessIsThePhysicalOne) {
  PeMachine machine(machine_with(NodeKind::pe_scheduler));
  const std::uint64_t far = hbm(machine.slice_bytes() + 4096);
  map(machine, 1000 * kNs, {{kVa, hbm(8192), 128}, {kVa + 128, far, 128}, {kVa + 256, hbm(512), 8192}});
  const std::vector<Extent> physical{{hbm(8192 + 64), 64}, {far, 128}, {hbm(512), 4096}};
  const std::vector<Outcome> o =
      machine.run({transfer(machine, kLater, CommandKind::dma_read, {va(64, 64 + 128 + 4096)}),
                   transfer(machine, 2 * kLater, CommandKind::dma_read, physical)});
  ASSERT_TRUE(o[0].status.ok) << o[0].status.message;
  EXPECT_EQ(o[0].end - kLater, o[1].end - 2 * kLater);
  const auto& accesses = machine.memory.accesses;
  ASSERT_EQ(accesses.size(), 6u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(accesses[i].node, accesses[i + 3].node);
    EXPECT_EQ(accesses[i].address, accesses[i + 3].address);
    EXPECT_EQ(accesses[i].hbm_offset, accesses[i + 3].hbm_offset);
    EXPECT_EQ(accesses[i].bytes, accesses[i + 3].bytes);
    EXPECT_EQ(accesses[i].arrived - kLater, accesses[i + 3].arrived - 2 * kLater);
  }
  EXPECT_EQ(machine.log.commands.at(0).memory, physical);
  const auto statistics = machine.statistics(kDma);
  EXPECT_EQ(statistics.at("read_translations"), 1);
  EXPECT_EQ(statistics.at("read_fallbacks"), 1);
  EXPECT_EQ(machine.statistics(kMmu).at("shared_pages"), 1);
}

TEST(PeMmu, AnAddressWithoutAMappingEndsTheCommand) {
  PeMachine machine(machine_with(NodeKind::pe_scheduler));
  map(machine, 1000 * kNs, {{kVa, hbm(0), 4096}});
  const std::vector<Outcome> o =
      machine.run({transfer(machine, kLater, CommandKind::dma_read, {va(2048, 4096)}),
                   transfer(machine, kLater, CommandKind::dma_write, {va(1u << 20, 64)}),
                   transfer(machine, kLater, CommandKind::dma_read, {{address::encode(AddressSpace::la, 5), 64}})});
  EXPECT_EQ(o[0].status.code, "PAGE_FAULT");
  EXPECT_EQ(o[0].status.fault_address, va(4096, 0).pa);
  EXPECT_THAT(o[0].status.message, HasSubstr("VA 0x100001000 is not mapped at this PE"));
  EXPECT_THAT(o[0].status.message, HasSubstr("an access to 4096 bytes at VA 0x100000800"));
  EXPECT_EQ(o[1].status.code, "PAGE_FAULT");
  EXPECT_THAT(o[2].status.message, HasSubstr("LA 0x5 is not mapped"));
  EXPECT_TRUE(machine.memory.accesses.empty());
}

// a virtual address is never taken for the physical one of the same number.
TEST(PeMmu, WithoutVirtualMemoryTheTagIsRefused) {
  MachineOptions options = machine_with(NodeKind::pe_scheduler);
  options.set.back().second = "pa";
  PeMachine machine(options);
  const std::vector<Outcome> o = machine.run({transfer(machine, kLater, CommandKind::dma_read, {va(0, 64)})});
  EXPECT_EQ(o[0].status.code, "ADDRESS_ERROR");
  EXPECT_THAT(o[0].status.message, HasSubstr("cube.memory_map.address_model"));
}

struct Measured {
  TimeFs time;
  std::int64_t reads;
  std::int64_t read_translations;
  std::int64_t write_translations;
  std::uint64_t events;
};

// One command at kLater in a process of its own, because a process elaborates once. Absent `tlb_ns`: physical
// addresses.
Measured measure(const contract::Command& command, std::optional<int> tlb_ns) {
  return test::in_own_process([&] {
    PeMachine machine(
        machine_with(NodeKind::pe_cpu, {{kAttrs + "tlb_overhead_ns", std::to_string(tlb_ns.value_or(0))}}));
    map(machine, 1000 * kNs, {{kVa, hbm(0), 4u << 20}});
    Request request{kLater, NodeKind::pe_scheduler, command, {}, {}};
    const auto make_virtual = [&](std::vector<Extent>& extents) {
      for (Extent& extent : extents) extent.pa = va(extent.pa - hbm(0), 0).pa;
    };
    if (request.command.kind == CommandKind::dma_read) request.command.local = {{machine.tcm(0), 4096}};
    if (tlb_ns) {
      make_virtual(request.command.memory);
      for (OperandRef& input : request.command.inputs) make_virtual(input.extents);
      make_virtual(request.command.out.extents);
    }
    const Outcome o = machine.run({request}).at(0);
    auto statistics = machine.statistics(kDma);
    return Measured{o.status.ok ? o.answered - kLater : 0_fs, statistics["read_commands"],
                    statistics["read_translations"], statistics["write_translations"],
                    machine.platform->scheduler().events()};
  });
}

// A-42 .. A-44: an access costs tlb_overhead_ns once, a load as well as the stage of a tile; with 0 it
// adds no event.
TEST(PeMmu, ATranslatedAccessCostsTheSameOnBothPaths) {
  const contract::Command load = dma(CommandKind::dma_read, {{hbm(0), 4096}}, {});
  const contract::Command tile = composite(32, 64, 32);  // one tile: reads A and B, writes C
  for (const contract::Command* command : {&load, &tile}) {
    const Measured physical = measure(*command, std::nullopt);
    const Measured free = measure(*command, 0);
    const Measured charged = measure(*command, 7);
    ASSERT_GT(physical.time, 0_fs);
    const std::int64_t accesses = command == &load ? 1 : 3;
    EXPECT_EQ(free.time, physical.time);
    EXPECT_EQ(free.events, physical.events);
    EXPECT_EQ(charged.time, physical.time + accesses * 7 * kNs);
    EXPECT_EQ(charged.read_translations + charged.write_translations, accesses);
    EXPECT_EQ(charged.read_translations, charged.reads);
    EXPECT_EQ(physical.read_translations, 0);
  }
}

}  // namespace
}  // namespace kb::test
