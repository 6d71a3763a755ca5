#include "platform/account/resource_account.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace kb::account {
namespace {
constexpr std::size_t kRowsExpected = 2;  // copies of the host and a launch
}

void ResourceAccount::change_to(PlaceId place) {
  const PlaceId before = std::exchange(place_, place);
  const Sums latest = std::exchange(latest_, {});
  if (latest.count == 0 && latest.is_empty()) return;
  if (rows_.empty()) rows_.reserve(kRowsExpected);
  if (rows_.empty() || rows_.back().place < before) {  // places are numbered in the order of their first uses
    rows_.push_back({before, latest});
    return;
  }
  // Lines of a loop follow one another, so that the next row is often beside the latest one.
  for (const std::size_t near : {row_, row_ + 1}) {
    if (near >= rows_.size() || rows_[near].place != before) continue;
    rows_[near].sums.add(latest);
    row_ = static_cast<std::uint32_t>(near);
    return;
  }
  const auto row = std::lower_bound(rows_.begin(), rows_.end(), before,
                                    [](const Row& one, PlaceId wanted) { return one.place < wanted; });
  row_ = static_cast<std::uint32_t>(row - rows_.begin());
  if (row->place == before) {
    row->sums.add(latest);
  } else {
    rows_.insert(row, {before, latest});
  }
}

}  // namespace kb::account
