// Tornado diagram: what each of several changes makes of one value.
#pragma once

#include <string>
#include <vector>

namespace kb::views {

struct TornadoEnd {
  std::string text;  // "230.4"
  double value = 0;
};

// A bar from the smallest to the largest end.
struct TornadoBar {
  std::string name;
  std::vector<TornadoEnd> ends;
};

struct Tornado {
  std::string heading;
  std::string axis;  // "time in ns"
  double base = 0;   // the value without a change
  std::vector<TornadoBar> bars;
};

// SVG with a bar in a row, in the given order, around a line at `base`; empty when there are no bars. Equal diagrams
// give equal bytes.
std::string to_svg(const Tornado& tornado);

}  // namespace kb::views
