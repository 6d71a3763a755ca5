// A point: a run that differs from the base run by some changes.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kb::why {

struct Change {
  enum class Where {
    key,        // a key of the topology
    nodes,      // an attribute of the nodes that match `what`, by an entry of `replace:`
    links,      // the same for links
    parameter,  // a parameter of the workload
    code,       // a supposed change of the code (--relief); `what`: its kind
  };
  Where where = Where::key;
  std::string what;   // key, pattern or name of the parameter
  std::string name;   // of the attribute; "impl": another implementation
  std::string value;  // YAML scalar

  friend bool operator==(const Change& a, const Change& b) {
    return a.where == b.where && a.what == b.what && a.name == b.name && a.value == b.value;
  }
};

struct Point {
  std::vector<Change> changes;
  bool pinned = true;  // keeps routes and choices of the base run
};

using Assignments = std::vector<std::pair<std::string, std::string>>;

// The changes of the machine as overrides of a topology whose `replace:` has `replacements` entries.
Assignments overrides_of(const Point& point, std::size_t replacements);
// The changes of the workload.
Assignments parameters_of(const Point& point);

// The supposed changes of code, as add_relief() takes them.
std::vector<std::string> code_of(const Point& point);

// The same as options of `kernbench run`, one after the other and quoted for a shell; `pins` is the folder of the base
// run.
std::string options_of(const Point& point, std::size_t replacements, const std::string& pins);

// A word as it has to be written in a shell.
std::string quoted(const std::string& word);

}  // namespace kb::why
