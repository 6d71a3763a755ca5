// The digest of what decides times (M-93a) has every source that the simulation of a launch links, and no other.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "tests/meta/source_tree.h"

namespace kb::meta {
namespace {

namespace fs = std::filesystem;

// What simulates a launch, and what the program hands to it as blocks, kernels and all-reduces.
const std::set<std::string> kRoots = {"kb_sim_step",       "kb_sim_cells",   "kb_kernels",        "kb_modules",
                                      "kb_modules_bridge", "kb_modules_rtl", "kb_sw_distributed", "kb_sw_plugin"};
// They only write, draw or judge what has been simulated, or hold workloads, which no step runs. A library that may
// decide a time has no place here.
const std::set<std::string> kLeftOut = {"kb_sim_files",    "kb_sim_findings", "kb_sim_report", "kb_sw_parallel",
                                        "kb_sw_workloads", "kb_views",        "kb_waves"};

std::set<std::string> listed() {
  std::ifstream in(KB_TIMING_SOURCES);
  std::set<std::string> files;
  for (std::string line; std::getline(in, line);) files.insert(line);
  return files;
}

// Libraries that the roots reach by declared dependencies, without those left out and what only these need.
std::set<std::string> linked(const std::vector<Library>& all) {
  std::set<std::string> open = kRoots, found;
  while (!open.empty()) {
    const std::string name = *open.begin();
    open.erase(open.begin());
    if (kLeftOut.count(name) != 0 || !found.insert(name).second) continue;
    for (const Library& library : all) {
      if (library.name == name) open.insert(library.deps.begin(), library.deps.end());
    }
  }
  return found;
}

// M-93a
TEST(TimingSources, HaveEverySourceThatALaunchLinks) {
  const std::vector<Library> all = libraries();
  const std::set<std::string> names = linked(all), files = listed();
  std::size_t sources = 0;
  for (const Library& library : all) {
    if (names.count(library.name) == 0) continue;
    if (library.name == "kb_modules_rtl" && files.count("modules/rtl/no_rtl.cpp") != 0) continue;  // without Verilator
    for (const std::string& source : library.sources) {
      if (fs::path(source).filename() == "no_rtl.cpp" || source.find('$') != std::string::npos) continue;
      EXPECT_EQ(files.count(source), 1u) << source << " of " << library.name << " is not in the digest";
      ++sources;
    }
  }
  EXPECT_GT(sources, 400u);
}

// M-93a: headers hold code, too.
TEST(TimingSources, HaveWhatTheyInclude) {
  const std::set<std::string> files = listed();
  std::set<std::string> left_out;  // folders
  for (const Library& library : libraries()) {
    if (kLeftOut.count(library.name) != 0) left_out.insert(library.folder);
  }
  for (const std::string& file : files) {
    if (fs::path(file).extension() == ".sv") continue;
    for (const Include& include : includes_of(file)) {
      if (!include.own || left_out.count(folder_of(include.target)) != 0) continue;
      EXPECT_EQ(files.count(include.target), 1u) << file << " includes " << include.target << ", which is not counted";
    }
  }
}

// M-93a: a store stays warm when the command line, the page, a test or a text changes.
TEST(TimingSources, HaveNothingThatShowsOrAsks) {
  const std::set<std::string> files = listed();
  for (const char* const there : {"kernels/model/norm_linear.cpp", "modules/pe/pe_dma.cpp", "sw/model/lowering.cpp",
                                  "platform/routing/path_router.cpp", "sim/study/step/launch_key.cpp"}) {
    EXPECT_EQ(files.count(there), 1u) << there;
  }
  for (const std::string& file : files) {
    for (const char* const folder : {"sim/cli/", "sim/web/", "sim/study/sweep/", "sim/study/why/", "web/", "docs/",
                                     "tests/", "configs/", "sw/workloads/"}) {
      EXPECT_NE(file.rfind(folder, 0), 0u) << file;
    }
  }
}

class TimingDigestTest : public testing::Test {
 protected:
  TimingDigestTest() : folder_(fs::path(testing::TempDir()) / ("kb_timing_digest" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    write("a.cpp", "a");
    write("b.cpp", "b");
    write("list.txt", "a.cpp\nb.cpp\n");
  }
  ~TimingDigestTest() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  std::string digest(const std::string& outside = "SystemC 2.3.4") const {
    const std::string command = std::string(KB_CMAKE) + " -DLIST=" + (folder_ / "list.txt").string() +
                                " -DROOT=" + folder_.string() + " -DOUTPUT=" + (folder_ / "out.cpp").string() +
                                " '-DOUTSIDE=" + outside + "' -P " + KB_SOURCE_DIR + "/cmake/timing_digest.cmake";
    EXPECT_EQ(std::system(command.c_str()), 0);
    std::ifstream in(folder_ / "out.cpp");
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path folder_;
};

// M-93a
TEST_F(TimingDigestTest, ChangesWithEverySourceAndWithNothingElse) {
  const std::string first = digest();
  EXPECT_NE(first.find("timing_digest() noexcept"), std::string::npos);
  write("docs.md", "not listed");
  EXPECT_EQ(digest(), first);
  EXPECT_NE(digest("SystemC 3.0"), first);
  write("b.cpp", "c");
  const std::string changed = digest();
  EXPECT_NE(changed, first);
  write("b.cpp", "b");
  EXPECT_EQ(digest(), first);
  write("list.txt", "a.cpp\n");
  EXPECT_NE(digest(), first);
}

}  // namespace
}  // namespace kb::meta
