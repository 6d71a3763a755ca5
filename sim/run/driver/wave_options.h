// Options for the waveforms of a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/contract/i_signal_observer.h"
#include "platform/observe/output_file.h"

namespace kb::sim {

enum class WaveFormat { vcd, fst };

// Format by the file name's suffix, .vcd or .fst; no value for other names.
std::optional<WaveFormat> wave_format(const std::string& name);

struct WaveOptions {
  observe::OutputFile* file = nullptr;  // may be null; the caller commits
  WaveFormat format = WaveFormat::vcd;
  contract::WaveDetail detail = contract::WaveDetail::wire;
  std::vector<std::string> filters;             // globs over "node.signal"; empty = all signals
  std::string filter_option = "--wave-filter";  // name of the option in messages
  TimeFs from = 0_fs, until = kNever;           // recorded time range
  bool strings = false;                 // VCD: state names as strings in addition to numbers; an FST always has them
  std::string top;                      // outer scopes; may be empty
  observe::OutputFile* gtkw = nullptr;  // GTKWave save file; may be null
};

}  // namespace kb::sim
