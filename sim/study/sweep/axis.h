// The axes of a sweep: what is varied, and over which values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/error.h"

namespace kb::sweep {

// What a value is given to.
enum class Target : std::uint8_t {
  parameter,  // of the workload: --set NAME
  machine,    // a key of the topology: --set KEY
  run,        // an option of `kernbench run`: workload, topology, device, seed
};

struct Assignment {
  Target target = Target::parameter;
  std::string name;  // kAnyName: the value is a list of NAME=VALUE with spaces between, which may be empty
  std::string value;
};
inline constexpr const char* kAnyName = "*";

// One column of the table. A zipped axis has several, which advance together.
struct AxisColumn {
  std::string name;
  Target target = Target::parameter;
  std::string key;
  std::vector<std::string> values;
  std::string sql;        // asks the machine for the values, instead (fill_axes)
  Diagnostic place = {};  // where the file names it; message and remedy are empty
};

struct Axis {
  std::string name;
  Diagnostic place = {};
  std::vector<AxisColumn> columns;  // of equal length
  std::size_t size() const { return columns.empty() ? 0 : columns.front().values.size(); }
};

}  // namespace kb::sweep
