// The axes of a sweep: the varied settings and their values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/error.h"

namespace kb::sweep {

// Kind of setting that a value is assigned to.
enum class Target : std::uint8_t {
  parameter,  // parameter of the workload: --set NAME
  machine,    // topology key: --set KEY
  run,        // option of `kernbench run`: workload, topology, device, seed
};

struct Assignment {
  Target target = Target::parameter;
  std::string name;  // kAnyName: the value is a list of NAME=VALUE separated by spaces, possibly empty
  std::string value;
};
inline constexpr const char* kAnyName = "*";

// One column of the table. A zipped axis has several columns, which advance together.
struct AxisColumn {
  std::string name;
  Target target = Target::parameter;
  std::string key;
  std::vector<std::string> values;
  std::string sql;        // query on the machine that returns the values (fill_axes)
  Diagnostic place = {};  // position in the file; message and remedy are empty
};

struct Axis {
  std::string name;
  Diagnostic place = {};
  std::vector<AxisColumn> columns;  // all have equal length
  std::size_t size() const { return columns.empty() ? 0 : columns.front().values.size(); }
};

}  // namespace kb::sweep
