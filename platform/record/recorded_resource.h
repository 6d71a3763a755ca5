// A resource as its block reports it.
#pragma once

#include <cstdint>

#include "platform/account/resource_account.h"
#include "platform/record/activity_series.h"

namespace kb::record {

// What the resource did over time, and for whom. Each use is told once, when it is final.
struct RecordedResource {
  ActivitySeries* series = nullptr;  // null: not recorded
  account::ResourceAccount* account = nullptr;

  explicit operator bool() const { return series != nullptr; }
  // `count`: number of flits, bursts or headers.
  void add(account::PlaceId place, const Usage& usage, std::uint64_t count = 0) const {
    series->add(usage);
    account->add(place, {usage.busy, usage.wait, usage.bytes, count});
  }
};

}  // namespace kb::record
