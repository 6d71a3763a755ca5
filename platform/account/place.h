// Places: where transactions are issued. The time that a resource spends on a transaction belongs to its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace kb::account {

// Number of a place in a PlaceTable. 0: nobody's, for example initiators outside, changes of translation tables and
// copies of the host. Every flit carries it, so that a resource knows whom it serves without asking the transaction.
struct PlaceId {
  std::uint32_t value = 0;

  friend constexpr bool operator==(PlaceId a, PlaceId b) { return a.value == b.value; }
  friend constexpr bool operator!=(PlaceId a, PlaceId b) { return a.value != b.value; }
  friend constexpr bool operator<(PlaceId a, PlaceId b) { return a.value < b.value; }
};

struct Place {
  std::uint64_t launch = 0;  // request number of the launch at the host; 0: no launch

  friend bool operator<(const Place& a, const Place& b) { return a.launch < b.launch; }
};

// Places get numbers in the order in which they are first seen.
class PlaceTable {
 public:
  PlaceId intern(const Place& place);
  const Place& operator[](PlaceId id) const { return places_[id.value]; }
  std::size_t size() const { return places_.size(); }  // nobody's included

 private:
  std::vector<Place> places_ = std::vector<Place>(1);
  std::map<Place, PlaceId> ids_;
};

}  // namespace kb::account
