#pragma once

#include <string>

namespace kb::sim {

// The built-in configs/reference.yaml, with which the settings of a result are compared.
struct BuiltinTopology {
  std::string name;
  std::string text;
};

// Defined in a generated source (cmake/embed_topology.cmake).
BuiltinTopology builtin_topology();

}  // namespace kb::sim
