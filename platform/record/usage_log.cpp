#include "platform/record/usage_log.h"

#include <numeric>

namespace kb::record {
namespace {

constexpr std::size_t kAhead = 8;  // bins are fetched so many entries before they are needed

}  // namespace

std::uint32_t UsageLog::add_series(const EpochList& epochs) {
  const auto series = static_cast<std::uint32_t>(bins_.size());
  bins_.emplace_back(epochs, series);
  return series;
}

void UsageLog::make_room() {
  into_bins();
  entries_.reserve(most_entries_);
}

void UsageLog::into_bins() {
  prepare();
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (i + kAhead < order_.size()) __builtin_prefetch(&entries_[order_[i + kAhead]]);
    const Entry& entry = entries_[order_[i]];
    bins_[entry.series()].add(entry.usage(large_), parts_);
  }
  entries_.clear();
  large_.clear();
}

// `order_` are the entries series by series (by counting), those of each in their order.
void UsageLog::prepare() {
  places_.assign(bins_.size() + 1, 0);
  for (const Entry& entry : entries_) ++places_[entry.series() + 1];
  std::partial_sum(places_.begin(), places_.end(), places_.begin());
  order_.resize(entries_.size());
  for (std::uint32_t i = 0; i < entries_.size(); ++i) order_[places_[entries_[i].series()]++] = i;
}

void UsageLog::finish() {
  into_bins();
  entries_ = {};
  for (SeriesBins& bins : bins_) bins.finish(parts_);
}

}  // namespace kb::record
