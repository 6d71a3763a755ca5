// Keeps every reported change of a waveform signal.
#pragma once

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

  using ISignalObserver::declare;
  contract::SignalId declare(const contract::SignalInfo& info) override {
    names_.push_back(info.full_name());
    return static_cast<contract::SignalId>(names_.size() - 1);
  }
  void change(contract::SignalId signal, TimeFs at, std::uint64_t value) override {
    changes[names_.at(signal)].emplace_back(at, value);
  }
  contract::WaveDetail detail() const override { return detail_; }
  // A signal as a waveform file shows it: by time, the latest report of a time, without repetitions; 0 before the
  // first.
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
};

}  // namespace kb::test
