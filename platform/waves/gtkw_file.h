// A save file of GTKWave: what of a waveform file is shown, how, and from when to when.
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
  TimeFs from = 0_fs, until = 0_fs;  // what it has
  std::vector<Span> spans;           // by begin; the longest fills the window, each has markers at its ends
  std::size_t top_scopes = 0;        // around those of the machine
};

// Every signal, in groups that follow the machine: SIP, cube, PE or another block. The groups of the first PE are open.
std::string render_gtkw(const SaveFile& save, const std::vector<contract::SignalInfo>& signals);

}  // namespace kb::waves
