// A save file of GTKWave: the displayed signals of a waveform file, their format, and the time range.
#pragma once

#include <string>
#include <vector>

#include "platform/base/units.h"
#include "platform/contract/i_signal_observer.h"

namespace kb::waves {

struct Span {
  std::string name;
  TimeFs begin = 0_fs, end = 0_fs;
};

struct SaveFile {
  std::string waveform;              // path of the waveform file
  TimeFs from = 0_fs, until = 0_fs;  // time range of the waveform file
  std::vector<Span> spans;     // sorted by begin; the longest one fills the window, and each has markers at its ends
  std::size_t top_scopes = 0;  // number of scopes around the machine's
  std::vector<std::string> pes = {};  // scopes of the PEs, in the order of the machine
};

// Writes all signals, in groups that follow the machine: SIP, cube, PE or other block. The groups of the first PE are
// open.
std::string render_gtkw(const SaveFile& save, const std::vector<contract::SignalInfo>& signals);

}  // namespace kb::waves
