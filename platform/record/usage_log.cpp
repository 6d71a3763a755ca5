#include "platform/record/usage_log.h"

#include <algorithm>
#include <numeric>

namespace kb::record {
namespace {

constexpr std::size_t kAhead = 8;  // entries are fetched so many before they are needed

}  // namespace

std::uint32_t UsageLog::add_series(const EpochList& epochs) {
  const auto series = static_cast<std::uint32_t>(bins_.size());
  bins_.emplace_back(epochs, series);
  return series;
}

void UsageLog::append_large(std::uint32_t series, const Usage& usage) {
  if (large_.size() == kMaxLarge) make_room();
  entries_.emplace_back(large_.size(), series);
  large_.push_back(usage);
}

void UsageLog::make_room() {
  into_bins();
  entries_.reserve(most_entries_);
}

void UsageLog::into_bins() {
  prepare();
  const auto usage_of = [this](const std::uint32_t* place) {
    __builtin_prefetch(&entries_[place[kAhead]]);
    return entries_[*place].usage(large_);
  };
  const std::uint32_t* first = order_.data();
  for (std::size_t series = 0; series < bins_.size(); ++series) {
    const std::uint32_t* const last = order_.data() + places_[series];
    if (first != last) bins_[series].add_all(first, last, usage_of, parts_);
    first = last;
  }
  entries_.clear();
  large_.clear();
}

// `order_` are the entries series by series (by counting), those of each in their order; `places_` are where they end.
void UsageLog::prepare() {
  places_.assign(bins_.size() + 1, 0);
  for (const Entry& entry : entries_) ++places_[entry.series() + 1];
  std::partial_sum(places_.begin(), places_.end(), places_.begin());
  order_.resize(entries_.size() + kAhead);
  std::fill_n(order_.end() - kAhead, kAhead, 0);  // of the last ones, what is fetched ahead is the first again
  for (std::uint32_t i = 0; i < entries_.size(); ++i) order_[places_[entries_[i].series()]++] = i;
}

void UsageLog::finish() {
  into_bins();
  // Assigning {} would keep what they have taken.
  entries_ = std::vector<Entry>();
  large_ = std::vector<Usage>();
  places_ = order_ = std::vector<std::uint32_t>();
  for (SeriesBins& bins : bins_) bins.finish(parts_);
}

}  // namespace kb::record
