// inputs.json: everything that decides a run, so that it can be repeated and its choices can be made again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/units.h"
#include "sim/result/field_table.h"

namespace kb::result {

inline constexpr const char* kInputsFile = "inputs.json";
inline constexpr const char* kInputsSchema = "kernbench inputs 1";

// A file by its contents.
struct FileStamp {
  std::string file, sha256;
};

struct MachineText {
  std::string file;    // as given; empty: the machine of the program
  std::string name;    // in messages
  std::string sha256;  // of the text
  std::string text;
  std::vector<std::string> set;  // overrides, KEY=VALUE
};

struct GivenParameter {
  std::string name, value, origin;
};

struct Inputs {
  std::string schema = kInputsSchema;
  std::string version;
  std::string plugin_abi;
  MachineText topology;
  std::optional<MachineText> pins;  // the planning machine, when it is another one
  std::vector<FileStamp> files;     // that the topology, the parameters or collectives name
  std::vector<FileStamp> plugins;
  std::string workload;
  std::vector<GivenParameter> params;
  std::string device;
  std::uint64_t seed = 0;
  std::string data_mode;
  bool verify = false, strict = false;
  std::vector<std::string> reliefs;  // supposed changes of kernels
  std::optional<TimeFs> time_limit;
};

template <>
struct Fields<FileStamp> {
  static constexpr auto kName = "file_stamp", kMeaning = "a file and its contents";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("file", self.file, "as given");
    visit.matching("sha256", self.sha256, "^[0-9a-f]{64}$", "of its bytes");
  }
};

template <>
struct Fields<MachineText> {
  static constexpr auto kName = "machine_text", kMeaning = "what a machine was made of";
  static constexpr bool kOneLine = false;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("file", self.file, "as given; empty: the machine of the program");
    visit("name", self.name, "in messages");
    visit.matching("sha256", self.sha256, "^[0-9a-f]{64}$", "of the text");
    visit("set", self.set, "keys that --set changed");
    visit("text", self.text, "of the topology file");
  }
};

template <>
struct Fields<GivenParameter> {
  static constexpr auto kName = "given_parameter", kMeaning = "a parameter of the workload";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("name", self.name, "of the parameter");
    visit("value", self.value, "as spelled");
    visit("origin", self.origin, "default, command line or environment NAME");
  }
};

template <>
struct Fields<Inputs> {
  static constexpr auto kName = "inputs", kMeaning = "everything that decides a run";
  static constexpr bool kOneLine = false;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("schema", self.schema, "of this file");
    visit("version", self.version, "of the program");
    visit("plugin_abi", self.plugin_abi, "of its plug-ins");
    visit("workload", self.workload, "its name");
    visit("params", self.params, "all of its parameters");
    visit("device", self.device, "as given");
    visit("seed", self.seed, "of random contents");
    visit("data_mode", self.data_mode, "off, replay or eager");
    visit("verify", self.verify, "--verify-data");
    visit("strict", self.strict, "--strict");
    visit("reliefs", self.reliefs, "--relief: supposed changes of kernels");
    visit("time_limit_ns", self.time_limit, "null: none");
    visit("plugins", self.plugins, "in the order of the command line");
    visit("files", self.files, "that the topology, parameters or collectives name");
    visit("topology", self.topology, "the machine");
    visit("pins", self.pins, "the planning machine of --pins; null: the machine");
  }
};

std::string render(const Inputs& inputs);

// Reads inputs.json, or that of a folder. Configuration Error that names the file.
Inputs read_inputs(const std::string& path);

}  // namespace kb::result
