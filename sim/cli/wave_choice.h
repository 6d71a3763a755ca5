#pragma once

#include <string>
#include <utility>
#include <vector>

#include "platform/observe/output_set.h"
#include "sim/run/driver/wave_options.h"

namespace CLI {
class App;
}

namespace kb {
struct DeviceConfig;
}

namespace kb::cli {

class FileRoles;

// Which waveforms a run writes: --wave, --vcd and the --wave-... options.
class WaveChoice {
 public:
  void add_options(CLI::App& app);
  void add_roles(FileRoles& roles) const;
  // Validates the options; throws a usage Error when a file name tells no format or an option lacks a waveform file.
  void check() const;
  // After check(). The files are among `outputs`.
  sim::WaveOptions open(observe::OutputSet& outputs) const;
  // open() for a device, which opens the files itself.
  void configure(DeviceConfig& device) const;
  // What was written, for the report.
  void add_files(std::vector<std::pair<std::string, std::string>>& list) const;

 private:
  const std::string& file() const { return wave_.empty() ? vcd_ : wave_; }

  bool is_fst() const;

  std::string wave_, vcd_, gtkw_;
  std::vector<std::string> filters_;
  std::string detail_ = "wire";
  bool strings_ = false;
  double from_ns_ = 0.0;
  double until_ns_ = 0.0;  // 0 = to the end
};

}  // namespace kb::cli
