#include "platform/waves/section.h"

#include <algorithm>

namespace kb::waves {
namespace {

constexpr std::size_t kLeastTable = std::size_t{1} << 12;
// Number of steps whose times are sorted together; their data fits the second-level cache.
constexpr std::size_t kSliceSteps = std::size_t{1} << 13;
constexpr std::size_t kLeastSteps = 16;  // mean number of steps per signal in a slice

}  // namespace

void SectionBuilder::Times::clear() {
  std::fill(table_.begin(), table_.end(), 0);
  all_.clear();
}

std::uint32_t SectionBuilder::Times::number(std::int64_t at) {
  if (2 * all_.size() >= table_.size()) grow();
  for (std::size_t place = place_of(at);; place = (place + 1) & (table_.size() - 1)) {
    std::uint32_t& entry = table_[place];
    if (entry == 0) {
      all_.push_back(at);
      return (entry = static_cast<std::uint32_t>(all_.size())) - 1;
    }
    if (all_[entry - 1] == at) return entry - 1;
  }
}

void SectionBuilder::Times::grow() {
  const std::size_t size = std::max(kLeastTable, 2 * table_.size());
  shift_ = 64;
  for (std::size_t s = size; s > 1; s /= 2) --shift_;
  table_.assign(size, 0);
  for (std::size_t i = 0; i < all_.size(); ++i) {
    std::size_t place = place_of(all_[i]);
    while (table_[place] != 0) place = (place + 1) & (size - 1);
    table_[place] = static_cast<std::uint32_t>(i + 1);
  }
}

void SectionBuilder::set_value(std::uint32_t signal, std::uint64_t value) {
  if (values_.size() <= signal) values_.resize(signal + 1, 0);
  values_[signal] = value;
}

const Section& SectionBuilder::build(bool keep) {
  section_.times.clear();
  section_.runs.clear();
  deal();
  section_.steps.resize(dealt_.size());
  step_times_.resize(dealt_.size());
  steps_ = 0;
  for (std::uint32_t signal = 0; signal < values_.size(); ++signal) {
    Timed* const begin = dealt_.data() + places_[signal];
    Timed* const end = dealt_.data() + places_[signal + 1];
    if (begin != end) add_run(signal, begin, end, keep);
  }
  section_.steps.resize(steps_);
  step_times_.resize(steps_);
  number_times();
  return section_;
}

// Counts the changes of each signal, and groups them by signal.
void SectionBuilder::deal() {
  places_.assign(values_.size() + 2, 0);
  for (const Change& change : raw_) {
    if ((change.signal & Change::kUpperHalf) == 0) ++places_[change.signal + 2];
  }
  for (std::size_t i = 2; i < places_.size(); ++i) places_[i] += places_[i - 1];
  dealt_.resize(places_.back());
  for (std::size_t i = 0; i < raw_.size(); ++i) {
    const Change& change = raw_[i];
    if ((change.signal & Change::kUpperHalf) != 0) continue;
    std::uint64_t value = change.value;
    if (i > 0 && raw_[i - 1].signal == (change.signal | Change::kUpperHalf)) {
      value |= std::uint64_t{raw_[i - 1].value} << 32;
    }
    dealt_[places_[change.signal + 1]++] = {change.at, value};
  }
  raw_.clear();
}

void SectionBuilder::add_run(std::uint32_t signal, Timed* begin, Timed* end, bool keep) {
  const auto earlier = [](const Timed& a, const Timed& b) { return a.at < b.at; };
  if (!std::is_sorted(begin, end, earlier)) std::stable_sort(begin, end, earlier);
  const std::uint32_t first = steps_;
  std::uint64_t value = values_[signal];
  for (const Timed* one = begin; one != end; ++one) {
    if (one + 1 != end && one[1].at == one->at) continue;  // the latest report for a time counts
    if (one->value == value) continue;
    value = one->value;
    section_.steps[steps_].value = value;
    step_times_[steps_++] = one->at;
  }
  if (steps_ != first) section_.runs.push_back({signal, first, steps_ - first});
  if (!keep) values_[signal] = value;
}

// Numbers the times slice by slice.
void SectionBuilder::number_times() {
  const std::size_t steps = step_times_.size();
  if (steps == 0) return;
  const auto [low, high] = std::minmax_element(step_times_.begin(), step_times_.end());
  const std::size_t most = std::min(steps / kSliceSteps, steps / (kLeastSteps * section_.runs.size()));
  const auto slices = static_cast<std::int64_t>(std::max<std::size_t>(most, 1));
  const std::int64_t from = *low, length = (*high - *low) / slices + 1;
  cursors_.clear();
  for (const Section::Run& run : section_.runs) cursors_.push_back(run.first);
  for (std::int64_t slice = 0; slice < slices; ++slice) number_slice(from + slice * length, length);
}

// Numbers the steps of each signal from its cursor to the end of the slice.
void SectionBuilder::number_slice(std::int64_t from, std::int64_t length) {
  times_.clear();
  ends_.resize(cursors_.size());
  for (std::size_t r = 0; r < cursors_.size(); ++r) {
    const Section::Run& run = section_.runs[r];
    std::uint32_t step = cursors_[r];
    for (; step < run.first + run.count && step_times_[step] - from < length; ++step) {
      section_.steps[step].time = times_.number(step_times_[step]);
    }
    ends_[r] = step;
  }
  rank_times(from, length);
  for (std::size_t r = 0; r < cursors_.size(); ++r) {
    for (std::uint32_t step = cursors_[r]; step < ends_[r]; ++step) {
      section_.steps[step].time = ranks_[section_.steps[step].time];
    }
  }
  cursors_.swap(ends_);
}

// Sorts the times of a slice by bucket sort (they are nearly uniform), and appends them to those of the section.
void SectionBuilder::rank_times(std::int64_t from, std::int64_t length) {
  const std::vector<std::int64_t>& all = times_.all();
  int shift = 0;
  while (static_cast<std::size_t>((length - 1) >> shift) > all.size()) ++shift;
  const auto part_of = [from, shift](std::int64_t at) { return static_cast<std::size_t>((at - from) >> shift); };
  parts_.assign(all.size() + 2, 0);
  for (const std::int64_t at : all) ++parts_[part_of(at) + 1];
  for (std::size_t i = 1; i < parts_.size(); ++i) parts_[i] += parts_[i - 1];
  order_.resize(all.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) order_[parts_[part_of(all[i])]++] = {all[i], i};
  std::uint32_t begin = 0;
  for (const std::uint32_t end : parts_) {  // the begin of a part is now the begin of the next one
    if (end - begin > 1) std::sort(order_.begin() + begin, order_.begin() + end, Ranked::earlier);
    begin = end;
  }
  ranks_.resize(all.size());
  for (const Ranked& r : order_) {
    ranks_[r.number] = static_cast<std::uint32_t>(section_.times.size());
    section_.times.push_back(TimeFs(r.at));
  }
}

}  // namespace kb::waves
