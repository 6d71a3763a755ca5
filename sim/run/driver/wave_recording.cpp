#include "sim/run/driver/wave_recording.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "platform/base/error.h"
#include "platform/base/names.h"
#include "platform/base/split.h"
#include "platform/waves/fst_file.h"
#include "platform/waves/vcd_file.h"

namespace kb::sim {
namespace {

constexpr std::chrono::milliseconds kBetweenSaves{500};

std::unique_ptr<waves::IWaveFile> make_file(const WaveOptions& options) {
  if (options.format == WaveFormat::fst) return waves::make_fst_file(*options.file);
  return std::make_unique<waves::VcdFile>(*options.file);
}

waves::WaveRecorder::Options recorder_options(const WaveOptions& options) {
  waves::WaveRecorder::Options recorder;
  recorder.filters = options.filters;
  recorder.from = options.from;
  recorder.until = options.until;
  recorder.detail = options.detail;
  recorder.top = options.top;
  recorder.has_words = options.strings || options.format == WaveFormat::fst;
  return recorder;
}

}  // namespace

std::optional<WaveFormat> wave_format(const std::string& name) {
  const auto ends_in = [&](const char* ending) {
    constexpr std::size_t kEnding = 4;
    return name.size() > kEnding && name.compare(name.size() - kEnding, kEnding, ending) == 0;
  };
  if (ends_in(".vcd")) return WaveFormat::vcd;
  if (ends_in(".fst")) return WaveFormat::fst;
  return std::nullopt;
}

WaveRecording::WaveRecording(const WaveOptions& options)
    : options_(options), file_(make_file(options)), recorder_(*file_, recorder_options(options)) {}

WaveRecording::~WaveRecording() {
  keep();
}

void WaveRecording::check_filters() {
  const std::vector<std::string> unmatched = recorder_.unmatched_filters();
  if (unmatched.empty()) {
    is_running_ = true;
    saved_ = std::chrono::steady_clock::now();
    return;
  }
  throw Error::configuration(options_.filter_option + " '" + unmatched[0] +
                             "' matches no signal; a signal is named node.signal, e.g. '" + recorder_.example() +
                             "', and * stands for any characters");
}

bool WaveRecording::poll(TimeFs now) {
  now_ = now;
  recorder_.advance(now);
  const auto clock = std::chrono::steady_clock::now();
  if (clock - saved_ >= kBetweenSaves) save(now);
  return interrupted();
}

void WaveRecording::save(TimeFs now) {
  if (!is_running_ || !options_.file->writable() || options_.file->descriptor() < 0) return;
  const TimeFs until = recorder_.save(now);
  if (until > 0_fs) kept_ = "; " + options_.file->path() + " has the waveforms up to " + format_ns(until) + " ns";
  // after saving, so that the simulation continues regardless of its duration
  saved_ = std::chrono::steady_clock::now();
}

const char* WaveRecording::keep() noexcept {
  try {
    save(now_);
  } catch (...) {  // the earlier saved part still exists
  }
  is_running_ = false;
  return kept_.c_str();
}

void WaveRecording::finish(TimeFs end, std::vector<std::string>& warnings) {
  for (const std::string& filter : recorder_.useless_filters()) {
    warnings.push_back(options_.filter_option + " '" + filter + "' has matched no signal of this run");
  }
  if (options_.from > end) {
    warnings.push_back("the waveforms are empty: --wave-from-ns " + format_ns(options_.from) +
                       " is after the end of the run at " + format_ns(end) + " ns");
  }
  is_running_ = false;
  kept_.clear();
  recorder_.finish(end);
}

void WaveRecording::write_save_file(const std::vector<waves::Span>& spans, TimeFs end, const topology::Graph& machine) {
  if (options_.gtkw == nullptr) return;
  waves::SaveFile save;
  save.waveform = std::filesystem::absolute(options_.file->path()).lexically_normal().string();
  save.until = std::min(end, options_.until);
  save.from = std::min(options_.from, save.until);
  save.spans = spans;
  save.top_scopes = options_.top.empty() ? 0 : split(options_.top, '.').size();
  for (const topology::Node& node : machine.nodes) {
    if (node.kind != topology::NodeKind::pe_cpu) continue;
    save.pes.push_back((options_.top.empty() ? "" : options_.top + ".") + pe_name(node.pe_coord()));
  }
  options_.gtkw->write(waves::render_gtkw(save, recorder_.signals()));
}

}  // namespace kb::sim
