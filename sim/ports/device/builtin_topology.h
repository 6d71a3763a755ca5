#pragma once

#include <string>

namespace kb::sim {

// configs/reference.yaml, compiled in: the settings of a result are compared with it.
struct BuiltinTopology {
  std::string name;
  std::string text;
};

// Defined in a generated source (cmake/embed_topology.cmake).
BuiltinTopology builtin_topology();

}  // namespace kb::sim
