// Files of this folder that are compiled in.
#pragma once

namespace kb::evaluate {

extern const char kOutsideFigures[];  // outside_figures.csv
extern const char kMeshMachine[];     // machines/mesh.yaml
extern const char kMeshGrid[];        // machines/mesh_grid.yaml
extern const char kMemoryMachine[];   // machines/memory.yaml

extern const char kSipsMachine[];  // machines/sips8.yaml
extern const char kCubeMachine[];  // machines/cube8.yaml

}  // namespace kb::evaluate
