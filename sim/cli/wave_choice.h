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

// Waveform options of a run: --wave, --vcd and the --wave-... options.
class WaveChoice {
 public:
  void add_options(CLI::App& app);
  void add_roles(FileRoles& roles) const;
  // Validates the options. Usage Error when a file name does not imply a format, or when an option needs a waveform
  // file.
  void check() const;
  // Requires check(). The files are added to `outputs`.
  sim::WaveOptions open(observe::OutputSet& outputs) const;
  // Like open(), for a device, which opens the files itself.
  void configure(DeviceConfig& device) const;
  // Adds the written files to the report's list.
  void add_files(std::vector<std::pair<std::string, std::string>>& list) const;

 private:
  const std::string& file() const { return wave_.empty() ? vcd_ : wave_; }

  bool is_fst() const;

  std::string wave_, vcd_, gtkw_;
  std::vector<std::string> filters_;
  std::string detail_ = "wire";
  bool strings_ = false;
  double from_ns_ = 0.0;
  double until_ns_ = 0.0;  // 0 = until the end
};

}  // namespace kb::cli
