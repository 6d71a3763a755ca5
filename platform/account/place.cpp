#include "platform/account/place.h"

namespace kb::account {

PlaceTable::PlaceTable() {
  name("");
  site_ids_[{}] = {};
}

PlaceId PlaceTable::intern(const Place& place) {
  if (const auto found = ids_.find(place); found != ids_.end()) return found->second;
  if (place.has_line() && (closed_ || places_.size() >= kMaxPlaces)) {
    lacks_lines_ = true;
    return intern(Place::of_launch(place.launch));
  }
  const PlaceId id{static_cast<std::uint32_t>(places_.size())};
  ids_.emplace(place, id);
  places_.push_back(place);
  Place site = place;
  site.launch = 0;
  const auto [found, is_new] = site_ids_.try_emplace(site, SiteId{static_cast<std::uint32_t>(sites_.size())});
  if (is_new) sites_.push_back(site);
  sites_of_.push_back(found->second);
  return id;
}

NameId PlaceTable::name(std::string_view text) {
  if (const auto found = name_ids_.find(text); found != name_ids_.end()) return found->second;
  const NameId id{static_cast<std::uint32_t>(names_.size())};
  names_.push_back(&name_ids_.emplace(std::string(text), id).first->first);
  return id;
}

RangeId PlaceTable::range(RangeId outer, std::string_view name) {
  const auto [found, is_new] =
      range_ids_.try_emplace({outer.value, std::string(name)}, RangeId{static_cast<std::uint32_t>(ranges_.size())});
  if (is_new) ranges_.push_back({outer, std::string(name)});
  return found->second;
}

std::string PlaceTable::path(RangeId id) const {
  if (id == RangeId{}) return {};
  const Range& range = ranges_[id.value];
  return range.outer == RangeId{} ? range.name : path(range.outer) + " / " + range.name;
}

}  // namespace kb::account
