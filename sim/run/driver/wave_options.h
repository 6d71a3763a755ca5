// What of a run's waveforms is written, and where.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/contract/i_signal_observer.h"
#include "platform/observe/output_file.h"

namespace kb::sim {

enum class WaveFormat { vcd, fst };

// The format that the ending of a file's name says, .vcd or .fst; no value for others.
std::optional<WaveFormat> wave_format(const std::string& name);

struct WaveOptions {
  observe::OutputFile* file = nullptr;  // none when null; the caller commits
  WaveFormat format = WaveFormat::vcd;
  contract::WaveDetail detail = contract::WaveDetail::wire;
  std::vector<std::string> filters;             // globs over "node.signal"; empty = every signal
  std::string filter_option = "--wave-filter";  // as messages call it
  TimeFs from = 0_fs, until = kNever;           // what is recorded
  bool strings = false;                         // in a VCD: words of states beside their numbers; an FST has them
  std::string top;                              // scopes around those of the machine; none when empty
  observe::OutputFile* gtkw = nullptr;          // a save file of GTKWave for what was recorded; none when null
};

}  // namespace kb::sim
