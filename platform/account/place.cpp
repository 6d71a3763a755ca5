#include "platform/account/place.h"

namespace kb::account {

PlaceId PlaceTable::intern(const Place& place) {
  const auto [found, is_new] = ids_.try_emplace(place, PlaceId{static_cast<std::uint32_t>(places_.size())});
  if (is_new) places_.push_back(place);
  return found->second;
}

}  // namespace kb::account
