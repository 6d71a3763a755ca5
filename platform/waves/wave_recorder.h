// Collects waveform signals while the simulation runs and writes them section by section.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/contract/i_signal_observer.h"
#include "platform/waves/change_store.h"
#include "platform/waves/i_wave_file.h"
#include "platform/waves/section.h"

namespace kb::waves {

// Takes changes in any order (blocks report planned and retired flits). What nobody can report any more goes into the
// file in sections of many changes. Where a section ends follows from the changes alone and not from when it is
// written, so that equal runs give equal files. Where a signal changes several times at one time, the latest reported
// counts. Observing never touches simulated time. Any other source of signals declares and reports them in the same
// way.
class WaveRecorder final : public contract::ISignalObserver {
 public:
  struct Options {
    std::vector<std::string> filters;          // globs over "node.signal"; empty = every signal
    TimeFs from = 0_fs, until = kNever;        // what is recorded
    std::size_t buffered_changes = 4'000'000;  // 16 bytes each
    contract::WaveDetail detail = contract::WaveDetail::wire;
    std::string top;        // scopes around all others, "soc.npu"; empty: none
    bool has_words = true;  // a state has a string beside its number
    std::size_t section_changes = 500'000;
  };
  WaveRecorder(IWaveFile& file, Options options);

  using ISignalObserver::declare;
  contract::SignalId declare(const contract::SignalInfo& info) override;
  void change(contract::SignalId signal, TimeFs at, std::uint64_t value) override;
  void announce(const std::string& pattern) override;
  contract::WaveDetail detail() const override { return options_.detail; }
  void add_late(contract::ILateSignals& signals) override { late_.push_back(&signals); }

  // At any moment, often: writes sections when there is enough for some.
  void advance(TimeFs now) {
    if (store_.size() >= enough_) write_sections(now);
  }
  // At any moment: the file can be read as it is, up to a time that is returned.
  TimeFs save(TimeFs now);
  // Completes the file; changes after `end` are left out.
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

  std::vector<std::string> filters_without_signal(bool announced_counts) const;
  void settle(TimeFs now);
  void begin_file(TimeFs from);
  void write_sections(TimeFs now);
  void add_full_sections(TimeFs until);
  void add_section(TimeFs until);

  Options options_;
  IWaveFile& file_;
  std::vector<contract::SignalInfo> signals_;
  std::vector<TimeFs> early_times_;  // of the latest change up to `from`, by signal
  std::vector<std::uint64_t> early_values_;
  std::vector<contract::ILateSignals*> late_;
  std::vector<Match> matched_;
  std::string example_;
  ChangeStore store_;
  SectionBuilder builder_;
  std::size_t begun_ = 0;  // signals that the file knows
  TimeFs settled_ = 0_fs;  // no change before it is still to be reported
  TimeFs written_ = 0_fs;  // all changes before it are in sections
  std::size_t enough_;     // changes with which it is worth while to look for full sections
  std::uint64_t reported_ = 0;
};

}  // namespace kb::waves
