#include "platform/record/usage_log.h"

#include <numeric>

namespace kb::record {
namespace {

constexpr std::size_t kAhead = 8;  // bins are fetched so many entries before they are needed

}  // namespace

std::uint32_t UsageLog::add_series(EpochList& epochs) {
  const auto series = static_cast<std::uint32_t>(bins_.size());
  bins_.emplace_back(epochs, series);
  epochs_.push_back(&epochs);
  return series;
}

void UsageLog::make_room() {
  into_bins();
  entries_.reserve(most_entries_);
}

void UsageLog::into_bins() {
  prepare();
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (i + kAhead < order_.size()) __builtin_prefetch(&bins_[entries_[order_[i + kAhead]].series()]);
    const Entry& entry = entries_[order_[i]];
    bins_[entry.series()].add(entry.usage(), parts_);
  }
  entries_.clear();
}

// Bins become wide enough, and `order_` the entries series by series (by counting), those of each in their order.
void UsageLog::prepare() {
  places_.assign(bins_.size() + 1, 0);
  for (const Entry& entry : entries_) {
    epochs_[entry.series()]->cover(entry.begin(), entry.end(), most_bins_);
    ++places_[entry.series() + 1];
  }
  std::partial_sum(places_.begin(), places_.end(), places_.begin());
  order_.resize(entries_.size());
  for (std::uint32_t i = 0; i < entries_.size(); ++i) order_[places_[entries_[i].series()]++] = i;
}

void UsageLog::finish() {
  into_bins();
  for (SeriesBins& bins : bins_) bins.finish(parts_);
}

}  // namespace kb::record
