// `kernbench serve`: simulates a machine for a peer in another process.
#pragma once

#include <functional>
#include <string>

#include "sim/ports/device/device.h"

namespace kb::remote {

struct ServeOptions {
  std::string place;  // unix:PATH, tcp:PORT or tcp:HOST:PORT
  std::string token;  // first line that a peer must send; empty: none
  int sessions = 1;   // number of consecutive peers; 0: unlimited
  double quantum_ns = 1000.0;
  DeviceConfig device;                           // its targets are not used
  std::function<void(const std::string&)> warn;  // called for failures and protocol violations when they happen
};

struct ServeResult {
  DeviceReport report;
  std::uint64_t packets = 0;
};

// Waits for a peer and serves it until it disconnects, then for the next one, whose session begins at the time at which
// the previous one ended; finishes the device after the last session. `tell` receives lines for the user. Protocol
// violations of the peer and failures of the machine are in the report.
ServeResult serve(const ServeOptions& options, const std::function<void(const std::string&)>& tell);

}  // namespace kb::remote
