#include "sim/cli/wave_choice.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "sim/cli/arguments.h"
#include "sim/cli/file_roles.h"
#include "sim/cli/program.h"
#include "sim/ports/device/device.h"

namespace kb::cli {
namespace {

constexpr double kMaxNs = 1e12;
const std::vector<std::string> kDetails = {"wire", "flit"};  // in the order of contract::WaveDetail

}  // namespace

void WaveChoice::add_options(CLI::App& app) {
  app.add_option("--wave", wave_, "Write waveforms for GTKWave to FILE, which ends in .vcd or .fst")->type_name("FILE");
  app.add_option("--vcd", vcd_, "The same as VCD, whatever FILE is called")->type_name("FILE");
  app.add_option("--gtkw", gtkw_, "Write a save file of GTKWave that shows what --wave records")->type_name("FILE");
  app.add_option("--wave-filter,--vcd-filter", filters_,
                 "Only signals whose node.signal matches, * stands for anything; may be repeated")
      ->type_name("PATTERN")
      ->expected(1)
      ->take_all();
  app.add_option("--wave-detail", detail_, "What is shown of a wire: wire (busy, queue) or flit (every flit)")
      ->type_name("DETAIL")
      ->capture_default_str();
  app.add_flag("--wave-strings", strings_, "In a VCD: states as strings, too, which GTKWave reads; an FST has them");
  add_real_option(app, "--wave-from-ns", from_ns_, 0.0, kMaxNs, "Waveforms from this simulated time on")
      ->type_name("NS");
  add_real_option(app, "--wave-until-ns", until_ns_, 0.0, kMaxNs, "Waveforms up to this simulated time")
      ->type_name("NS");
}

void WaveChoice::add_roles(FileRoles& roles) const {
  roles.writes("--wave", wave_);
  roles.writes("--vcd", vcd_);
  roles.writes("--gtkw", gtkw_);
}

void WaveChoice::check() const {
  if (!wave_.empty() && !vcd_.empty()) throw usage_error("--wave and --vcd write the same waveforms; leave one out");
  if (std::find(kDetails.begin(), kDetails.end(), detail_) == kDetails.end())
    throw usage_error("--wave-detail " + detail_ + ": " + suggest(detail_, kDetails));
  if (file().empty()) {
    if (detail_ != kDetails.front()) throw usage_error("--wave-detail needs --wave FILE");
    if (!gtkw_.empty()) throw usage_error("--gtkw needs --wave FILE, which it shows");
    if (!filters_.empty()) throw usage_error("--wave-filter needs --wave FILE (or --vcd FILE)");
    if (strings_) throw usage_error("--wave-strings needs --wave FILE (or --vcd FILE)");
    if (from_ns_ > 0.0) throw usage_error("--wave-from-ns needs --wave FILE");
    if (until_ns_ > 0.0) throw usage_error("--wave-until-ns needs --wave FILE");
    return;
  }
  if (!wave_.empty() && !sim::wave_format(wave_)) {
    throw usage_error("--wave " + wave_ + " has no known format; a waveform file ends in .vcd or .fst");
  }
  if (until_ns_ > 0.0 && until_ns_ < from_ns_) throw usage_error("--wave-until-ns is before --wave-from-ns");
}

bool WaveChoice::is_fst() const {
  return sim::wave_format(wave_) == sim::WaveFormat::fst;
}

sim::WaveOptions WaveChoice::open(observe::OutputSet& outputs) const {
  sim::WaveOptions options;
  if (file().empty()) return options;
  options.file = &outputs.add(file(), "the waveform file");
  options.format = is_fst() ? sim::WaveFormat::fst : sim::WaveFormat::vcd;
  const auto detail = std::find(kDetails.begin(), kDetails.end(), detail_);
  options.detail = static_cast<contract::WaveDetail>(detail - kDetails.begin());
  options.filters = filters_;
  options.strings = strings_;
  options.from = ns_to_fs(from_ns_);
  if (until_ns_ > 0.0) options.until = ns_to_fs(until_ns_);
  if (!gtkw_.empty()) options.gtkw = &outputs.add(gtkw_, "the save file of GTKWave");
  return options;
}

void WaveChoice::configure(DeviceConfig& device) const {
  if (sim::wave_format(vcd_) == sim::WaveFormat::fst) {
    throw usage_error("--vcd " + vcd_ + ": here a file that ends in .fst is an FST; call it .vcd");
  }
  device.wave = file();
  device.wave_filters = filters_;
  device.wave_detail = detail_;
  device.wave_strings = strings_;
  device.wave_from_ns = from_ns_;
  device.wave_until_ns = until_ns_;
  device.gtkw = gtkw_;
}

void WaveChoice::add_files(std::vector<std::pair<std::string, std::string>>& list) const {
  if (!file().empty()) list.emplace_back("waveforms", file());
  if (!gtkw_.empty()) list.emplace_back("GTKWave", gtkw_);
}

}  // namespace kb::cli
