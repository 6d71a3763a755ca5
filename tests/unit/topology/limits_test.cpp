// Small or endless input that would cost much: refused before it does, with one message or a bounded number of them.
// Without the limits some of these would take minutes or all memory.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "platform/base/problem_limit.h"
#include "platform/topology/ccl_config.h"
#include "platform/topology/yaml_tree.h"
#include "tests/unit/topology/topology_test_support.h"

namespace kb::topology {
namespace {

using testing::HasSubstr;

constexpr std::size_t kMiB = std::size_t{1} << 20;

std::string repeated(const std::string& text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
}

// Each level stands for nine of the level below.
std::string alias_bomb(const std::string& separator, const std::string& start, const std::string& end) {
  std::string text = start + "&a [x, x, x, x, x, x, x, x, x]";
  for (char c = 'b'; c < 'l'; ++c) {
    const std::string below = std::string("*") + static_cast<char>(c - 1);
    text += fmt::format("{}&{} [{}{}]", separator, c, below, repeated(", " + below, 8));
  }
  return text + end;
}

TEST(InputLimits, AFileIsSmallT13) {
  EXPECT_EQ(error_of_text(std::string(kMiB + 1, '#')),
            "t.yaml: 1048577 bytes are too many (a configuration has at most 1 MiB)");
  EXPECT_THAT(error_of_text(kMinimal + std::string("#") + std::string(kMiB / 2, 'x') + "\n"), testing::IsEmpty());
}

TEST(InputLimits, ALargeFileIsNotReadT13) {
  const std::string path = (std::filesystem::temp_directory_path() / "kb_limits_large.yaml").string();
  std::ofstream(path) << "# sparse\n";
  std::filesystem::resize_file(path, std::uintmax_t{1} << 40);
  EXPECT_EQ(error_of([&] { load(path); }),
            "'" + path + "' has more than 1 MiB, which no configuration needs (check the path)");
  std::filesystem::remove(path);
}

TEST(InputLimits, NestingIsBounded) {
  for (const char* text : {"[", "{", "- ", "? ", "[[", "{a: ", "[a: ", "- ? "}) {
    EXPECT_THAT(error_of_text(repeated(text, 100000)), HasSubstr("nested deeper than 64 levels")) << text;
  }
  std::string indented;
  for (std::size_t i = 0; i < 1000; ++i) indented += std::string(i, ' ') + "a:\n";
  EXPECT_THAT(error_of_text(indented), HasSubstr("t.yaml:65:65: the document is nested deeper than 64 levels"));
}

TEST(InputLimits, TheNumberOfValuesIsBounded) {
  const std::string chiplets = "sip:\n  io_chiplets: [1" + repeated(", 1", 300000) + "]\n";
  EXPECT_THAT(error_of_text(chiplets), HasSubstr("the document has more than 10000 values"));
  EXPECT_THAT(error_of_text(alias_bomb("\n", "", "")), testing::Not(testing::IsEmpty()));
  EXPECT_THAT(error_of_text(alias_bomb("\n- ", "- ", "\n")), HasSubstr("aliases count as what they stand for"));
  EXPECT_THAT(error_of_set("cube.pe_layout.corners", alias_bomb(", ", "[", "]")),
              HasSubstr("aliases count as what they stand for"));
}

TEST(InputLimits, ATextIsShort) {
  EXPECT_THAT(error_of_text("a: " + std::string(5000, 'x') + "\n"),
              HasSubstr("t.yaml:1:4: this text has 5000 characters, at most 4096 are read"));
}

TEST(InputLimits, ProblemsBeyondFiftyAreCounted) {
  std::string keys;
  for (int i = 0; i < 4000; ++i) keys += fmt::format("key_{}: 1\n", i);
  const std::string error = error_of_text(kMinimal + keys);
  EXPECT_EQ(lines(error), kMaxProblems + 1);
  EXPECT_THAT(error, HasSubstr("t.yaml:7:1: key_0: unknown key 'key_0'"));
  EXPECT_THAT(error, HasSubstr("t.yaml: 3950 more problems (correct the first ones and check again)"));
}

TEST(InputLimits, RepeatedKeysEndTheReading) {
  const std::string error = error_of_text(kMinimal + repeated("cube: 1\n", 4000));
  EXPECT_EQ(lines(error), kMaxProblems + 1);
  EXPECT_THAT(error, HasSubstr("the rest of the file was not read"));
}

TEST(InputLimits, ManyIoChipletsAreOneProblem) {
  EXPECT_THAT(error_of_text(std::string(kMinimal) + "# \n" + "visualization: {}\n",
                            {{"sip.io_chiplets", "[1" + repeated(", 1", 4000) + "]"}}),
              HasSubstr("--set: sip.io_chiplets: 4001 IO chiplets per SIP, but addresses reach 5 (list at most 5)"));
}

TEST(InputLimits, OverridesAreBounded) {
  EXPECT_THAT(error_of_text(kMinimal, Overrides(1001, {"cube.links.ucie_seam_mm", "1"})),
              HasSubstr("--set: 1001 overrides are too many (give at most 1000"));
  EXPECT_THAT(error_of_set("a" + repeated(".a", 100000), "1"), HasSubstr("this is not a key path"));
}

TEST(InputLimits, TheMachineAsAWholeIsBounded) {
  const std::string error = error_of_text(kMinimal, {{"system.sips.count", "16"},
                                                     {"cube.memory_map.hbm_channels_per_pe", "1024"},
                                                     {"cube.memory_map.hbm_channel_bw_gbs", "0.1"}});
  EXPECT_EQ(error,
            "--set: cube.memory_map.hbm_channels_per_pe: 2048 PEs with 1024 HBM channels each make 2097152 "
            "pseudo-channels, but a machine has at most 1000000 (use fewer channels per PE)");
  EXPECT_THAT(error_of_text(kMinimal, {{"system.sips.count", "16"},
                                       {"cube.memory_map.hbm_channels_per_pe", "512"},
                                       {"cube.memory_map.hbm_channel_bw_gbs", "0.1"},
                                       {"cube.memory_map.hbm_mapping_mode", "one_to_one"},
                                       {"cube.memory_map.address_model", "la"}}),
              HasSubstr("nodes, but a machine has at most 1000000 (use fewer HBM channels per PE or fewer cubes)"));
}

TEST(InputLimits, ACollectiveConfigurationHasThemToo) {
  std::string text = "algorithms:\n";
  for (int i = 0; i < 2000; ++i) text += fmt::format("  algorithm_{}: {{ module: nothing }}\n", i);
  CclOptions options;
  options.modules = {"ring_allreduce"};
  EXPECT_EQ(lines(error_of([&] { load_ccl_text(text, "c.yaml", options); })), kMaxProblems + 1);
  EXPECT_THAT(error_of([&] { load_ccl_text(repeated("[", 100000), "c.yaml", {}); }), HasSubstr("64 levels"));
}

// What the system says of a path, not "there is no file".
TEST(InputFiles, ThatCannotBeReachedSayWhy) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "kb_limits_paths";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::filesystem::create_symlink("loop", folder / "loop");
  std::ofstream(folder / "file") << "x\n";
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const auto error = [&](const std::string& name) { return error_of([&] { load((folder / name).string()); }); };
  EXPECT_THAT(error("loop"), HasSubstr("Too many levels of symbolic links (a symbolic link leads back to itself)"));
  EXPECT_THAT(error("file/below"), HasSubstr("Not a directory (a part of the path before its end is not a folder)"));
  EXPECT_THAT(error(std::string(5000, 'x')), HasSubstr("File name too long (shorten the path)"));
  EXPECT_THAT(error("pipe"), HasSubstr("is not a regular file (write its content into a file)"));
  if (::geteuid() != 0) {  // root may search everything
    std::filesystem::create_directories(folder / "closed");
    std::filesystem::permissions(folder / "closed", std::filesystem::perms::none);
    EXPECT_THAT(error("closed/file"), HasSubstr("Permission denied (check the permissions"));
    std::filesystem::permissions(folder / "closed", std::filesystem::perms::owner_all);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace kb::topology
