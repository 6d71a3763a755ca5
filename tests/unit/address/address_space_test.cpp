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
  EXPECT_EQ(TaggedAddress(LogicalAddr(0x1'0000'0000)).logical(), LogicalAddr(0x1'0000'0000));
  EXPECT_EQ(TaggedAddress(LogicalAddr(0x40)).encoded(), encode(AddressSpace::la, 0x40));
  EXPECT_EQ(TaggedAddress(physical).to_string(), "PA sip0.cube1 HBM +0x40");
  EXPECT_EQ(TaggedAddress(VirtAddr(0x1'0000'0000)).to_string(), "VA 0x100000000");
}

TEST(TaggedAddress, RefusesToServeAsAnotherSpace) {
  EXPECT_THROW(TaggedAddress(VirtAddr(0)).phys(), Error);
  EXPECT_THROW(TaggedAddress(VirtAddr(0)).logical(), Error);
  EXPECT_THROW(TaggedAddress(PhysAddr::hbm_addr(SipId(0), CubeId(0), 0)).virt(), Error);
}

// one integer says which space it belongs to, and a physical address is its own encoding.
TEST(AddressSpace, IsPartOfTheEncodedAddress) {
  const TaggedAddress physical(PhysAddr::hbm_addr(SipId(15), CubeId(15), 0x40));
  const TaggedAddress virt(VirtAddr(0x10'ffff'ffff));
  EXPECT_EQ(physical.encoded(), physical.value());
  EXPECT_EQ(space_of(physical.encoded()), AddressSpace::pa);
  EXPECT_EQ(virt.encoded(), 0x4000'0010'ffff'ffffu);
  EXPECT_EQ(space_of(virt.encoded() + 1), AddressSpace::va);
  EXPECT_EQ(value_of(virt.encoded() + 1), 0x11'0000'0000u);
  EXPECT_EQ(space_of(encode(AddressSpace::la, 5)), AddressSpace::la);
}

TEST(AddressSpace, DescribesAnyInteger) {
  EXPECT_EQ(encoded_text(encode(AddressSpace::va, 0x1000)), "VA 0x1000");
  EXPECT_EQ(encoded_text(0x20'0000'0040), "PA sip0.cube0 HBM +0x40");
  EXPECT_EQ(encoded_text(std::uint64_t{1} << 51), "PA 0x8000000000000");
  EXPECT_EQ(encoded_text(~std::uint64_t{0}), "MSG 0x3fffffffffffffff");
  EXPECT_EQ(encoded_text(message_in_flight(0x40)), "MSG 0x40");
}

// The same integer in two spaces is two addresses.
TEST(TaggedAddress, ComparesSpaceAndValue) {
  const PhysAddr physical = PhysAddr::pe_tcm_addr(SipId(0), CubeId(0), PeId(8), 0);
  EXPECT_FALSE(TaggedAddress(physical) == TaggedAddress(VirtAddr(physical.value())));
  EXPECT_TRUE(TaggedAddress(physical) == TaggedAddress(PhysAddr::decode(physical.value())));
}

}  // namespace
}  // namespace kb::address
