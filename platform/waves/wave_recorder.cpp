#include "platform/waves/wave_recorder.h"

#include <algorithm>

#include "platform/base/error.h"
#include "platform/base/glob.h"

namespace kb::waves {

WaveRecorder::WaveRecorder(IWaveFile& file, Options options)
    : options_(std::move(options)),
      file_(file),
      matched_(options_.filters.size(), Match::none),
      store_(options_.buffered_changes) {}

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
  signals_.push_back(info);
  early_.emplace_back();
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
  if (at > options_.from) {
    store_.add(at, signal, value);
  } else if (Early& early = early_[signal]; at >= early.at) {
    early = {at, value};
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

void WaveRecorder::finish(TimeFs end) {
  end = std::max(std::min(end, options_.until), 0_fs);
  const TimeFs from = std::min(options_.from, end);
  file_.begin(signals_, from);
  struct State {
    std::uint64_t written = 0;
    std::uint64_t latest = 0;  // at the time in hand
  };
  std::vector<State> states(signals_.size());
  for (std::uint32_t s = 0; s < states.size(); ++s) {
    states[s].written = states[s].latest = early_[s].value;
    file_.initial(s, early_[s].value);
  }
  file_.end_initial();
  std::vector<std::uint32_t> touched;  // signals that changed at the time in hand, perhaps several times
  TimeFs at = from;
  const auto flush = [&] {
    if (touched.size() > 1) std::sort(touched.begin(), touched.end());
    bool announced = false;
    for (const std::uint32_t s : touched) {
      State& state = states[s];
      if (state.latest == state.written) continue;
      if (!announced) file_.time(at);
      announced = true;
      state.written = state.latest;
      file_.change(s, state.written);
    }
    touched.clear();
  };
  store_.drain([&](TimeFs when, std::uint32_t s, std::uint64_t value) {
    if (when > end) return false;
    if (when > at) flush();
    at = when;
    states[s].latest = value;
    touched.push_back(s);
    return true;
  });
  flush();
  file_.end(end);
}

}  // namespace kb::waves
