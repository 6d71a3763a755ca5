#include "sw/distributed/queue_plan.h"

#include <gmock/gmock.h>

#include "platform/address/phys_addr.h"
#include "platform/base/units.h"
#include "platform/contract/queues.h"
#include "platform/contract/tensor_layout.h"
#include "sw/runtime/runtime.h"
#include "tests/unit/sw/expect_error.h"
#include "tests/unit/sw/fake_host.h"

namespace kb::sw {
namespace {

using testing::any_kernel;
using testing::error_of;
using testing::FakeHost;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using topology::CclConfig;
using topology::WiringPreset;

contract::MachineInfo small() {  // 2 SIPs, 2 x 2 cubes, 2 PEs, HBM slices of 64 KiB
  contract::MachineInfo machine = FakeHost::small_machine();
  machine.tcm_bytes = 2 * kMiB;
  machine.scratch_bytes = kMiB;
  machine.tcm_reserved_bytes = 512 * kKiB;
  machine.sram_bytes = 4 * kMiB;
  return machine;
}

CclConfig ccl(const std::string& text) {
  return topology::load_ccl_text(text, "ccl.yaml");
}

PlannedQueues planned(const CclConfig& config, const contract::MachineInfo& machine, DeviceMemory& memory) {
  return plan_queues(make_wiring(config, machine), config, machine, memory);
}

TEST(QueuePlan, RingsLieDirectionByDirectionInTheirOwnersTcm) {
  const contract::MachineInfo machine = small();
  DeviceMemory memory(machine);
  const PlannedQueues queues = planned(topology::load_ccl(), machine, memory);
  ASSERT_EQ(queues.plan.pes.size(), 8u);  // PE 0 of each cube
  const contract::PeQueues& second = queues.plan.pes[1];
  ASSERT_EQ(second.pe, (PeCoord{SipId(0), CubeId(1), PeId(0)}));
  ASSERT_EQ(second.pairs.size(), 4u);
  // N S E W global_E global_W are directions 0 .. 5; cube 1 has no N and no E.
  const char* const labels[] = {"S", "W", "global_E", "global_W"};
  const std::uint64_t offsets[] = {1, 3, 4, 5};
  for (std::size_t i = 0; i < 4; ++i) {
    const contract::QueuePair& pair = second.pairs[i];
    EXPECT_EQ(pair.direction, labels[i]);
    EXPECT_EQ(pair.own->base_pa,
              address::PhysAddr::pe_tcm_addr(SipId(0), CubeId(1), PeId(0), offsets[i] * 16384).value());
    EXPECT_EQ(pair.own->owner, second.pe);
    EXPECT_EQ(pair.own->memory, QueueMemory::tcm);
    EXPECT_EQ(pair.own->n_slots, 4u);
    EXPECT_EQ(pair.own->slot_size, 4096u);
    EXPECT_EQ(pair.own->slot_pa(5), pair.own->base_pa + 4096);
  }
  EXPECT_EQ(second.pairs[1].peer->owner, (PeCoord{SipId(0), CubeId(0), PeId(0)}));
  EXPECT_EQ(second.pairs[1].peer->base_pa,  // W sends into the E ring of cube 0
            address::PhysAddr::pe_tcm_addr(SipId(0), CubeId(0), PeId(0), 2 * 16384).value());
  EXPECT_EQ(queues.memory.blocks().size(), 8u);
  EXPECT_EQ(queues.memory.blocks()[0].nbytes, 6u * 16384);
}

TEST(QueuePlan, CarriesTheProtocolsSettings) {
  const contract::MachineInfo machine = small();
  DeviceMemory memory(machine);
  const PlannedQueues queues = planned(ccl("defaults: { backpressure: poll, ipcq_poll_ns: 2, ipcq_credit_size_bytes: "
                                           "32, credit: fabric, slot_access: fabric }"),
                                       machine, memory);
  EXPECT_EQ(queues.plan.backpressure, Backpressure::poll);
  EXPECT_EQ(queues.plan.poll_interval, 2_ns);
  EXPECT_EQ(queues.plan.credit_bytes, 32u);
  EXPECT_EQ(queues.plan.credit, QueueTransport::fabric);
  EXPECT_EQ(queues.plan.slot_access, QueueTransport::fabric);
  const PlannedQueues plain = planned(ccl("defaults: { n_slots: 2 }"), machine, memory);
  EXPECT_EQ(plain.plan.backpressure, Backpressure::sleep);
  EXPECT_EQ(plain.plan.credit, QueueTransport::annotated);
  EXPECT_EQ(plain.plan.slot_access, QueueTransport::annotated);
}

TEST(QueuePlan, SramRingsOfACubeAreOneBlock) {
  const contract::MachineInfo machine = small();
  DeviceMemory memory(machine);
  const PlannedQueues queues =
      planned(ccl("defaults: { buffer_kind: sram, n_slots: 2, slot_size: 64, wiring: flat }"), machine, memory);
  EXPECT_EQ(queues.plan.pes.size(), 16u);
  ASSERT_EQ(queues.memory.blocks().size(), 8u);
  EXPECT_EQ(queues.memory.blocks()[3].nbytes, 2u * 2 * 128);           // 2 PEs, 2 directions
  const contract::QueueRing& ring = *queues.plan.pes[7].pairs[1].own;  // sip0.cube3.pe1 W
  EXPECT_EQ(ring.memory, QueueMemory::sram);
  EXPECT_EQ(ring.base_pa, address::PhysAddr::cube_sram_addr(SipId(0), CubeId(3), 3 * 128).value());
}

TEST(QueuePlan, HbmRingsAvoidTensorsAndEndWithThePlan) {
  FakeHost host(small());
  Runtime rt(host, &any_kernel);
  const PeCoord first{SipId(0), CubeId(0), PeId(0)};
  const Tensor before = rt.zeros({8, 64}, Dtype::f32, {});
  const std::uint64_t free = rt.free_bytes(first);
  {
    const PlannedQueues queues =
        planned(ccl("defaults: { buffer_kind: hbm, n_slots: 1, slot_size: 1024 }"), rt.machine(), rt.memory());
    EXPECT_EQ(rt.free_bytes(first), free - 6 * 1024);
    const Tensor after = rt.zeros({8, 64}, Dtype::f32, {});
    const std::uint64_t base = queues.memory.blocks()[0].pa;
    for (const Tensor& tensor : {before, after}) {
      const contract::Shard& shard = tensor.layout().shards[0];
      EXPECT_TRUE(shard.pa + shard.nbytes <= base || base + 6 * 1024 <= shard.pa);
    }
  }
  rt.close();
  EXPECT_TRUE(rt.memory_pristine());
}

TEST(QueuePlan, RingsThatNeverFitAreAConfigurationError) {
  const contract::MachineInfo machine = small();
  DeviceMemory memory(machine);
  EXPECT_EQ(error_of([&] { planned(ccl("defaults:\n  slot_size: 98304\n"), machine, memory); }, "CONFIGURATION_ERROR"),
            "ccl.yaml:2:14: defaults.slot_size: the message queues of sip0.cube0.pe0 need 2304 KiB of its TCM (6 rings "
            "of 4 slots of 98304 B, directions N S E W global_E global_W), but 512 KiB of 512 KiB are free (raise "
            "cube.memory_map.tcm_size_mb to 4, write 'buffer_kind: hbm', reduce slot_size to at most 21840, or reduce "
            "n_slots)");
  EXPECT_EQ(
      error_of(
          [&] { planned(ccl("defaults: { buffer_kind: sram, slot_size: 300000, wiring: flat }"), machine, memory); },
          "CONFIGURATION_ERROR"),
      "ccl.yaml:1:43: defaults.slot_size: the message queues of sip0.cube0 need 4.6 MiB (4800000 B) of its SRAM (4 "
      "rings of 4 slots of 300000 B, directions E W), but 4 MiB of 4 MiB are free (raise "
      "cube.components.sram.attrs.size_mb to 5, write 'buffer_kind: hbm', reduce slot_size to at most 262144, or "
      "reduce n_slots)");
  EXPECT_TRUE(memory.pristine());
  EXPECT_THAT(planned(ccl("defaults: { slot_size: 21824 }"), machine, memory).warnings, IsEmpty());  // fits
}

TEST(QueuePlan, RingsThatTensorsDisplaceAreAnAllocationError) {
  FakeHost host(small());
  Runtime rt(host, &any_kernel);
  DPPolicy policy;
  policy.num_cubes = policy.num_pes = 1;
  const Tensor fill = rt.empty({1, 60 * 1024}, Dtype::i8, policy);
  const CclConfig config = ccl("defaults: { buffer_kind: hbm, n_slots: 2, slot_size: 512 }");
  EXPECT_EQ(error_of([&] { planned(config, rt.machine(), rt.memory()); }, "ALLOCATION_ERROR"),
            "the message queues of sip0.cube0.pe0 need 6 KiB of its HBM slice (6 rings of 2 slots of 512 B, directions "
            "N S E W global_E global_W), but 4 KiB of 64 KiB are free; reduce slot_size to at most 336, or reduce "
            "n_slots, or drop tensors first");
}

TEST(QueuePlan, SaysWhenAChunkSizeHasNoEffect) {
  const contract::MachineInfo machine = small();
  DeviceMemory memory(machine);
  const auto warnings = planned(ccl("defaults: { vc_chunk_size: 512 }"), machine, memory).warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].text(),
            "ccl.yaml:1:28: defaults.vc_chunk_size: 512 B has no effect: the channels of PE_DMA take turns flit by "
            "flit, of 256 B (write 256, or leave the key out)");
  EXPECT_THAT(planned(ccl("defaults: { vc_chunk_size: 256 }"), machine, memory).warnings, IsEmpty());
}

