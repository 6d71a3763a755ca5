#include "platform/waves/section.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kb::waves {
namespace {

constexpr int kDigitBits = 12;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
constexpr std::size_t kLeastTable = std::size_t{1} << 12;

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
  times_.clear();
  section_.times.clear();
  section_.runs.clear();
  section_.steps.clear();
  section_.steps.reserve(raw_.size());
  deal();
  for (std::uint32_t signal = 0; signal < values_.size(); ++signal) {
    Timed* const begin = dealt_.data() + places_[signal];
    Timed* const end = dealt_.data() + places_[signal + 1];
    if (begin != end) add_run(signal, begin, end, keep);
  }
  sort_times();
  return section_;
}

// Counts the changes of each signal, and puts them side by side.
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
  const auto first = static_cast<std::uint32_t>(section_.steps.size());
  std::uint64_t value = values_[signal];
  for (const Timed* one = begin; one != end; ++one) {
    if (one + 1 != end && one[1].at == one->at) continue;  // the latest report of one time counts
    if (one->value == value) continue;
    value = one->value;
    section_.steps.push_back({value, times_.number(one->at)});
  }
  const auto count = static_cast<std::uint32_t>(section_.steps.size()) - first;
  if (count > 0) section_.runs.push_back({signal, first, count});
  if (!keep) values_[signal] = value;
}

// Digit by digit from the lowest on. Then each step gets the rank of its time instead of its number.
void SectionBuilder::sort_times() {
  const std::vector<std::int64_t>& all = times_.all();
  if (all.empty()) return;
  const auto [low, high] = std::minmax_element(all.begin(), all.end());
  const auto range = static_cast<std::uint64_t>(*high - *low);
  order_.resize(all.size());
  scratch_.resize(all.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) order_[i] = {all[i], i};
  for (int shift = 0; shift < 64 && range >> shift != 0; shift += kDigitBits) {
    std::array<std::uint32_t, kDigits> places{};
    const auto digit = [from = *low, shift](const Ranked& r) {
      return static_cast<std::uint64_t>(r.at - from) >> shift & (kDigits - 1);
    };
    for (const Ranked& r : order_) ++places[digit(r)];
    std::uint32_t place = 0;
    for (std::uint32_t& p : places) place += std::exchange(p, place);
    for (const Ranked& r : order_) scratch_[places[digit(r)]++] = r;
    order_.swap(scratch_);
  }
  ranks_.resize(all.size());
  section_.times.reserve(all.size());
  for (std::uint32_t rank = 0; rank < order_.size(); ++rank) {
    ranks_[order_[rank].number] = rank;
    section_.times.push_back(TimeFs(order_[rank].at));
  }
  for (Section::Step& step : section_.steps) step.time = ranks_[step.time];
}

}  // namespace kb::waves
