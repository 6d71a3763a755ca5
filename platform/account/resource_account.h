// What a resource did for each place.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/account/place.h"
#include "platform/base/units.h"

namespace kb::account {

struct Sums {
  TimeFs busy = 0_fs;  // service
  TimeFs wait = 0_fs;  // sum over everything that was served
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;  // flits, bursts or headers

  void add(const Sums& part) {
    accumulate(busy, part.busy);
    accumulate(wait, part.wait);
    bytes += part.bytes;
    count += part.count;
  }
  bool is_empty() const { return busy == 0_fs && wait == 0_fs && bytes == 0; }
};

// Sums of one resource by place. A use is told once, when it is final. Uses of one place mostly follow one another, so
// that they are summed in one cache line; the rows are touched when the place changes.
class alignas(64) ResourceAccount {
 public:
  struct Row {
    PlaceId place;
    Sums sums;
  };

  ResourceAccount() = default;
  ResourceAccount(const ResourceAccount&) = delete;
  ResourceAccount& operator=(const ResourceAccount&) = delete;

  void add(PlaceId place, const Sums& part) {
    if (place != place_) change_to(place);
    accumulate(latest_.busy, part.busy);
    if (part.wait != 0_fs) accumulate(latest_.wait, part.wait);  // most have none
    latest_.bytes += part.bytes;
    latest_.count += part.count;
  }

  // Called after the last use.
  void finish() {
    if (latest_.count != 0 || !latest_.is_empty()) change_to({});
  }
  // After finish(): a row for each place that has used the resource, in the order of their numbers.
  const std::vector<Row>& rows() const { return rows_; }

 private:
  void change_to(PlaceId place);

  PlaceId place_;
  std::uint32_t row_ = 0;  // the latest one that was not appended
  Sums latest_;            // uses of `place_` that are not in rows_ yet
  std::vector<Row> rows_;
};
static_assert(sizeof(ResourceAccount) == 64);

}  // namespace kb::account