TEST(QueuePlan, SaysWhichLinksAreNotInstalled) {  // Q-75 (3)
  const contract::MachineInfo machine = small();
  DeviceMemory memory(machine);
  const CclConfig config = ccl("defaults: { wiring: flat, topology: none }");
  const Wiring wiring = make_wiring(config, machine, [](int r) {
    return r < 2 ? NeighbourTable{{"mate", r ^ 1}, {"away", 7}} : NeighbourTable{};
  });
  const PlannedQueues queues = plan_queues(wiring, config, machine, memory);
  EXPECT_EQ(queues.plan.pes.size(), 2u);
  ASSERT_EQ(queues.warnings.size(), 1u);
  EXPECT_EQ(queues.warnings[0].text(),
            "ccl.yaml:1:37: defaults.topology: 2 of the links lead nowhere back and are not installed, the first is "
            "rank 0 'away' -> 7 (let each neighbour name the rank that names it)");
}

TEST(QueuePlan, TableDecodesEveryRing) {
  contract::MachineInfo machine = small();
  machine.cubes_per_sip = machine.cube_mesh_w = machine.cube_mesh_h = 1;
  DeviceMemory memory(machine);
  const CclConfig config =
      ccl("defaults: { algorithm: one_way }\nalgorithms: { one_way: { topology: ring_1d_unidir, world_size: 2 } }");
  const std::string table = queue_plan_table(planned(config, machine, memory).plan);
  const auto tcm = [](std::uint32_t sip, std::uint64_t offset) {
    const auto at = address::PhysAddr::pe_tcm_addr(SipId(sip), CubeId(0), PeId(0), offset);
    char hex[32];
    std::snprintf(hex, sizeof hex, "0x%llx", static_cast<unsigned long long>(at.value()));
    return std::string(hex) + " " + at.to_string();
  };
  const std::string own0 = tcm(0, 16384), own1 = tcm(1, 16384);
  const auto padded = [&](const std::string& text) {
    return text + std::string(std::max(own0.size(), own1.size()) - text.size(), ' ');
  };
  EXPECT_EQ(table, "PE              direction  " + padded("own ring") + "  peer ring\n" +
                       "sip0.cube0.pe0  E          " + padded("-") + "  sip1.cube0.pe0: " + own1 + "\n" +
                       "sip0.cube0.pe0  W          " + padded(own0) + "  -\n" + "sip1.cube0.pe0  E          " +
                       padded("-") + "  sip0.cube0.pe0: " + own0 + "\n" + "sip1.cube0.pe0  W          " + padded(own1) +
                       "  -\n");
}

