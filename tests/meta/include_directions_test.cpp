// The dependency direction of the architecture: platform <- {modules, kernels, sw} <- sim.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/meta/source_tree.h"

namespace kb::meta {
namespace {

const std::vector<std::string> kSourceEndings = {".h", ".cpp"};

std::string top_of(const std::string& path) {
  return path.substr(0, path.find('/'));
}

std::vector<Include> product_includes() {
  std::vector<Include> all;
  for (const std::string& top : product_folders()) {
    for (const std::string& file : files_below(top, kSourceEndings)) {
      const std::vector<Include> found = includes_of(file);
      all.insert(all.end(), found.begin(), found.end());
    }
  }
  // A list that is empty, or has lost a folder, would pass every test.
  for (const std::string& top : product_folders()) {
    const auto of_top = [&](const Include& include) { return top_of(include.file) == top && include.own; };
    EXPECT_GT(std::count_if(all.begin(), all.end(), of_top), 20) << "no sources are found in " << top;
  }
  return all;
}

std::string place(const Include& include) {
  return include.file + ":" + std::to_string(include.line) + " includes " + include.target;
}

TEST(IncludeDirections, LayersBuildOnlyOnLowerLayers) {
  const std::map<std::string, std::set<std::string>> allowed = {
      {"platform", {"platform"}},
      {"modules", {"platform", "modules"}},
      {"kernels", {"platform", "kernels"}},
      {"sw", {"platform", "sw"}},
      {"sim", {"platform", "modules", "kernels", "sw", "sim"}},
  };
  for (const Include& include : product_includes()) {
    if (!include.own) continue;
    EXPECT_EQ(allowed.at(top_of(include.file)).count(top_of(include.target)), 1u) << place(include);
  }
}

TEST(IncludeDirections, KernelsSeeOnlyContractEnginesOperationsAndBase) {
  const std::set<std::string> allowed = {"platform/base", "platform/contract", "platform/engine", "platform/ops"};
  for (const Include& include : product_includes()) {
    if (top_of(include.file) != "kernels" || top_of(include.target) != "platform") continue;
    EXPECT_EQ(allowed.count(folder_of(include.target)), 1u) << place(include);
  }
}

TEST(IncludeDirections, IncludesAreFromTheRoot) {
  for (const Include& include : product_includes()) {
    if (!include.own) continue;
    EXPECT_NO_THROW(read(include.target)) << place(include) << ": write the path from the repository's root";
  }
}

// Libraries that a folder's libraries reach through declared dependencies.
std::set<std::string> reachable(const std::vector<Library>& all, const std::string& folder) {
  std::set<std::string> names, folders;
  std::vector<const Library*> open;
  for (const Library& library : all) {
    if (library.folder == folder) open.push_back(&library);
  }
  while (!open.empty()) {
    const Library* library = open.back();
    open.pop_back();
    if (!names.insert(library->name).second) continue;
    folders.insert(library->folder);
    for (const Library& candidate : all) {
      if (library->deps.count(candidate.name) != 0) open.push_back(&candidate);
    }
  }
  return folders;
}

// A pure interface without SystemC, so that nothing has to be linked for it.
const std::set<std::string> kSeams = {"platform/contract/i_block_log.h", "platform/contract/i_signal_observer.h"};

// Headers that have moved, for plug-ins of the version before.
bool is_forwarding(const std::string& file) {
  return read(file).rfind("// Forwarding header for plug-ins of version", 0) == 0;
}

TEST(IncludeDirections, FoldersIncludeOnlyWhatTheirLibrariesDeclare) {
  const std::vector<Library> all = libraries();
  std::map<std::string, std::set<std::string>> cache;
  const auto library_folder = [&](std::string folder) {
    while (true) {
      const bool known = std::any_of(all.begin(), all.end(), [&](const Library& l) { return l.folder == folder; });
      const std::size_t slash = folder.rfind('/');
      if (known || slash == std::string::npos) return folder;
      folder.resize(slash);
    }
  };
  for (const Include& include : product_includes()) {
    if (!include.own || kSeams.count(include.target) != 0 || is_forwarding(include.file)) continue;
    const std::string from = library_folder(folder_of(include.file));
    const std::string to = library_folder(folder_of(include.target));
    if (from == to) continue;
    auto found = cache.find(from);
    if (found == cache.end()) found = cache.emplace(from, reachable(all, from)).first;
    EXPECT_EQ(found->second.count(to), 1u)
        << place(include) << ", but no library of " << from << " declares a dependency that leads to " << to;
  }
}

TEST(IncludeDirections, PlatformPartsWithoutSystemC) {
  const std::set<std::string> plain = {"platform/base",    "platform/ops",  "platform/topology", "platform/address",
                                       "platform/routing", "platform/data", "platform/contract", "platform/observe",
                                       "platform/waves",   "platform/model"};
  for (const Include& include : product_includes()) {
    const bool plain_folder = plain.count(folder_of(include.file)) != 0 || top_of(include.file) == "kernels";
    if (!plain_folder) continue;
    EXPECT_NE(include.target, "systemc") << place(include);
    EXPECT_NE(include.target, "tlm") << place(include);
  }
}

// Where the types of a library are seen: one folder each. nlohmann-json, whose documents are the data files of
// evaluations, the requests of serving, the answers of sweeps and the results that are compared, also prints a machine
// and the schema of machines in two files of platform/topology and reads model files in one of platform/model; Eigen,
// whose products the data engine computes, also has the 16-bit floats.
TEST(IncludeDirections, ThirdPartyLibrariesHaveOneHome) {
  const std::map<std::string, std::set<std::string>> homes = {
      {"yaml-cpp", {"platform/topology/yaml_tree.cpp"}},
      {"Eigen", {"platform/data/", "platform/ops/op_types.cpp"}},
      {"sqlite3.h", {"platform/data/"}},
      {"sha2.h", {"platform/topology/sha256.cpp"}},
      {"spdlog", {"platform/observe/event_log.cpp"}},
      {"CLI", {"sim/cli/"}},
      {"microhttpd.h", {"sim/web/http_library.cpp"}},
      {"zlib.h", {"platform/observe/gzip.cpp", "sim/study/files/gnuplot.cpp"}},
      {"verilated.h", {"modules/rtl/"}},
      {"muParser.h", {"sim/study/sweep/formula.cpp"}},
      {"nlohmann",
       {"sim/study/files/", "sim/study/requests/", "sim/study/sweep/", "sim/study/why/", "sim/result/",
        "sim/study/step/step_file.cpp", "sim/analysis/compare/", "sim/analysis/recorded/", "sim/web/",
        "platform/topology/render_json.cpp", "platform/topology/json_schema.cpp", "platform/model/json_tree.cpp"}}};
  std::map<std::string, std::set<std::string>> used;  // homes in which the library is included
  for (const Include& include : product_includes()) {
    const auto home = homes.find(top_of(include.target));
    if (include.own || home == homes.end()) continue;
    const auto holds = [&](const std::string& place) { return include.file.rfind(place, 0) == 0; };
    const auto found = std::find_if(home->second.begin(), home->second.end(), holds);
    EXPECT_NE(found, home->second.end()) << place(include);
    if (found != home->second.end()) used[home->first].insert(*found);
  }
  EXPECT_EQ(used, homes) << "a home in which nothing is included any more is to be removed";
}

}  // namespace
}  // namespace kb::meta
