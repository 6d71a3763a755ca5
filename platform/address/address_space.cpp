#include "platform/address/address_space.h"

#include <fmt/format.h>

#include <array>

#include "platform/base/error.h"

namespace kb::address {

std::string_view address_space_name(AddressSpace space) {
  constexpr std::array<std::string_view, 4> kNames{"PA", "VA", "LA", "MSG"};
  return kNames[static_cast<std::size_t>(space)];
}

std::string encoded_text(std::uint64_t encoded) {
  const AddressSpace space = space_of(encoded);
  const std::uint64_t value = value_of(encoded);
  if (space == AddressSpace::pa && decode_fields(value).fault == AddressFault::none) {
    return "PA " + PhysAddr::decode(value).to_string();
  }
  return fmt::format("{} {:#x}", address_space_name(space), value);
}

void TaggedAddress::require(AddressSpace space) const {
  if (space_ == space) return;
  throw Error::program("ADDRESS_ERROR",
                       fmt::format("{} is used where a {} is needed", to_string(), address_space_name(space)));
}

PhysAddr TaggedAddress::phys() const {
  require(AddressSpace::pa);
  return PhysAddr::decode(value_);
}

VirtAddr TaggedAddress::virt() const {
  require(AddressSpace::va);
  return VirtAddr(value_);
}

LogicalAddr TaggedAddress::logical() const {
  require(AddressSpace::la);
  return LogicalAddr(value_);
}

std::string TaggedAddress::to_string() const {
  return encoded_text(encoded());
}

}  // namespace kb::address
