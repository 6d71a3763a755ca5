#include "tests/robustness/command_shape.h"

#include <algorithm>

namespace kb::robustness {
namespace {

// Values of an option, written as one word or as two.
std::vector<std::string> values_of(const std::vector<std::string>& args, const std::string& option) {
  std::vector<std::string> values;
  for (std::size_t i = 1; i < args.size(); ++i) {
    if (args[i] == option && i + 1 < args.size()) values.push_back(args[i + 1]);
    if (args[i].rfind(option + "=", 0) == 0) values.push_back(args[i].substr(option.size() + 1));
  }
  return values;
}

bool has(const std::vector<std::string>& args, const std::string& flag) {
  return std::find(args.begin(), args.end(), flag) != args.end();
}

void append(std::vector<std::string>& to, const std::vector<std::string>& values) {
  to.insert(to.end(), values.begin(), values.end());
}

std::string evaluation_of(const std::vector<std::string>& args) {
  for (const char* name : {"gemm", "pe-dma", "allreduce", "pe2pe", "gqa", "validation"}) {
    if (has(args, name)) return name;
  }
  return has(args, "e") ? "e" : "";
}

}  // namespace

CommandShape shape_of(const std::vector<std::string>& args) {
  CommandShape shape;
  if (args.empty()) return shape;
  shape.command = args[0];
  shape.json = has(args, "--json");
  shape.quiet = has(args, "--quiet");
  shape.dump = has(args, "--dump-config") || has(args, "--help") || has(args, "-h");
  const std::vector<std::string> out = values_of(args, "--out");
  if (shape.command == "run" || shape.command == "evaluate" || shape.command == "sweep") {
    shape.result_folders = out;
  } else {
    append(shape.output_files, out);
  }
  if (shape.command == "topology") shape.result_folders = values_of(args, "--svg");
  if (shape.command == "run" && out.empty() && !shape.json) shape.result_folders = {"results"};
  if (shape.command == "sweep" && out.empty()) shape.result_folders = {"sweeps"};
  if (shape.command == "evaluate" && out.empty()) shape.result_folders = {"evaluation/" + evaluation_of(args)};
  for (const char* option : {"--oplog", "--vcd", "--wave", "--gtkw", "--hops", "--emit-mesh"})
    append(shape.output_files, values_of(args, option));
  return shape;
}

}  // namespace kb::robustness
