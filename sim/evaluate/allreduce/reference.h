// A measurement of other hardware that figures show beside the simulation (E-40, E-90, E-91).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace kb::evaluate {

// The checked contents of a reference file:
//   {"point": {"label", "origin", "bytes", "latency_ns"},
//    "curve": {"label", "origin", "startup_ns", "per_packet_ns", "packet_bytes"}}
// each of the two may be left out. `file` empty = the one that comes with kernbench. Configuration Error that names
// file, member and what it must be.
nlohmann::ordered_json load_reference(const std::string& file);

// The file that is compiled in, made from configs/allreduce_reference.json.
extern const char kBuiltInReference[];

}  // namespace kb::evaluate
