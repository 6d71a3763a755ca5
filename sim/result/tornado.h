// tornado.json: what each key of the machine does to a run (`kernbench why --machine`).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/units.h"
#include "sim/result/field_table.h"

namespace kb::result {

inline constexpr const char* kTornadoFile = "why/tornado.json";  // in the folder of the run
inline constexpr const char* kTornadoSchema = "kernbench tornado 1";

// The run with another value of a key.
struct TornadoTrial {
  std::string value;
  std::optional<TimeFs> time;
  bool not_run = false;
  std::string problem;
};

struct TornadoKey {
  std::string key, value, text;
  TimeFs swing = 0_fs;
  std::vector<TornadoTrial> trials;
};

struct Tornado {
  std::string schema = kTornadoSchema;
  std::string version;
  std::string inputs_sha256;
  std::string workload;
  std::string command;
  TimeFs time = 0_fs;
  std::vector<TornadoKey> keys;
  std::vector<std::string> not_tried;
};

template <>
struct Fields<TornadoTrial> {
  static constexpr auto kName = "tornado_trial", kMeaning = "the run with another value of a key";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("value", self.value, "that the key has");
    visit("time_ns", self.time, "its time; null: it has none");
    visit("not_run", self.not_run, "the budget was spent");
    visit("problem", self.problem, "why it is no machine or no run; empty: it was run, or not tried");
  }
};

template <>
struct Fields<TornadoKey> {
  static constexpr auto kName = "tornado_key", kMeaning = "a key of the machine, changed alone";
  static constexpr bool kOneLine = false;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("key", self.key, "its name");
    visit("value", self.value, "that it has in the run");
    visit("text", self.text, "what it means");
    visit("swing_ns", self.swing, "largest difference from the time of the run; 0: it changes nothing");
    visit("trials", self.trials, "its other values");
  }
};

template <>
struct Fields<Tornado> {
  static constexpr auto kName = "tornado", kMeaning = "tornado.json of kernbench";
  static constexpr bool kOneLine = false;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit.one_of("schema", self.schema, {kTornadoSchema}, "of this file");
    visit("version", self.version, "of the program");
    visit.matching("inputs_sha256", self.inputs_sha256, "^[0-9a-f]{64}$", "of inputs.json of the run");
    visit("workload", self.workload, "its name");
    visit("command", self.command, "of the run");
    visit("time_ns", self.time, "from the first submission of a launch to the last completion");
    visit("keys", self.keys, "the largest swing first, then by name");
    visit("not_tried", self.not_tried, "keys that have no other value to try: names, places, models");
  }
};

std::string render(const Tornado& tornado);

// The file of a run's folder.
std::string tornado_file_of(const std::string& folder);
// Reads tornado.json, or that of the folder of a run. Configuration Error that names the file, and the member that is
// wrong.
Tornado read_tornado(const std::string& path);

}  // namespace kb::result
