#include "tests/machine/device/memory_case.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "platform/base/error.h"
#include "tests/machine/device/systemc_reports.h"
#include "tests/support/own_process.h"

namespace kb::test {

std::string memory_machine(const std::string& attrs, const std::string& node) {
  std::ifstream file(KB_CONFIG_DIR "/one_pe.yaml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return text + "\nreplace:\n  - {nodes: " + node + ", impl: tlm.memory, attrs: {socket: dram, " + attrs + "}}\n";
}

Transfer make_transfer(bool write, std::uint64_t address, std::size_t bytes, sc_core::sc_time at) {
  Transfer transfer;
  transfer.at = at;
  transfer.write = write;
  transfer.address = address;
  transfer.data.resize(bytes, 0x5a);
  return transfer;
}

namespace {

std::int64_t statistic(const DeviceReport& report, const std::string& name) {
  std::int64_t sum = 0;
  for (const DeviceReport::Statistic& one : report.statistics) sum += one.name == name ? one.value : 0;
  return sum;
}

// How long the only signal of a VCD of one bit is 1, in fs; the file goes.
std::uint64_t time_high(const std::string& vcd) {
  std::uint64_t now = 0, since = 0, high = 0;
  bool is_high = false;
  std::ifstream file(vcd);
  for (std::string line; std::getline(file, line);) {
    if (line[0] == '#') now = std::stoull(line.substr(1));
    if (line[0] != '0' && line[0] != '1') continue;
    if (is_high) high += now - since;
    is_high = line[0] == '1';
    since = now;
  }
  std::remove(vcd.c_str());
  return high + (is_high ? now - since : 0);
}

}  // namespace

Outcome run_memory_case(const std::string& yaml, const std::vector<Transfer>& transfers, const Bind& bind,
                        const std::vector<std::string>& expected) {
  const SystemcReports reports;
  DeviceConfig config;
  config.topology_text = yaml;
  config.no_progress_ns = 50'000;
  config.on_failure = "warning";
  config.wave = "memory_test." + std::to_string(::getpid()) + ".vcd";
  config.wave_filters = {"sip0.cube0.*stalled"};
  Device device("device", config);
  const std::unique_ptr<sc_core::sc_module> memory = bind(device);
  LtInitiator initiator("initiator", transfers);
  initiator.socket.bind(device.target("cpu0"));
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
  const DeviceReport report = device.finish();
  Outcome outcome;
  for (const Transfer& transfer : initiator.transfers()) {
    outcome.completed = std::max<std::uint64_t>(outcome.completed, transfer.completed.value());
    outcome.failed += transfer.status == tlm::TLM_OK_RESPONSE ? 0 : 1;
  }
  outcome.accesses = static_cast<std::uint64_t>(statistic(report, "outside_accesses"));
  outcome.stall = static_cast<std::uint64_t>(statistic(report, "outside_stall"));
  const auto outside = [&](const char* name) { return static_cast<std::uint64_t>(statistic(report, name)); };
  outcome.busy = outside("outside.busy");
  outcome.waited_for_accept = outside("outside.wait.accept");
  outcome.waited_for_answer = outside("outside.wait.answer");
  const std::uint64_t shown = time_high(config.wave);
  if (shown != outcome.stall) {
    throw Error::model("stalled is 1 for " + std::to_string(shown) + " fs, but outside_stall is " +
                       std::to_string(outcome.stall));
  }
  outcome.ok = report.ok;
  std::string text = report.text;
  for (const SystemcReports::One& one : reports.all()) text += one.text + "\n";
  for (const Transfer& transfer : initiator.transfers()) text += transfer.cause + "\n";
  for (const std::string& part : expected) {
    if (text.find(part) == std::string::npos) throw Error::model("'" + part + "' is not in what is said: " + text);
  }
  return outcome;
}

Outcome isolated(const std::function<Outcome()>& run) {
  return in_own_process(run);
}

}  // namespace kb::test
