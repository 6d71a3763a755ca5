#include "platform/address/allocator.h"

#include <gtest/gtest.h>

#include "platform/base/error.h"
#include "platform/base/units.h"

namespace kb::address {
namespace {

AddressConfig small_machine() {
  AddressConfig config;
  config.sips = 2;
  config.cubes_per_sip = 4;
  config.pes_per_cube = 8;
  config.hbm_bytes_per_cube = 48 * kGiB;
  config.hbm_slice_bytes = 6 * kGiB;
  config.tcm_bytes_per_pe = 2 * kMiB;
  config.tcm_scheduler_reserved_bytes = 512 * kKiB;
  config.tcm_kernel_scratch_bytes = 1 * kMiB;
  config.sram_bytes_per_cube = 32 * kMiB;
  return config;
}

const PeCoord kPe{SipId(1), CubeId(2), PeId(3)};

//
TEST(PeAllocator, ReturnsCompleteAddressesOfItsOwnSlice) {
  PeAllocator allocator(small_machine(), kPe);
  EXPECT_EQ(allocator.alloc_hbm(100), PhysAddr::pe_hbm_addr(kPe.sip, kPe.cube, kPe.pe, 0, 6 * kGiB));
  EXPECT_EQ(allocator.alloc_hbm(100), PhysAddr::pe_hbm_addr(kPe.sip, kPe.cube, kPe.pe, 256, 6 * kGiB));
  EXPECT_EQ(allocator.alloc_tcm(20), PhysAddr::pe_tcm_addr(kPe.sip, kPe.cube, kPe.pe, 0));
  EXPECT_EQ(allocator.alloc_tcm(16), PhysAddr::pe_tcm_addr(kPe.sip, kPe.cube, kPe.pe, 32));
}

// A-106 for the free lists: deploy, clean up, deploy again gives the same addresses.
TEST(PeAllocator, FreeRecoversTheOffset) {
  PeAllocator allocator(small_machine(), kPe);
  const PhysAddr a = allocator.alloc_hbm(1000);
  const PhysAddr b = allocator.alloc_hbm(5000);
  const PhysAddr t = allocator.alloc_tcm(1000);
  allocator.free_hbm(a, 1000);
  EXPECT_EQ(allocator.alloc_hbm(1000), a);
  allocator.free_hbm(b, 5000);
  allocator.free_hbm(a, 1000);
  EXPECT_FALSE(allocator.pristine());
  allocator.free_tcm(t, 1000);
  EXPECT_TRUE(allocator.pristine());
}

TEST(PeAllocator, RefusesAddressesOfOtherMemories) {
  PeAllocator allocator(small_machine(), kPe);
  allocator.alloc_hbm(256);
  EXPECT_THROW(allocator.free_hbm(PhysAddr::pe_hbm_addr(kPe.sip, kPe.cube, PeId(2), 0, 6 * kGiB), 256), Error);
  EXPECT_THROW(allocator.free_hbm(PhysAddr::pe_hbm_addr(SipId(0), kPe.cube, kPe.pe, 0, 6 * kGiB), 256), Error);
  EXPECT_THROW(allocator.free_hbm(PhysAddr::pe_tcm_addr(kPe.sip, kPe.cube, kPe.pe, 0), 256), Error);
  EXPECT_THROW(allocator.free_tcm(PhysAddr::pe_tcm_addr(kPe.sip, kPe.cube, PeId(4), 0), 256), Error);
  EXPECT_EQ(allocator.hbm().used_bytes(), 256u);
}

// blocks never reach kernel scratch or the scheduler's part.
TEST(PeAllocator, HandsOutOnlyTheAllocatableTcm) {
  const AddressConfig config = small_machine();
  PeAllocator allocator(config, kPe);
  const std::uint64_t limit = config.tcm_partition().scratch_offset;
  EXPECT_EQ(limit, 512 * kKiB);
  std::uint64_t last = 0;
  for (std::uint64_t taken = 0; taken < limit; taken += 64 * kKiB) {
    last = allocator.alloc_tcm(64 * kKiB).offset() + 64 * kKiB;
  }
  EXPECT_EQ(last, limit);
  try {
    allocator.alloc_tcm(1);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "ALLOCATION_ERROR");
    EXPECT_STREQ(error.what(),
                 "sip1.cube2.pe3 TCM is out of memory: 16 bytes required, the largest free block has 0 bytes (0 of "
                 "524288 bytes are free)");
  }
}

TEST(PeAllocator, NamesTheFullHbmSlice) {
  PeAllocator allocator(small_machine(), kPe);
  try {
    allocator.alloc_hbm(7 * static_cast<std::int64_t>(kGiB));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).rfind("sip1.cube2.pe3 HBM slice is out of memory", 0), 0u) << error.what();
  }
}

//
TEST(SramAllocator, AllocatesInTheCubesSram) {
  SramAllocator allocator(small_machine(), SipId(0), CubeId(3));
  const PhysAddr a = allocator.alloc(10);
  EXPECT_EQ(a, PhysAddr::cube_sram_addr(SipId(0), CubeId(3), 0));
  EXPECT_EQ(allocator.alloc(10), PhysAddr::cube_sram_addr(SipId(0), CubeId(3), 16));
  EXPECT_THROW(allocator.free(PhysAddr::cube_sram_addr(SipId(0), CubeId(2), 0), 10), Error);
  allocator.free(a, 10);
  EXPECT_EQ(allocator.list().used_bytes(), 16u);
  EXPECT_THROW(allocator.alloc(33 * static_cast<std::int64_t>(kMiB)), Error);
}

//
TEST(VaAllocator, RoundsToPagesFromTheBase) {
  VaAllocator allocator(4096);
  EXPECT_EQ(allocator.alloc(1), VirtAddr(0x1'0000'0000));
  EXPECT_EQ(allocator.alloc(4097), VirtAddr(0x1'0000'1000));
  EXPECT_EQ(allocator.alloc(4096), VirtAddr(0x1'0000'3000));
  allocator.free(VirtAddr(0x1'0000'1000), 4097);
  EXPECT_EQ(allocator.alloc(8192), VirtAddr(0x1'0000'1000));
}

//
TEST(LaAllocator, StartsAtFourGigabytesInUnitsOfItsAlignment) {
  LaAllocator allocator(256);
  EXPECT_EQ(allocator.alloc(1), LogicalAddr(0x1'0000'0000));
  EXPECT_EQ(allocator.alloc(300), LogicalAddr(0x1'0000'0100));
  EXPECT_EQ(allocator.alloc(1), LogicalAddr(0x1'0000'0300));
  allocator.free(LogicalAddr(0x1'0000'0100), 300);
  EXPECT_EQ(allocator.alloc(512), LogicalAddr(0x1'0000'0100));
  try {
    allocator.alloc(static_cast<std::int64_t>(kLeastAddressRange));
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "LA_ALLOCATION_ERROR");
  }
}

TEST(VaAllocator, FailsWithItsOwnCode) {
  VaAllocator allocator(4096);
  try {
    allocator.alloc(static_cast<std::int64_t>(kLeastAddressRange) + 1);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "VA_ALLOCATION_ERROR");
  }
}

}  // namespace
}  // namespace kb::address
