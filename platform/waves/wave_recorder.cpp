#include "platform/waves/wave_recorder.h"

#include <algorithm>
#include <map>

#include "platform/base/error.h"
#include "platform/base/glob.h"

namespace kb::waves {

WaveRecorder::WaveRecorder(IWaveFile& file, Options options)
    : options_(std::move(options)),
      file_(file),
      matched_(options_.filters.size(), Match::none),
      store_(options_.buffered_changes),
      enough_(2 * options_.section_changes) {}

contract::SignalId WaveRecorder::declare(const contract::SignalInfo& info) {
  const std::string full = info.full_name();
  if (info.bits < 1 || info.bits > 64) throw Error::model("waveform signal " + full + " must have 1 to 64 bits");
  if (example_.empty()) example_ = full;
  bool wanted = options_.filters.empty();
  for (std::size_t i = 0; i < options_.filters.size(); ++i) {
    if (!glob_match(options_.filters[i], full)) continue;
    wanted = true;
    matched_[i] = Match::declared;
  }
  if (!wanted) return contract::kNoSignal;
  contract::SignalInfo& signal = signals_.emplace_back(info);
  if (!options_.top.empty()) signal.scope = options_.top + "." + signal.scope;
  if (!options_.has_words) signal.words.clear();
  early_times_.push_back(-1_fs);
  early_values_.push_back(0);
  return static_cast<contract::SignalId>(signals_.size() - 1);
}

void WaveRecorder::announce(const std::string& pattern) {
  for (std::size_t i = 0; i < options_.filters.size(); ++i) {
    if (matched_[i] == Match::none && globs_meet(options_.filters[i], pattern)) matched_[i] = Match::announced;
  }
}

void WaveRecorder::change(contract::SignalId signal, TimeFs at, std::uint64_t value) {
  if (signal == contract::kNoSignal || at > options_.until) return;
  ++reported_;
  if (at < final_until_) {
    throw Error::model("a change of " + signals_[signal].full_name() + " at " + format_ns(at) +
                       " ns was reported when no change before " + format_ns(final_until_) + " ns was to come");
  }
  if (at > options_.from) {
    store_.add(at, signal, value);
  } else if (at >= early_times_[signal]) {
    early_times_[signal] = at;
    early_values_[signal] = value;
  }
}

std::vector<std::string> WaveRecorder::filters_without_signal(bool announced_counts) const {
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < matched_.size(); ++i) {
    if (matched_[i] == Match::none || (matched_[i] == Match::announced && !announced_counts))
      missing.push_back(options_.filters[i]);
  }
  return missing;
}

// The final time depends only on `now`, regardless of earlier calls.
void WaveRecorder::settle(TimeFs now) {
  TimeFs until = now;
  for (contract::IDeferredSignals* const late : late_) until = std::min(until, late->report_until(now));
  final_until_ = std::max(final_until_, until);
}

void WaveRecorder::begin_file(TimeFs from) {
  if (declared_signals_ == signals_.size() && declared_signals_ > 0) return;
  for (std::size_t s = declared_signals_; s < signals_.size(); ++s) {
    builder_.set_value(static_cast<std::uint32_t>(s), early_values_[s]);
  }
  file_.begin(signals_, from, early_values_);
  declared_signals_ = signals_.size();
}

void WaveRecorder::write_sections(TimeFs now) {
  settle(now);
  if (final_until_ > options_.from) {
    begin_file(options_.from);
    add_full_sections(final_until_);
  }
  enough_ = 2 * std::max(options_.section_changes, store_.size());
}

// A section ends at a multiple of a cell, when enough changes have been reported since the last section.
void WaveRecorder::add_full_sections(TimeFs until) {
  constexpr int kCell = 24;  // bits of femtoseconds: 17 ns
  constexpr std::int64_t kMostCells = std::int64_t{1} << 22;
  const std::int64_t first = written_.fs() >> kCell, cells = (until.fs() >> kCell) - first + 1;
  std::vector<std::size_t> counts(static_cast<std::size_t>(std::min(cells, kMostCells)), 0);
  std::map<std::int64_t, std::size_t> later;  // cells beyond the list, for runs with long idle times
  store_.each(until, [&](const Change& change) {
    const std::int64_t cell = (change.at >> kCell) - first;
    cell < kMostCells ? ++counts[static_cast<std::size_t>(cell)] : ++later[cell];
  });
  std::size_t changes = 0;
  const auto pass = [&](std::int64_t cell, std::size_t count) {
    changes += count;
    const TimeFs end((first + cell + 1) << kCell);
    if (changes < options_.section_changes || end > until) return;
    add_section(end);
    changes = 0;
  };
  for (std::size_t cell = 0; cell < counts.size(); ++cell) pass(static_cast<std::int64_t>(cell), counts[cell]);
  for (const auto& [cell, count] : later) pass(cell, count);
}

void WaveRecorder::add_section(TimeFs until) {
  store_.take(until, [this](const Change& change) { builder_.add(change); });
  file_.add(builder_.build(false));
  written_ = until;
}

TimeFs WaveRecorder::save(TimeFs now) {
  settle(now);
  if (final_until_ <= options_.from || signals_.empty()) return 0_fs;
  begin_file(options_.from);
  if (store_.size() >= options_.section_changes) add_full_sections(final_until_);
  store_.each(final_until_, [this](const Change& change) { builder_.add(change); });
  const TimeFs until = std::min(final_until_ - 1_fs, options_.until);
  file_.show(builder_.build(true), until);
  return until;
}

void WaveRecorder::finish(TimeFs end) {
  end = std::max(std::min(end, options_.until), 0_fs);
  begin_file(std::min(options_.from, end));
  add_full_sections(end + 1_fs);
  add_section(end + 1_fs);
  file_.end(end);
}

}  // namespace kb::waves
