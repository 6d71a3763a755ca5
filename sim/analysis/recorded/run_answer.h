// Answer to the first request of the page for a run: its result and the other contents of its folder.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/result/fields.h"
#include "sim/result/tornado.h"
#include "sim/result/why.h"

namespace kb::analysis {

// Times are texts in fs, because a JavaScript number cannot represent those of long runs exactly.
struct LaunchAnswer {
  result::Launch launch;
  std::string submit_fs;
  std::optional<std::string> start_fs, completed_fs;
};

struct RunAnswer {
  std::string folder;
  result::Result result;  // without launches and the keys of the topology
  std::vector<LaunchAnswer> launches;
  std::optional<result::Members<std::uint64_t>> machine;
  std::optional<bool> own_topology;
  bool has_operations = false;
  std::optional<result::Why> why;
  std::optional<std::string> why_problem;
  std::optional<result::Tornado> tornado;
  std::optional<std::string> tornado_problem;
};

}  // namespace kb::analysis

namespace kb::result {

template <>
struct Fields<analysis::LaunchAnswer> {
  static constexpr auto kName = "launch_answer", kMeaning = "a launch with its times in fs";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    Fields<Launch>::visit(self.launch, visit);
    visit("submit_fs", self.submit_fs, "submit_ns in fs");
    visit("start_fs", self.start_fs, "start_ns in fs");
    visit("completed_fs", self.completed_fs, "completed_ns in fs");
  }
};

template <>
struct Fields<analysis::RunAnswer> {
  static constexpr auto kName = "run_answer", kMeaning = "a run as its folder has it";
  static constexpr bool kOneLine = false;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("folder", self.folder, "its name");
    Fields<Result>::before_launches(self.result, visit);
    visit("launches", self.launches, Fields<Result>::kLaunches);
    Fields<Result>::after_launches(self.result, visit);
    visit.may("machine", self.machine, "how many it has of each part; only where topology.json is there");
    visit.may("own_topology", self.own_topology, "topology.json is the machine of the run");
    visit("has_operations", self.has_operations, "there is an operation log");
    visit.may("why", self.why, "why.json, where it is about this run");
    visit.may("why_problem", self.why_problem, "why there is a why.json that is not shown");
    visit.may("tornado", self.tornado, "tornado.json, where it is about this run");
    visit.may("tornado_problem", self.tornado_problem, "why there is a tornado.json that is not shown");
  }
};

}  // namespace kb::result
