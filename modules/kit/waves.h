// Records all reported changes of waveform signals.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platform/contract/i_signal_observer.h"

namespace kb::test {

class Waves final : public contract::ISignalObserver {
 public:
  using Change = std::pair<TimeFs, std::uint64_t>;
  explicit Waves(contract::WaveDetail detail = contract::WaveDetail::wire) : detail_(detail) {}

  std::map<std::string, std::vector<Change>> changes;  // by "node.signal", in the order of the reports
  std::vector<std::string> belated;                    // signals with a change before a time that was already final

  using ISignalObserver::declare;
  contract::SignalId declare(const contract::SignalInfo& info) override {
    names_.push_back(info.full_name());
    return static_cast<contract::SignalId>(names_.size() - 1);
  }
  void change(contract::SignalId signal, TimeFs at, std::uint64_t value) override {
    changes[names_.at(signal)].emplace_back(at, value);
    if (at < final_until_) belated.push_back(names_.at(signal));
  }
  void add_late(contract::IDeferredSignals& signals) override { late_.push_back(&signals); }
  // Makes all blocks report what is final at `now`. Returns the time before which no more changes may come.
  TimeFs settle(TimeFs now) {
    TimeFs until = now;
    for (contract::IDeferredSignals* const late : late_) until = std::min(until, late->report_until(now));
    return final_until_ = std::max(final_until_, until);
  }
  contract::WaveDetail detail() const override { return detail_; }
  // The signal in a waveform file: sorted by time, the latest report of each time, without repeated values; 0 before
  // the first change.
  std::vector<Change> shown(const std::string& signal) const {
    std::map<TimeFs, std::uint64_t> values;
    if (const auto found = changes.find(signal); found != changes.end()) {
      for (const auto& [at, value] : found->second) values[at] = value;
    }
    std::vector<Change> edges;
    for (const auto& [at, value] : values) {
      if (value != (edges.empty() ? 0 : edges.back().second)) edges.emplace_back(at, value);
    }
    return edges;
  }

 private:
  contract::WaveDetail detail_;
  std::vector<std::string> names_;
  std::vector<contract::IDeferredSignals*> late_;
  TimeFs final_until_ = 0_fs;
};

}  // namespace kb::test
