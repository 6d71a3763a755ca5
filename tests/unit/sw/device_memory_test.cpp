#include "sw/runtime/device_memory.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "platform/base/units.h"
#include "platform/contract/tensor_layout.h"
#include "tests/unit/sw/expect_error.h"
#include "tests/unit/sw/fake_host.h"

namespace kb::sw {
namespace {

using testing::error_of;
using testing::FakeHost;
using ::testing::HasSubstr;

contract::MachineInfo machine_with_sram() {
  contract::MachineInfo machine = FakeHost::small_machine();
  machine.sram_bytes = 256 * kKiB;
  return machine;
}

PeCoord pe(std::uint32_t sip, std::uint32_t cube, std::uint32_t index) {
  return {SipId(sip), CubeId(cube), PeId(index)};
}

TEST(DeviceMemoryReservation, AddressesDecodeToTheirOwners) {
  DeviceMemory memory(machine_with_sram());
  const MemoryReservation tcm = memory.reserve(QueueMemory::tcm, {{pe(1, 2, 1), 4096}});
  const address::PhysAddr at_tcm = address::PhysAddr::decode(tcm.blocks()[0].pa);
  EXPECT_TRUE(at_tcm.is_tcm());
  EXPECT_EQ(at_tcm.pe(), PeId(1));
  const MemoryReservation hbm = memory.reserve(QueueMemory::hbm, {{pe(1, 2, 1), 4096}});
  const address::PhysAddr at_hbm = address::PhysAddr::decode(hbm.blocks()[0].pa);
  EXPECT_TRUE(at_hbm.is_hbm());
  EXPECT_EQ(at_hbm.hbm_offset() / (64 * kKiB), 1u);
  const MemoryReservation sram = memory.reserve(QueueMemory::sram, {{pe(1, 2, 1), 4096}});
  const address::PhysAddr at_sram = address::PhysAddr::decode(sram.blocks()[0].pa);
  EXPECT_TRUE(at_sram.is_sram());
  for (const address::PhysAddr& at : {at_tcm, at_hbm, at_sram}) {
    EXPECT_EQ(at.sip(), SipId(1));
    EXPECT_EQ(at.cube(), CubeId(2));
  }
}

TEST(DeviceMemoryReservation, IsAllOrNothing) {
  DeviceMemory memory(machine_with_sram());
  const std::vector<DeviceMemory::Request> requests{{pe(0, 0, 0), 4096}, {pe(0, 0, 1), 65 * kKiB}};
  const auto shortage = memory.shortage(QueueMemory::hbm, requests);
  ASSERT_TRUE(shortage.has_value());
  EXPECT_EQ(shortage->request.owner, pe(0, 0, 1));
  EXPECT_EQ(shortage->largest_free_block, 64 * kKiB);
  EXPECT_EQ(shortage->capacity, 64 * kKiB);
  EXPECT_THAT(error_of([&] { memory.reserve(QueueMemory::hbm, requests); }, "ALLOCATION_ERROR"),
              HasSubstr("sip0.cube0.pe1 HBM slice"));
  EXPECT_TRUE(memory.pristine());
}

TEST(DeviceMemoryReservation, LeavesKernelScratchAndTheSchedulersPartAlone) {
  contract::MachineInfo machine = machine_with_sram();                         // 1 MiB of TCM, 512 KiB of scratch
  machine.tcm_reserved_bytes = 256 * kKiB;
  DeviceMemory memory(machine);
  EXPECT_FALSE(memory.shortage(QueueMemory::tcm, {{pe(0, 0, 0), 256 * kKiB}}));
  EXPECT_TRUE(memory.shortage(QueueMemory::tcm, {{pe(0, 0, 0), 256 * kKiB + 1}}));
}

TEST(DeviceMemoryReservation, EndsWithItsObjectOnce) {
  auto memory = std::make_unique<DeviceMemory>(machine_with_sram());
  {
    MemoryReservation first = memory->reserve(QueueMemory::sram, {{pe(0, 1, 0), 100}});
    MemoryReservation moved = std::move(first);
    first.release();
    EXPECT_FALSE(memory->pristine());
    moved = memory->reserve(QueueMemory::tcm, {{pe(0, 1, 0), 100}});
    EXPECT_FALSE(memory->pristine());
    moved.release();
    EXPECT_TRUE(memory->pristine());
  }
  const MemoryReservation late = memory->reserve(QueueMemory::tcm, {{pe(0, 1, 0), 100}});
  memory.reset();  // the reservation ends after it
  EXPECT_EQ(late.blocks().size(), 1u);
}

// What is held, in the words of bytes: no byte is given out twice and giving back loses none.
RC_GTEST_PROP(DeviceMemoryProperty, TensorsAndReservationsNeverShareAByte, ()) {
  DeviceMemory memory(machine_with_sram());
  std::vector<std::vector<contract::Shard>> tensors;
  std::vector<MemoryReservation> reservations;
  for (int step = 0; step < 30; ++step) {
    const PeCoord owner = pe(*rc::gen::inRange(0u, 2u), *rc::gen::inRange(0u, 2u), *rc::gen::inRange(0u, 2u));
    const std::uint64_t nbytes = *rc::gen::inRange<std::uint64_t>(1, 20000);
    const int action = *rc::gen::inRange(0, 4);
    if (action == 0) {
      ShardSpec shard;
      shard.owner = owner;
      shard.nbytes = nbytes;
      if (!memory.shortage(QueueMemory::hbm, {{owner, nbytes + 256}})) tensors.push_back(memory.allocate("t", {shard}));
    } else if (action == 1 || action == 2) {
      const auto kind = *rc::gen::element(QueueMemory::tcm, QueueMemory::sram, QueueMemory::hbm);
      if (!memory.shortage(kind, {{owner, nbytes + 256}}))
        reservations.push_back(memory.reserve(kind, {{owner, nbytes}}));
    } else if (!reservations.empty()) {
      reservations.erase(reservations.begin() +
                         *rc::gen::inRange<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(reservations.size())));
    } else if (!tensors.empty()) {
      memory.free(tensors.back());
      tensors.pop_back();
    }
    std::vector<std::pair<std::uint64_t, std::uint64_t>> held;
    for (const auto& tensor : tensors) held.emplace_back(tensor[0].pa, tensor[0].pa + tensor[0].nbytes);
    for (const auto& r : reservations) held.emplace_back(r.blocks()[0].pa, r.blocks()[0].pa + r.blocks()[0].nbytes);
    for (std::size_t a = 0; a < held.size(); ++a) {
      for (std::size_t b = a + 1; b < held.size(); ++b) {
        RC_ASSERT(held[a].second <= held[b].first || held[b].second <= held[a].first);
      }
    }
  }
  for (const auto& tensor : tensors) memory.free(tensor);
  reservations.clear();
  RC_ASSERT(memory.pristine());
}

}  // namespace
}  // namespace kb::sw
