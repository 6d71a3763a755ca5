// `kernbench serve`: a machine for a peer in another process.
#pragma once

#include <functional>
#include <string>

#include "sim/ports/device/device.h"

namespace kb::remote {

struct ServeOptions {
  std::string place;  // unix:PATH, tcp:PORT or tcp:HOST:PORT
  std::string token;  // what a peer says first; empty: nothing
  int sessions = 1;   // peers, one after the other; 0: until the process is ended
  double quantum_ns = 1000.0;
  DeviceConfig device;                           // without targets
  std::function<void(const std::string&)> warn;  // hears of failures and breaches when they happen
};

struct ServeResult {
  DeviceReport report;
  std::uint64_t packets = 0;
};

// Waits for a peer, serves it until it goes, then for the next one, whose session begins at the time at which the one
// before has ended; finishes the device after the last. `tell` gets a line for people. What the peer
// has done wrong, or what has failed in the machine, is in the report.
ServeResult serve(const ServeOptions& options, const std::function<void(const std::string&)>& tell);

}  // namespace kb::remote
