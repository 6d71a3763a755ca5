// The segments of a PE_DMA under the LA model: messages come from the M_CPU, accesses from a scripted requester.
#include "modules/pe/baaw.h"

#include <gmock/gmock.h>

#include "platform/address/address_space.h"
#include "platform/contract/command.h"
#include "tests/block/pe/pe_machine.h"
#include "tests/support/own_process.h"

namespace kb::test {
namespace {

using address::AddressSpace;
using address::Region;
using contract::CommandKind;
using testing::HasSubstr;
using topology::NodeKind;

const char* const kDma = "sip0.cube0.pe0.pe_dma";
constexpr std::uint64_t kLa = 0x1'0000'0000;
constexpr TimeFs kLater = 10000 * kNs;  // when every segment is in place

Extent la(std::uint64_t offset, std::uint64_t nbytes) {
  return {address::encode(AddressSpace::la, kLa + offset), nbytes};
}

MachineOptions machine_with(NodeKind requester, int baaw_ns = 0) {
  MachineOptions options;
  options.pes = 2;
  options.requesters = {requester};
  options.scripted_memory = true;
  options.set = {{"cube.memory_map.address_model", "la"},
                 {"cube.pe_template.components.pe_dma.attrs.baaw_overhead_ns", std::to_string(baaw_ns)}};
  return options;
}

std::size_t install(PeMachine& machine, TimeFs ready, std::vector<Region> segments) {
  payload::BaawSegmentInstallMsg message;
  message.segments = address::RegionList::make(std::move(segments), AddressSpace::la);
  return machine.send(kDma, ready, payload::Op::message, message);
}

std::size_t remove(PeMachine& machine, TimeFs ready, std::uint64_t offset, std::uint64_t nbytes) {
  payload::BaawSegmentRemoveMsg message;
  message.la_base = address::LogicalAddr(kLa + offset);
  message.la_size = nbytes;
  return machine.send(kDma, ready, payload::Op::message, message);
}

Request load(const PeMachine& machine, TimeFs at, std::vector<Extent> memory) {
  const std::uint64_t nbytes = total_bytes(memory);
  contract::Command command = dma(CommandKind::dma_read, std::move(memory), {{machine.tcm(0), nbytes}});
  command.call = "load";
  return {at, NodeKind::pe_dma, std::move(command), {}, {}};
}

// installed, collided with, removed, and free again.
TEST(Baaw, AppliesSegmentMessages) {
  PeMachine machine(machine_with(NodeKind::pe_scheduler));
  const std::size_t first = install(machine, 1000 * kNs, {{kLa, hbm(0), 4096}, {kLa + 4096, hbm(65536), 128}});
  const std::size_t collides = install(machine, 2000 * kNs, {{kLa + 4000, hbm(0), 4096}});
  const std::size_t removed = remove(machine, 3000 * kNs, 0, 4096 + 128);
  const std::size_t again = remove(machine, 4000 * kNs, 0, 4096 + 128);
  const std::size_t second = install(machine, 5000 * kNs, {{kLa + 4000, hbm(0), 4096}});
  machine.run();
  EXPECT_TRUE(machine.answers[first].status.ok);
  EXPECT_GT(machine.answers[first].completed, 1000 * kNs);
  EXPECT_EQ(machine.answers[collides].status.code, "ADDRESS_ERROR");
  EXPECT_THAT(machine.answers[collides].status.message,
              HasSubstr("sip0.cube0.pe0.pe_dma: the segments at LA 0x100000fa0 to 0x100001f9f collide with those at LA "
                        "0x100000000 to 0x10000107f"));
  EXPECT_TRUE(machine.answers[removed].status.ok);
  EXPECT_EQ(machine.answers[removed].completed - 3000 * kNs, machine.answers[first].completed - 1000 * kNs);
  EXPECT_THAT(machine.answers[again].status.message, HasSubstr("no segments of 4224 bytes are installed"));
  EXPECT_TRUE(machine.answers[second].status.ok);
  const auto statistics = machine.statistics(kDma);
  EXPECT_EQ(statistics.at("segment_installs"), 2);
  EXPECT_EQ(statistics.at("segment_removals"), 1);
  EXPECT_EQ(statistics.at("segments"), 3);
}

TEST(Baaw, RefusesOtherMessages) {
  PeMachine machine(machine_with(NodeKind::pe_scheduler));
  const std::size_t number = machine.send(kDma, 1000 * kNs, payload::Op::message, std::nullopt);
  machine.run();
  EXPECT_EQ(machine.answers[number].status.code, "UNSUPPORTED");
}

// split where segments end, one request each at the very times of the physical access; the report has
// physical addresses (P-78).
TEST(Baaw, ALogicalAccessIsThePhysicalOne) {
  PeMachine machine(machine_with(NodeKind::pe_scheduler));
  const std::uint64_t far = hbm(machine.slice_bytes() + 4096);
  install(machine, 1000 * kNs, {{kLa, hbm(8192), 128}, {kLa + 128, far, 128}, {kLa + 256, hbm(512), 8192}});
  const std::vector<Extent> physical{{hbm(8192 + 64), 64}, {far, 128}, {hbm(512), 4096}};
  const std::vector<Outcome> o =
      machine.run({load(machine, kLater, {la(64, 64 + 128 + 4096)}), load(machine, 2 * kLater, physical)});
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
}

TEST(Baaw, AnAddressInNoSegmentEndsTheCommand) {
  PeMachine machine(machine_with(NodeKind::pe_scheduler));
  install(machine, 1000 * kNs, {{kLa, hbm(0), 4096}});
  const std::vector<Outcome> o = machine.run(
      {load(machine, kLater, {la(2048, 4096)}), load(machine, kLater, {{address::encode(AddressSpace::va, kLa), 64}})});
  EXPECT_EQ(o[0].status.code, "SEGMENT_FAULT");
  EXPECT_EQ(o[0].status.fault_address, la(4096, 0).pa);
  EXPECT_THAT(o[0].status.message, HasSubstr("LA 0x100001000 is in no segment at this PE (in an access to 4096 bytes "
                                             "at LA 0x100000800)"));
  EXPECT_THAT(o[1].status.message, HasSubstr("VA 0x100000000 is in no segment"));
  EXPECT_TRUE(machine.memory.accesses.empty());
}

struct Measured {
  TimeFs time;
  std::int64_t translations;
  std::uint64_t events;
};

// One command at kLater in a process of its own, because a process elaborates once. Absent `baaw_ns`: physical
// addresses.
Measured measure(const contract::Command& command, std::optional<int> baaw_ns) {
  return test::in_own_process([&] {
    PeMachine machine(machine_with(NodeKind::pe_cpu, baaw_ns.value_or(0)));
    install(machine, 1000 * kNs, {{kLa, hbm(0), 4u << 20}});
    Request request{kLater, NodeKind::pe_scheduler, command, {}, {}};
    const auto make_logical = [&](std::vector<Extent>& extents) {
      for (Extent& extent : extents) extent.pa = la(extent.pa - hbm(0), 0).pa;
    };
    if (request.command.kind == CommandKind::dma_read) request.command.local = {{machine.tcm(0), 4096}};
    if (baaw_ns) {
      make_logical(request.command.memory);
      for (OperandRef& input : request.command.inputs) make_logical(input.extents);
      make_logical(request.command.out.extents);
    }
    const Outcome o = machine.run({request}).at(0);
    auto statistics = machine.statistics(kDma);
    return Measured{o.status.ok ? o.answered - kLater : 0_fs,
                    statistics["read_translations"] + statistics["write_translations"],
                    machine.platform->scheduler().events()};
  });
}

// charged by the rule of A-42, on both paths; with 0 no event.
TEST(Baaw, AnAccessCostsTheOverheadOnceOnBothPaths) {
  const contract::Command whole = dma(CommandKind::dma_read, {{hbm(0), 4096}}, {});
  const contract::Command tile = composite(32, 64, 32);  // one tile: reads A and B, writes C
  for (const contract::Command* command : {&whole, &tile}) {
    const Measured physical = measure(*command, std::nullopt);
    const Measured free = measure(*command, 0);
    const Measured charged = measure(*command, 7);
    ASSERT_GT(physical.time, 0_fs);
    const std::int64_t accesses = command == &whole ? 1 : 3;
    EXPECT_EQ(free.time, physical.time);
    EXPECT_EQ(free.events, physical.events);
    EXPECT_EQ(charged.time, physical.time + accesses * 7 * kNs);
    EXPECT_EQ(charged.translations, accesses);
    EXPECT_EQ(physical.translations, 0);
  }
}

}  // namespace
}  // namespace kb::test
