// Records waveform signals during the simulation and writes them section by section.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/contract/i_signal_observer.h"
#include "platform/waves/change_store.h"
#include "platform/waves/i_wave_file.h"
#include "platform/waves/section.h"

namespace kb::waves {

// Takes changes in any order (blocks report planned and retired flits). Changes that are final are written to the file
// in large sections. The section boundaries depend only on the changes and not on the time of writing, so that equal
// runs give equal files. When a signal has several changes at one time, the latest reported one counts. Recording never
// changes simulated time. Other sources of signals declare and report them in the same way.
class WaveRecorder final : public contract::ISignalObserver {
 public:
  struct Options {
    std::vector<std::string> filters;          // globs over "node.signal"; empty = every signal
    TimeFs from = 0_fs, until = kNever;        // recorded time range
    std::size_t buffered_changes = 4'000'000;  // 16 bytes each
    contract::WaveDetail detail = contract::WaveDetail::wire;
    std::string top;        // additional outer scopes, "soc.npu"; may be empty
    bool has_words = true;  // writes a string in addition to the number of a state
    std::size_t section_changes = 500'000;
  };
  WaveRecorder(IWaveFile& file, Options options);

  using ISignalObserver::declare;
  contract::SignalId declare(const contract::SignalInfo& info) override;
  void change(contract::SignalId signal, TimeFs at, std::uint64_t value) override;
  void announce(const std::string& pattern) override;
  contract::WaveDetail detail() const override { return options_.detail; }
  void add_late(contract::IDeferredSignals& signals) override { late_.push_back(&signals); }

  // May be called at any time and often: writes sections when there are enough changes.
  void advance(TimeFs now) {
    if (store_.size() >= enough_) write_sections(now);
  }
  // May be called at any time: makes the file readable up to the returned time.
  TimeFs save(TimeFs now);
  // Completes the file; changes after `end` are omitted.
  void finish(TimeFs end);

  // Filters that match no declared signal and cannot match an announced one.
  std::vector<std::string> unmatched_filters() const { return filters_without_signal(true); }
  // Filters that match no declared signal.
  std::vector<std::string> useless_filters() const { return filters_without_signal(false); }

  // Name of any declared signal, as an example in messages; empty when there is none.
  const std::string& example() const { return example_; }

  const std::vector<contract::SignalInfo>& signals() const { return signals_; }  // the recorded ones
  std::uint64_t changes() const { return reported_; }

 private:
  enum class Match : std::uint8_t { none, announced, declared };

  std::vector<std::string> filters_without_signal(bool announced_counts) const;
  void settle(TimeFs now);
  void begin_file(TimeFs from);
  void write_sections(TimeFs now);
  void add_full_sections(TimeFs until);
  void add_section(TimeFs until);

  Options options_;
  IWaveFile& file_;
  std::vector<contract::SignalInfo> signals_;
  std::vector<TimeFs> early_times_;  // per signal: latest change up to `from`
  std::vector<std::uint64_t> early_values_;
  std::vector<contract::IDeferredSignals*> late_;
  std::vector<Match> matched_;
  std::string example_;
  ChangeStore store_;
  SectionBuilder builder_;
  std::size_t declared_signals_ = 0;  // number of signals in the file
  TimeFs final_until_ = 0_fs;         // all changes before this time are final
  TimeFs written_ = 0_fs;             // all changes before this time are in sections
  std::size_t enough_;                // number of changes at which to look for full sections
  std::uint64_t reported_ = 0;
};

}  // namespace kb::waves
