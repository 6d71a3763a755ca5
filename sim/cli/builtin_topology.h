#pragma once

#include <string>

namespace kb::cli {

// A topology compiled into the executable.
struct BuiltinTopology {
  std::string name;  // file name in messages and results, e.g. "configs/reference.yaml"
  std::string text;
};

// Defined once per executable by a generated source (cmake/KbSimulation.cmake).
BuiltinTopology builtin_topology();

}  // namespace kb::cli
