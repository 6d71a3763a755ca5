#include "platform/address/address_space.h"

#include <fmt/format.h>

#include <array>

#include "platform/base/error.h"

namespace kb::address {

std::string_view address_space_name(AddressSpace space) {
  constexpr std::array<std::string_view, 3> kNames{"PA", "VA", "LA"};
  return kNames[static_cast<std::size_t>(space)];
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

std::string TaggedAddress::to_string() const {
  if (space_ == AddressSpace::pa) return "PA " + PhysAddr::decode(value_).to_string();
  return fmt::format("{} {:#x}", address_space_name(space_), value_);
}

}  // namespace kb::address
