#include "tests/robustness/option_mutator.h"

#include <algorithm>
#include <utility>

#include "tests/robustness/values.h"

namespace kb::robustness {
namespace {

const std::vector<std::string> kAllOptions = {
    "--topology",      "--bench",  "--device", "--data",        "--verify-data",  "--set",
    "--seed",          "--plugin", "--out",    "--oplog",       "--vcd",          "--vcd-filter",
    "--time-limit-ns", "--strict", "--json",   "--quiet",       "--dump-config",  "--help",
    "--version",       "--case",   "--dot",    "--full",        "--emit-mesh",    "--trace",
    "--jobs",          "--fast",   "--shapes", "--exclude",     "--reference",    "--host-time-limit-s",
    "--svg",           "--views",  "--wave",   "--wave-filter", "--wave-from-ns", "--wave-until-ns",
    "--wave-detail",   "--gtkw",   "--hops",   "--hops-of"};
const std::vector<std::string> kCommands = {"run",   "list",    "probe",    "topology",
                                            "check", "traffic", "evaluate", "sweep"};
const std::vector<std::string> kReadable = {"/dev/null", "/dev/full", "/dev/zero", "/proc/self/mem",
                                            "/proc/self/environ"};
const std::vector<std::string> kOutputs = {"--out",  "--oplog", "--vcd",       "--wave",
                                           "--gtkw", "--hops",  "--emit-mesh", "--svg"};

bool is_output(const std::string& option) {
  return std::find(kOutputs.begin(), kOutputs.end(), option) != kOutputs.end();
}

std::vector<std::string>& some_group(Options& options, Random& random) {
  if (options.groups.empty()) options.groups.push_back({"--quiet"});
  return options.groups[random.below(options.groups.size())];
}

// Another output's file, an input, something below or above it.
std::string colliding_path(const Options& options, Random& random) {
  std::vector<std::string> names = {"user.txt", "folder",          ".",      "link_to_user", "loop_a",
                                    "dangling", "folder/keep.txt", "staging"};
  for (const auto& group : options.groups) {
    if (group.size() > 1 && group[0] != "--set") names.insert(names.end(), 3, group[1]);
  }
  std::string name = random.pick(names);
  switch (random.below(6)) {
    case 0:
      return name + "/result.json";
    case 1:
      return "./" + name;
    case 2:
      return name + "/x";
    default:
      return name;
  }
}

std::string other_value(const Options& options, const std::vector<std::string>& group, Random& random) {
  const std::string& value = group.back();
  const bool output = is_output(group[0]);
  switch (random.below(output ? 5 : 6)) {
    case 0:
      return edge_number(random);
    case 1:
      return odd_text(random);
    case 2:
      return colliding_path(options, random);
    case 3:
      return typo(value, random);
    case 4:
      return near_number(value, random);
    default:
      return odd_input_path(random);
  }
}

void change_value(Options& options, Random& random) {
  auto& group = some_group(options, random);
  std::string value = other_value(options, group, random);
  if (group[0] == "--set" && random.chance(85)) {
    const std::string& old = group.back();
    const std::size_t equals = std::min(old.find('='), old.size());
    value = random.chance(80) ? old.substr(0, equals) + "=" + value
                              : typo(old.substr(0, equals), random) + old.substr(equals);
  }
  if (group.size() == 1 && group[0].rfind("--", 0) == 0) {
    group.push_back(value);
  } else {
    group.back() = value;
  }
}

void change_names(Options& options, Random& random) {
  auto& group = some_group(options, random);
  switch (random.below(4)) {
    case 0:
      group[0] = typo(group[0], random);
      break;
    case 1:
      group[0] = random.pick(kAllOptions);
      break;
    case 2:
      options.command = random.chance(50) ? typo(options.command, random) : random.pick(kCommands);
      break;
    default:
      if (group.size() == 2) group = {group[0] + "=" + group[1]};
  }
}

}  // namespace

std::vector<std::string> Options::words() const {
  std::vector<std::string> all = {contained(command)};
  for (const auto& group : groups) {
    for (const std::string& word : group) all.push_back(contained(word));
  }
  return all;
}

void mutate(Options& options, Random& random) {
  auto& groups = options.groups;
  const auto place = groups.begin() + static_cast<std::ptrdiff_t>(random.below(groups.size() + 1));
  switch (random.below(16)) {
    case 0:
      groups.insert(place, {random.pick(kAllOptions)});
      break;
    case 1:
      groups.insert(place, {random.pick(kAllOptions), random.chance(50) ? edge_number(random) : odd_text(random)});
      break;
    case 2: {
      const auto copy = some_group(options, random);
      groups.push_back(copy);
      break;
    }
    case 3:
      groups.insert(
          place, {random.pick(std::vector<std::string>{"--", "-", "---", "-x", "--=", "-h", "--help", "--x=y", "-1"})});
      break;
    case 4:
      groups.insert(place, {random.chance(50) ? odd_text(random) : odd_input_path(random)});
      break;
    case 5:
      if (!groups.empty()) groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(random.below(groups.size())));
      break;
    case 6:
      some_group(options, random).pop_back();
      break;
    case 7:
      if (groups.size() > 1) std::swap(groups.front(), groups[random.below(groups.size())]);
      break;
    case 8:
      groups.insert(place, {random.pick(kOutputs), colliding_path(options, random)});
      break;
    case 9:
    case 10:
      change_names(options, random);
      break;
    default:
      change_value(options, random);
  }
  groups.erase(std::remove_if(groups.begin(), groups.end(), [](const auto& group) { return group.empty(); }),
               groups.end());
}

std::string contained(std::string word) {
  std::replace(word.begin(), word.end(), '\0', '0');
  const std::size_t value = word.rfind("--", 0) == 0 ? std::min(word.find('='), word.size() - 1) + 1 : 0;
  const std::string path = word.substr(value);
  if (std::find(kReadable.begin(), kReadable.end(), path) != kReadable.end()) {
    // Named as an output, only the device that takes nothing is harmless.
    return value == 0 || path == "/dev/full" ? word : "x" + path.substr(1);
  }
  if (path.rfind('/', 0) == 0) word.insert(value, "x");
  for (std::size_t at = word.find("../"); at != std::string::npos; at = word.find("../")) word.erase(at, 3);
  return word;
}

}  // namespace kb::robustness
