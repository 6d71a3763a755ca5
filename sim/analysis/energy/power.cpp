// Power over time, in bins of equal width.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "sim/analysis/energy/energy_account.h"

namespace kb::sim {
namespace {

constexpr std::int64_t kBins = 128;

// Weights of an event in the bins, out of the recorded bins of its series; what spans several is divided evenly.
class Weights {
 public:
  Weights(TimeFs width, std::size_t bins) : width_(static_cast<double>(width.fs())), sums_(bins) {}

  void add(TimeFs begin, TimeFs end, double amount) {
    const auto from = static_cast<double>(begin.fs()), to = static_cast<double>(end.fs());
    const auto index = [&](double time) {
      return std::min(sums_.size() - 1, static_cast<std::size_t>(std::max(0.0, time / width_)));
    };
    if (to <= from) {
      sums_[index(from)] += amount;
      return;
    }
    for (std::size_t bin = index(from); bin <= index(to); ++bin) {
      const double low = std::max(from, static_cast<double>(bin) * width_);
      const double high = bin + 1 == sums_.size() ? to : std::min(to, static_cast<double>(bin + 1) * width_);
      if (high > low) sums_[bin] += amount * (high - low) / (to - from);
    }
  }

  // Whole femtojoules, which add up to `energy`; evenly over time where nothing is known.
  void divide(std::uint64_t energy, std::vector<std::uint64_t>& bins) const {
    double all = 0.0;
    for (const double weight : sums_) all += weight;
    double so_far = 0.0;
    std::uint64_t given = 0;
    for (std::size_t bin = 0; bin < sums_.size(); ++bin) {
      so_far += all > 0.0 ? sums_[bin] / all : 1.0 / static_cast<double>(sums_.size());
      const double part = static_cast<double>(energy) * so_far;
      const bool all_of_it = bin + 1 == sums_.size() || part >= static_cast<double>(energy);
      const std::uint64_t until = all_of_it ? energy : std::max(given, static_cast<std::uint64_t>(part));
      bins[bin] += until - given;
      given = until;
    }
  }

 private:
  double width_;
  std::vector<double> sums_;
};

// The recorded bins of each series that shows an event.
class Activities {
 public:
  Activities(const record::ActivityRecorder& recorder, TimeFs end) : recorder_(recorder), end_(end) {
    for (std::size_t epoch = 0; epoch < recorder.epochs().size(); ++epoch) {
      for (const record::Activity& one : recorder.activities_of(epoch)) of_series_[one.series].push_back({epoch, &one});
    }
  }

  void add(const Counted::Series& series, Weights& weights) const {
    const auto found = of_series_.find(series.series);
    if (found == of_series_.end()) return;
    for (const auto& [number, activity] : found->second) {
      const record::Epoch& epoch = recorder_.epochs()[number];
      const TimeFs end = std::min(epoch.end, end_);
      activity->bins.for_each([&, shift = activity->shift](std::uint32_t index, const record::Bin& bin) {
        const TimeFs begin = epoch.begin + TimeFs(std::int64_t{index} << shift);
        const bool bytes = series.measure == Counted::Measure::bytes;
        const double amount = static_cast<double>(series.per_unit) *
                              (bytes ? static_cast<double>(bin.bytes) : static_cast<double>(bin.busy.fs()));
        if (amount > 0.0) weights.add(begin, std::min(end, begin + TimeFs(std::int64_t{1} << shift)), amount);
      });
    }
  }

 private:
  const record::ActivityRecorder& recorder_;
  TimeFs end_;
  std::map<std::uint32_t, std::vector<std::pair<std::size_t, const record::Activity*>>> of_series_;
};

}  // namespace

void add_power(const EnergyInput& input, const std::vector<Counted>& events, EnergyRecord& record) {
  if (input.end <= 0_fs) return;
  record.bin = TimeFs(std::max<std::int64_t>(1, (input.end.fs() + kBins - 1) / kBins));
  const auto bins = static_cast<std::size_t>((input.end.fs() + record.bin.fs() - 1) / record.bin.fs());
  for (EnergyPart& part : record.parts) part.bins.assign(bins, 0);
  const Activities activities(*input.recorder, input.end);
  for (const EnergyEvent& event : record.events) {
    Weights weights(record.bin, bins);
    for (const Counted& counted : events) {
      if (counted.part != event.part || counted.name != event.name || counted.unit != event.unit) continue;
      for (const Counted::Series& series : counted.series) activities.add(series, weights);
    }
    const auto part = std::find_if(record.parts.begin(), record.parts.end(),
                                   [&](const EnergyPart& one) { return one.name == event.part; });
    weights.divide(event.energy.value, part->bins);
  }
}

}  // namespace kb::sim
