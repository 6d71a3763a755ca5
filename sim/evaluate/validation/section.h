// One part of the validation: its runs, what is measured in them, its figure.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/evaluate/evaluation.h"
#include "sim/evaluate/validation/measured.h"

namespace kb::evaluate {

// Rows by the id of their point.
using RowMap = std::map<std::string, Json>;

class ISection {
 public:
  virtual ~ISection() = default;

  virtual std::string name() const = 0;  // of --sections; ids of points begin with it
  virtual std::vector<Point> points(const topology::LoadedTopology& machine) const = 0;
  virtual Json row(const Point& point, const PointFiles& files) const = 0;
  virtual std::vector<Measured> measured(const topology::LoadedTopology& machine, const RowMap& rows) const = 0;
  // Members of its own in the data file, for the figure.
  virtual Json details(const RowMap&) const { return {}; }
  // The figure `validation_<name>`, a function of the data file.
  virtual Figure draw(const Json& data) const = 0;
};

std::unique_ptr<ISection> mesh_section();
std::unique_ptr<ISection> memory_section();
std::unique_ptr<ISection> links_section();
std::unique_ptr<ISection> gemm_section();
std::unique_ptr<ISection> collectives_section();
std::unique_ptr<ISection> monotony_section(std::uint64_t pairs);  // 0 = its own number

}  // namespace kb::evaluate
