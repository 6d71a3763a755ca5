#include "platform/address/address_space.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "platform/base/error.h"

namespace kb::address {
namespace {

// the compiler keeps the spaces apart.
static_assert(!std::is_convertible_v<std::uint64_t, VirtAddr>);
static_assert(!std::is_convertible_v<VirtAddr, std::uint64_t>);
static_assert(!std::is_convertible_v<std::uint64_t, PhysAddr>);
static_assert(!std::is_convertible_v<PhysAddr, std::uint64_t>);
static_assert(!std::is_constructible_v<PhysAddr, VirtAddr>);
static_assert(!std::is_constructible_v<VirtAddr, PhysAddr>);
static_assert(!std::is_convertible_v<PhysAddr, TaggedAddress>);

TEST(TaggedAddress, GivesBackTheAddressOfItsSpace) {
  const PhysAddr physical = PhysAddr::hbm_addr(SipId(0), CubeId(1), 0x40);
  EXPECT_EQ(TaggedAddress(physical).phys(), physical);
  EXPECT_EQ(TaggedAddress(VirtAddr(0x1'0000'0000)).virt(), VirtAddr(0x1'0000'0000));
  EXPECT_EQ(TaggedAddress(physical).to_string(), "PA sip0.cube1 HBM +0x40");
  EXPECT_EQ(TaggedAddress(VirtAddr(0x1'0000'0000)).to_string(), "VA 0x100000000");
}

TEST(TaggedAddress, RefusesToServeAsAnotherSpace) {
  EXPECT_THROW(TaggedAddress(VirtAddr(0)).phys(), Error);
  EXPECT_THROW(TaggedAddress(PhysAddr::hbm_addr(SipId(0), CubeId(0), 0)).virt(), Error);
}

// The same integer in two spaces is two addresses.
TEST(TaggedAddress, ComparesSpaceAndValue) {
  const PhysAddr physical = PhysAddr::pe_tcm_addr(SipId(0), CubeId(0), PeId(8), 0);
  EXPECT_FALSE(TaggedAddress(physical) == TaggedAddress(VirtAddr(physical.value())));
  EXPECT_TRUE(TaggedAddress(physical) == TaggedAddress(PhysAddr::decode(physical.value())));
}

}  // namespace
}  // namespace kb::address