// A sound plan that each case then breaks.
class BrokenPlan : public ::testing::Test {
 protected:
  BrokenPlan() : memory(machine), queues(planned(topology::load_ccl(), machine, memory)), plan(queues.plan) {}
  contract::QueuePair& pair(std::size_t pe, std::size_t index) { return plan.pes[pe].pairs[index]; }
  std::string problem() {
    return error_of([&] { verify_queue_plan(plan, machine); }, "MODEL_ERROR");
  }

  contract::MachineInfo machine = small();
  DeviceMemory memory;
  PlannedQueues queues;
  contract::QueuePlan plan;
};

TEST_F(BrokenPlan, SoundOnePasses) {
  verify_queue_plan(plan, machine);
}
TEST_F(BrokenPlan, RingsThatMeet) {
  pair(0, 1).own->base_pa = pair(0, 0).own->base_pa + 16383;
  EXPECT_THAT(problem(), HasSubstr("the rings of sip0.cube0.pe0 'S' [0x"));
}
TEST_F(BrokenPlan, RingThatNobodyReads) {
  pair(0, 0).peer->base_pa += 4096;
  EXPECT_THAT(problem(), HasSubstr("sip0.cube0.pe0 'S' sends to sip0.cube2.pe0 [0x"));
}
TEST_F(BrokenPlan, GeometryThatSenderAndReaderSeeDifferently) {
  pair(0, 0).peer->n_slots = 2;
  EXPECT_THAT(problem(), HasSubstr("which nobody reads"));
}
TEST_F(BrokenPlan, TwoSendersToOneRing) {
  pair(0, 1).peer = pair(3, 1).peer;
  EXPECT_THAT(problem(), HasSubstr("does not send back to it"));
  pair(0, 1).own.reset();
  pair(0, 1).peer = pair(0, 0).peer;
  EXPECT_THAT(problem(), HasSubstr("send to the same ring, that of sip0.cube2.pe0 'N'"));
}
TEST_F(BrokenPlan, SwappedPeers) {  // both rings have one writer, but not the paired one
  std::swap(pair(0, 0).peer, pair(0, 1).peer);
  EXPECT_THAT(problem(), HasSubstr("does not send back to it"));
}
TEST_F(BrokenPlan, OwnRingAsPeer) {
  pair(0, 0).peer = pair(0, 0).own;
  EXPECT_THAT(problem(), HasSubstr("sip0.cube0.pe0 'S' sends to its own ring"));
}
TEST_F(BrokenPlan, RingWithoutSender) {
  pair(0, 0).peer.reset();
  EXPECT_THAT(problem(), HasSubstr("sip0.cube2.pe0 'N' sends to sip0.cube0.pe0 'S', which does not send back to it"));
  pair(2, 0).own.reset();
  pair(2, 0).peer.reset();
  EXPECT_THAT(problem(), HasSubstr("sip0.cube2.pe0 'N' leads nowhere"));
  plan.pes[2].pairs.erase(plan.pes[2].pairs.begin());
  EXPECT_THAT(problem(), HasSubstr("nobody sends to the ring of sip0.cube0.pe0 'S'"));
}
TEST_F(BrokenPlan, RingInMemoryOfAnotherPe) {
  pair(0, 0).own->base_pa = address::PhysAddr::pe_tcm_addr(SipId(0), CubeId(0), PeId(1), 0).value();
  EXPECT_THAT(problem(), HasSubstr("which is not its tcm"));
}
TEST_F(BrokenPlan, RingInAnotherKindOfMemoryOrNone) {  // no synthetic addresses
  pair(0, 0).own->memory = QueueMemory::hbm;
  EXPECT_THAT(problem(), HasSubstr("which is not its hbm"));
  pair(0, 0).own->base_pa = std::uint64_t{1} << 60;
  EXPECT_THAT(problem(), HasSubstr("has its ring at 0x1000000000000000, which is not an address"));
}
TEST_F(BrokenPlan, RingPastItsMemory) {
  pair(0, 0).own->slot_size = kMiB;
  EXPECT_THAT(problem(), HasSubstr("ends past the 2 MiB that are built there"));
  pair(0, 0).own->slot_size = 200 * kKiB;
  EXPECT_THAT(problem(), HasSubstr("reaches into the kernels' part of the TCM"));
}
TEST_F(BrokenPlan, LabelsAndOrder) {
  pair(0, 1).direction = pair(0, 0).direction;
  EXPECT_THAT(problem(), HasSubstr("sip0.cube0.pe0 'S' is there twice"));
  std::swap(plan.pes[1], plan.pes[2]);
  pair(0, 1).direction = "x";
  EXPECT_THAT(problem(), HasSubstr("sip0.cube1.pe0 comes after sip0.cube2.pe0"));
}

}  // namespace
}  // namespace kb::sw
