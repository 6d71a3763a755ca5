// Roofline diagram: operations per ns over operations per byte, with the limits of memory and engines.
#pragma once

#include <string>
#include <vector>

namespace kb::views {

struct RooflinePoint {
  std::string name;        // "GEMM of #3 linear"
  double per_byte = 0;     // operations per byte of memory
  double per_ns = 0;       // operations per ns: 10^9 a second
  double peak_per_ns = 0;  // limit of its engines
};

struct Roofline {
  std::string heading;
  std::string memory_name;  // "HBM"
  double memory_gbs = 0;
  std::vector<RooflinePoint> points;
};

// SVG with logarithmic axes; empty when no point can be drawn. Equal rooflines give equal bytes.
std::string to_svg(const Roofline& roofline);

}  // namespace kb::views
