// All sources are part of the build, and all workloads and blocks are in their tables.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <regex>

#include "tests/meta/source_tree.h"

namespace kb::meta {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string stem(const std::string& file) {
  return std::filesystem::path(file).stem().string();
}

TEST(Registration, EveryTestIsInTheCMakeListsOfItsFolder) {
  const std::vector<std::string> tests = files_below("tests", {"_test.cpp"});
  EXPECT_FALSE(tests.empty());
  for (const std::string& test : tests) {
    const std::filesystem::path path(test);
    const std::string lists = (path.parent_path() / "CMakeLists.txt").generic_string();
    ASSERT_TRUE(std::filesystem::exists(std::filesystem::path(KB_SOURCE_DIR) / lists)) << test << " has no " << lists;
    EXPECT_TRUE(contains(read(lists), path.filename().string())) << test << " is not in " << lists;
  }
}

TEST(Registration, EverySourceBelongsToALibraryOrProgram) {
  std::set<std::string> known;
  for (const Library& library : libraries()) known.insert(library.sources.begin(), library.sources.end());
  known.insert("sim/cli/main.cpp");
  known.insert("sim/ports/device/library.cpp");  // of the shared library of the device
  known.insert("sim/web/http_entry.cpp");        // of the shared library of the server
  for (const std::string& top : product_folders()) {
    for (const std::string& file : files_below(top, {".cpp"})) {
      EXPECT_EQ(known.count(file), 1u) << file << " is in no kb_library()";
    }
  }
}

// "pe_dma" -> "PeDma"
std::string class_of(const std::string& stem) {
  std::string name;
  bool upper = true;
  for (const char c : stem) {
    if (c != '_') name += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '_';
  }
  return name;
}

// Tests of block tests whose suite bears the name of a class, alone or at its beginning.
std::size_t tests_of(const std::string& class_name) {
  const std::regex test("TEST(_[FP])?\\(" + class_name + "([A-Z]\\w*)?,");
  std::size_t count = 0;
  for (const std::string& file : files_below("tests/block", {"_test.cpp"})) {
    const std::string text = read(file);
    count += static_cast<std::size_t>(
        std::distance(std::sregex_iterator(text.begin(), text.end(), test), std::sregex_iterator()));
  }
  return count;
}

// A block is a class with a factory in a catalog; a suite of block tests bears its name.
TEST(Registration, EveryBlockHasItsTest) {
  constexpr std::size_t kLeastTests = 3;
  std::size_t blocks = 0;
  for (const std::string& catalog : files_below("modules", {"catalog.cpp"})) {
    for (const Include& include : includes_of(catalog)) {
      const bool block =
          include.own && folder_of(include.target) == folder_of(catalog) && stem(include.target) != "catalog";
      if (!block) continue;
      ++blocks;
      EXPECT_GE(tests_of(class_of(stem(include.target))), kLeastTests)
          << include.target << " is in " << catalog << " and has no suite " << class_of(stem(include.target))
          << " in tests/block";
    }
  }
  EXPECT_GE(blocks, 15u);
}

// Each source that defines a `..._kernel()` or `..._workload()` maker appears in its catalog.
void expect_in_catalog(const std::string& folder, const std::string& catalog, const std::set<std::string>& helpers) {
  std::string includes;
  for (const Include& include : includes_of(catalog)) includes += include.target + "\n";
  for (const std::string& header : files_below(folder, {".h"})) {
    if (helpers.count(stem(header)) != 0 || header == std::filesystem::path(catalog).replace_extension(".h")) continue;
    EXPECT_TRUE(contains(includes, header + "\n")) << header << " is not in " << catalog;
  }
}

TEST(Registration, EveryKernelIsInTheCatalog) {
  for (const std::string& header : files_below("kernels", {".h"})) {
    const std::string folder = folder_of(header);
    if (folder == "kernels" || folder == "kernels/tl") continue;
    expect_in_catalog(
        folder, "kernels/catalog.cpp",
        {"attention_rank", "attention_records", "balanced_rows",       "causal_mask",  "chunk_pages",    "chunk_rows",
         "column_tiles",   "direct_combine",    "direct_exchange",     "epilogues",    "hop_rank",       "input_rows",
         "key_blocks",     "line_exchange",     "norm_linear_problem", "output_tiles", "online_softmax", "paged_blocks",
         "paged_problem",  "partial_sums",      "query_rows",          "reduction",    "sip_exchange",   "sip_path",
         "table_blocks",   "tile_blocks",       "tile_columns",        "weight_stream"});
  }
}

TEST(Registration, EveryWorkloadIsInTheCatalog) {  // H-68
  expect_in_catalog("sw/workloads", "sw/workloads/catalog.cpp",
                    {"attention_problem", "attention_reference", "ccl_support", "contents", "deployed",
                     "epilogue_chain", "epilogue_operands", "epilogue_reference", "layer_reference", "linear_reference",
                     "model_linear_reference", "model_reference", "normalize_reference", "paged_attention_reference",
                     "params", "ranks", "support", "workload"});
}

TEST(Registration, EveryRequiredPackageIsListedOnce) {
  const std::string packages = read("cmake/packages.txt");
  for (const char* name :
       {"libsystemc-dev", "libyaml-cpp-dev", "nlohmann-json3-dev", "libeigen3-dev", "libcli11-dev", "libfmt-dev",
        "libspdlog-dev", "libsqlite3-dev", "libmd-dev", "libmuparser-dev", "gnuplot-nox", "libgtest-dev",
        "libgmock-dev", "librapidcheck-dev", "ninja-build", "verilator"}) {
    const std::size_t first = packages.find(std::string(name) + "\n");
    ASSERT_NE(first, std::string::npos) << name;
    EXPECT_EQ(packages.find(std::string(name) + "\n", first + 1), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace kb::meta
