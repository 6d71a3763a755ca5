// Files of this folder that are compiled in.
#pragma once

namespace kb::evaluate {

extern const char kOutsideFigures[];  // outside_figures.csv
extern const char kMeshMachine[];     // machines/mesh.yaml
extern const char kMeshGrid[];        // machines/mesh_grid.yaml
extern const char kMemoryMachine[];   // machines/memory.yaml

}  // namespace kb::evaluate
