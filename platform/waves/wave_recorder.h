// Collects waveform signals while the simulation runs and writes them at its end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/contract/i_signal_observer.h"
#include "platform/waves/change_store.h"
#include "platform/waves/i_wave_file.h"

namespace kb::waves {

// Takes changes in any order (blocks report planned and retired flits) and writes them in time order at the end, so
// nothing is in the file before finish(). Of several changes of one signal at one time the latest reported counts.
// Observing never touches simulated time. Any other source of signals declares and reports them in the same way.
class WaveRecorder final : public contract::ISignalObserver {
 public:
  struct Options {
    std::vector<std::string> filters;          // globs over "node.signal"; empty = every signal
    TimeFs from = 0_fs, until = kNever;        // what is recorded
    std::size_t buffered_changes = 4'000'000;  // 16 bytes each
    contract::WaveDetail detail = contract::WaveDetail::wire;
  };
  WaveRecorder(IWaveFile& file, Options options);

  using ISignalObserver::declare;
  contract::SignalId declare(const contract::SignalInfo& info) override;
  void change(contract::SignalId signal, TimeFs at, std::uint64_t value) override;
  void announce(const std::string& pattern) override;
  contract::WaveDetail detail() const override { return options_.detail; }

  // Writes the file; changes after `end` are left out.
  void finish(TimeFs end);
  // Filters that no declared signal matched; without those that an announced one may match.
  std::vector<std::string> unmatched_filters() const { return filters_without_signal(true); }
  // Filters that no declared signal matched.
  std::vector<std::string> useless_filters() const { return filters_without_signal(false); }

  // Name of a declared signal, wanted or not, to show how they look; empty when there is none.
  const std::string& example() const { return example_; }

  const std::vector<contract::SignalInfo>& signals() const { return signals_; }  // the wanted ones
  std::uint64_t changes() const { return reported_; }

 private:
  enum class Match : std::uint8_t { none, announced, declared };
  struct Early {
    TimeFs at = -1_fs;
    std::uint64_t value = 0;
  };

  std::vector<std::string> filters_without_signal(bool announced_counts) const;

  Options options_;
  IWaveFile& file_;
  std::vector<contract::SignalInfo> signals_;
  std::vector<Early> early_;  // the latest change up to `from`
  std::vector<Match> matched_;
  std::string example_;
  ChangeStore store_;
  std::uint64_t reported_ = 0;
};

}  // namespace kb::waves
