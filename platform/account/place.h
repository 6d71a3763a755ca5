// Places: where transactions are issued. The time that a resource spends on a transaction belongs to its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
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

// Number of a file, call or tensor in a PlaceTable; 0: the empty name.
struct NameId {
  std::uint32_t value = 0;

  friend constexpr bool operator==(NameId a, NameId b) { return a.value == b.value; }
};

// Number of a place without its launch: launches of one kernel share their sites. 0: no line.
struct SiteId {
  std::uint32_t value = 0;
};

// Number of a range in a PlaceTable; 0: outside of all ranges.
struct RangeId {
  std::uint32_t value = 0;

  friend constexpr bool operator==(RangeId a, RangeId b) { return a.value == b.value; }
};

// A call in a line of a kernel that runs for a launch, and the tensor that it transfers.
struct Place {
  std::uint64_t launch = 0;  // request number of the launch at the host; 0: no launch
  NameId file;               // empty: not issued by a line, for example the messages that distribute a launch
  std::uint32_t line = 0;
  NameId call;  // "load"
  RangeId range;
  NameId tensor;  // empty: no tensor in memory

  static Place of_launch(std::uint64_t launch) {
    Place place;
    place.launch = launch;
    return place;
  }
  bool has_line() const { return line != 0; }
  friend bool operator<(const Place& a, const Place& b) {
    const auto key = [](const Place& one) {
      return std::tuple(one.launch, one.file.value, one.line, one.call.value, one.range.value, one.tensor.value);
    };
    return key(a) < key(b);
  }
};

// A part of a kernel that the kernel names; ranges nest.
struct Range {
  RangeId outer;
  std::string name;
};

// Places get numbers in the order in which they are first seen.
class PlaceTable {
 public:
  // Once this number is reached, the lines of later launches are not told apart.
  static constexpr std::size_t kMaxPlaces = 65'536;

  PlaceTable();
  // Number of the place. Once the table is closed, a new place becomes that of its launch.
  PlaceId intern(const Place& place);
  NameId name(std::string_view text);
  RangeId range(RangeId outer, std::string_view name);

  // Stops telling lines of later launches apart, because the account has grown too large.
  void close() { closed_ = true; }
  bool lacks_lines() const { return lacks_lines_; }  // true when lines of a launch are not told apart

  const Place& operator[](PlaceId id) const { return places_[id.value]; }
  SiteId site(PlaceId id) const { return sites_of_[id.value]; }
  const Place& operator[](SiteId id) const { return sites_[id.value]; }
  std::size_t sites() const { return sites_.size(); }  // that without a line included
  std::size_t size() const { return places_.size(); }  // nobody's included
  const std::string& operator[](NameId id) const { return *names_[id.value]; }
  const Range& operator[](RangeId id) const { return ranges_[id.value]; }
  std::size_t ranges() const { return ranges_.size(); }  // the outermost included
  // Names of the range and those around it: "layer 3 / gather h"; empty outside of all ranges.
  std::string path(RangeId id) const;

 private:
  std::vector<Place> places_ = std::vector<Place>(1);
  std::map<Place, PlaceId> ids_;
  std::vector<Place> sites_ = std::vector<Place>(1);
  std::map<Place, SiteId> site_ids_;
  std::vector<SiteId> sites_of_ = std::vector<SiteId>(1);  // by place
  std::map<std::string, NameId, std::less<>> name_ids_;
  std::vector<const std::string*> names_;  // keys of name_ids_
  std::vector<Range> ranges_ = std::vector<Range>(1);
  std::map<std::pair<std::uint32_t, std::string>, RangeId> range_ids_;
  bool closed_ = false;
  bool lacks_lines_ = false;
};

}  // namespace kb::account
