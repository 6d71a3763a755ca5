// Address spaces. Their address types do not convert into each other, so that a physical address cannot be mistaken for
// a virtual one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "platform/address/phys_addr.h"

namespace kb::address {

// `message`: contents of messages between PEs that are in flight or already taken from their slot, and are in no memory
// of the machine.
enum class AddressSpace : std::uint8_t { pa, va, la, message };
std::string_view address_space_name(AddressSpace space);  // "PA"

struct VirtAddr {
  std::uint64_t value = 0;

  constexpr VirtAddr() = default;
  constexpr explicit VirtAddr(std::uint64_t v) : value(v) {}
  friend constexpr bool operator==(VirtAddr a, VirtAddr b) { return a.value == b.value; }
  friend constexpr bool operator!=(VirtAddr a, VirtAddr b) { return a.value != b.value; }
  friend constexpr bool operator<(VirtAddr a, VirtAddr b) { return a.value < b.value; }
};

// An address of one PE: the same value may mean other memory at another PE.
struct LogicalAddr {
  std::uint64_t value = 0;

  constexpr LogicalAddr() = default;
  constexpr explicit LogicalAddr(std::uint64_t v) : value(v) {}
  friend constexpr bool operator==(LogicalAddr a, LogicalAddr b) { return a.value == b.value; }
  friend constexpr bool operator!=(LogicalAddr a, LogicalAddr b) { return a.value != b.value; }
  friend constexpr bool operator<(LogicalAddr a, LogicalAddr b) { return a.value < b.value; }
};

inline constexpr int kSpaceShift = 62;
constexpr std::uint64_t encode(AddressSpace space, std::uint64_t value) {
  return static_cast<std::uint64_t>(space) << kSpaceShift | value;
}
// Address space of an encoded address.
constexpr AddressSpace space_of(std::uint64_t encoded) {
  return static_cast<AddressSpace>(encoded >> kSpaceShift);
}
constexpr std::uint64_t value_of(std::uint64_t encoded) {
  return encoded & ((std::uint64_t{1} << kSpaceShift) - 1);
}
// True when the space needs no translation by a PE_MMU or a BAAW.
constexpr bool is_resolved(AddressSpace space) {
  return space == AddressSpace::pa || space == AddressSpace::message;
}
std::string encoded_text(std::uint64_t encoded);  // "VA 0x100000000", "PA sip2.cube5 HBM +0x1000"; accepts any integer

// The message space. One half holds received values: a range per PE, from which its kernels allocate as from scratch.
// In the other half, a message in flight has the address of its ring.
inline constexpr std::uint64_t kMessageValueBytes = std::uint64_t{1} << 40;
constexpr std::uint64_t message_values(std::uint64_t pe_index) {
  return encode(AddressSpace::message, std::uint64_t{1} << 61 | pe_index * kMessageValueBytes);
}
constexpr std::uint64_t message_in_flight(std::uint64_t slot_pa) {
  return encode(AddressSpace::message, slot_pa);
}

// An address with its space, as a command carries it.
class TaggedAddress {
 public:
  explicit TaggedAddress(PhysAddr address) : value_(address.value()), space_(AddressSpace::pa) {}
  explicit TaggedAddress(VirtAddr address) : value_(address.value), space_(AddressSpace::va) {}
  explicit TaggedAddress(LogicalAddr address) : value_(address.value), space_(AddressSpace::la) {}

  AddressSpace space() const { return space_; }
  std::uint64_t value() const { return value_; }

  // The address as one integer, as extents carry it. The space is in bits [63:62], so that a physical address encodes
  // to itself and an added offset stays in the space.
  std::uint64_t encoded() const { return encode(space_, value_); }
  // These throw program Error ADDRESS_ERROR when the address is in another space.
  PhysAddr phys() const;
  VirtAddr virt() const;
  LogicalAddr logical() const;

  std::string to_string() const;  // "PA sip2.cube5 HBM +0x1000", "VA 0x100000000"

  friend bool operator==(const TaggedAddress& a, const TaggedAddress& b) {
    return a.space_ == b.space_ && a.value_ == b.value_;
  }

 private:
  void require(AddressSpace space) const;

  std::uint64_t value_;
  AddressSpace space_;
};

}  // namespace kb::address
