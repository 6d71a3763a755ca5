// The changelog: versions with dates, short, numbers that changed first, and the version that the program has.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "platform/base/plugin_abi.h"
#include "platform/base/version.h"
#include "tests/meta/source_tree.h"

namespace kb::meta {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t kMostLines = 80;
constexpr const char* kFirstSection = "Numbers that changed";

struct Release {
  std::string heading;  // "[0.2.0] - 2026-11-24"
  std::vector<std::string> lines;
};

std::vector<Release> releases_of(const std::string& changelog) {
  std::vector<Release> out;
  std::istringstream lines(changelog);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("## ", 0) == 0) out.push_back({line.substr(3), {}});
    if (!out.empty()) out.back().lines.push_back(line);
  }
  return out;
}

// {0, 2, 0} and the date of "[0.2.0] - 2026-11-24".
struct Dated {
  std::array<int, 3> version{};
  std::string date;
};

std::optional<Dated> dated(const std::string& heading) {
  static const std::regex pattern(R"(\[(\d+)\.(\d+)\.(\d+)\] - (\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])))");
  std::smatch match;
  if (!std::regex_match(heading, match, pattern)) return std::nullopt;
  return Dated{{std::stoi(match[1]), std::stoi(match[2]), std::stoi(match[3])}, match[4]};
}

// The number of the line that states the ABI of plug-ins; 0 when no line does. Adds a problem when several do.
int abi_of(const Release& release, std::vector<std::string>& problems) {
  static const std::regex pattern(R"(\bABI\b)"), stated(R"(^Plug-in ABI (\d+)\..*)");
  int abi = 0, lines = 0;
  for (const std::string& line : release.lines) {
    if (!std::regex_search(line, pattern)) continue;
    ++lines;
    std::smatch match;
    if (std::regex_match(line, match, stated)) {
      abi = std::stoi(match[1]);
    } else {
      problems.push_back(release.heading + ": a line with the ABI begins with 'Plug-in ABI NUMBER.', not: " + line);
    }
  }
  if (lines > 1) problems.push_back(fmt::format("{}: {} lines name the ABI, one has to", release.heading, lines));
  return abi;
}

std::vector<std::string> problems_of(const std::string& changelog, const std::string& version, int abi) {
  std::vector<std::string> problems;
  const std::vector<Release> releases = releases_of(changelog);
  std::optional<Dated> newer;
  int newest_abi = 0;
  for (const Release& release : releases) {
    const std::string& heading = release.heading;
    const auto problem = [&](const std::string& text) { problems.push_back(heading + ": " + text); };
    if (release.lines.size() > kMostLines) {
      problem(fmt::format("{} lines, at most {}", release.lines.size(), kMostLines));
    }
    std::vector<std::string> sections;
    for (const std::string& line : release.lines) {
      if (line.rfind("### ", 0) == 0) sections.push_back(line.substr(4));
    }
    for (std::size_t i = 1; i < sections.size(); ++i) {
      if (sections[i] == kFirstSection) problem(fmt::format("'{}' is not the first section", kFirstSection));
    }
    const int stated = abi_of(release, problems);
    if (newest_abi == 0) newest_abi = stated;

    if (heading == "[Unreleased]") {
      if (&release != &releases.front()) problem("stands below a version");
      continue;
    }
    const std::optional<Dated> here = dated(heading);
    if (!here) {
      problem("is no version with a date, such as '[0.2.0] - 2026-11-24'");
      continue;
    }
    if (stated == 0) problem("no line begins with 'Plug-in ABI NUMBER.'");
    if (!newer && heading.rfind("[" + version + "]", 0) != 0) {
      problem("is the newest version, but platform/base/version.h has " + version);
    }
    if (newer && here->version >= newer->version) problem("is not older than the version above it");
    if (newer && here->date > newer->date) problem("has a later date than the version above it");
    newer = here;
  }
  if (!newer) problems.push_back("there is no version");
  if (newest_abi != abi) {
    problems.push_back(fmt::format(
        "the newest ABI is {}, but platform/base/plugin_abi.h has {}: state it in [Unreleased]", newest_abi, abi));
  }
  return problems;
}

TEST(Changelog, VersionsAreDatedShortAndBeginWithNumbers) {
  EXPECT_THAT(problems_of(read("CHANGELOG.md"), kVersion, kPluginAbi), IsEmpty());
}

TEST(Changelog, MistakesAreFound) {
  const std::string good =
      "# Changelog\n\n## [Unreleased]\n\n"
      "## [0.2.0] - 2026-11-24\n\n### Numbers that changed\n\n- One.\n\nPlug-in ABI 7. Why.\n\n### Added\n\n- Two.\n\n"
      "## [0.1.0] - 2026-11-22\n\nPlug-in ABI 6. Why.\n\n### Added\n\n- Three.\n";
  ASSERT_THAT(problems_of(good, "0.2.0", 7), IsEmpty());
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  std::string lines;
  for (int i = 0; i < 80; ++i) lines += "- One.\n";
  struct Case {
    std::string changelog, problem;
  };
  for (const Case& one : std::vector<Case>{
           {changed(" - 2026-11-24", ""), "[0.2.0]: is no version with a date"},
           {changed("2026-11-24", "2026-13-24"), "is no version with a date"},
           {changed("0.1.0", "0.2.0"), "is not older than the version above it"},
           {changed("0.1.0", "0.10.0"), "is not older than the version above it"},
           {changed("11-22", "11-25"), "has a later date than the version above it"},
           {changed("- Three.\n", lines), "[0.1.0] - 2026-11-22: 86 lines, at most 80"},
           {changed("- One.\n", "- One.\n\n### Fixed\n\n### Numbers that changed\n"),
            "'Numbers that changed' is not the first section"},
           {changed("Plug-in ABI 6. Why.\n", ""), "[0.1.0] - 2026-11-22: no line begins with 'Plug-in ABI NUMBER.'"},
           {changed("- Two.", "- Two, with ABI 7."), "2 lines name the ABI, one has to"},
           {changed("- Two.", "- Two, with ABI 7."), "not: - Two, with ABI 7."},
           {changed("## [Unreleased]\n\n", "") + "## [Unreleased]\n", "[Unreleased]: stands below a version"},
           {changed("[0.2.0]", "[0.3.0]"), "is the newest version, but platform/base/version.h has 0.2.0"},
           {changed("ABI 7", "ABI 8"), "the newest ABI is 8, but platform/base/plugin_abi.h has 7"},
           {"# Changelog\n", "there is no version"},
       }) {
    EXPECT_THAT(problems_of(one.changelog, "0.2.0", 7), Contains(HasSubstr(one.problem))) << one.changelog;
  }
  EXPECT_THAT(problems_of(changed("[Unreleased]\n", "[Unreleased]\n\nPlug-in ABI 8. Why.\n"), "0.2.0", 8), IsEmpty());
}

TEST(Changelog, EveryFileHasTheVersionOfTheProgram) {
  const std::string numbers =
      fmt::format("{}.{}.{}", KERNBENCH_VERSION_MAJOR, KERNBENCH_VERSION_MINOR, KERNBENCH_VERSION_PATCH);
  EXPECT_EQ(numbers, kVersion);
  EXPECT_THAT(read("python/pyproject.toml"), HasSubstr(fmt::format("\nversion = \"{}\"\n", kVersion)));
  const std::string minor = fmt::format("{}.{}", KERNBENCH_VERSION_MAJOR, KERNBENCH_VERSION_MINOR);
  static const std::regex asked(R"(find_package\(kernbench ([0-9.]+))");
  std::size_t found = 0;
  for (const char* folder : {"docs", "examples"}) {
    for (const std::string& file : files_below(folder, {".md", "CMakeLists.txt"})) {
      const std::string text = read(file);
      for (std::sregex_iterator it(text.begin(), text.end(), asked), end; it != end; ++it, ++found) {
        EXPECT_EQ((*it)[1].str(), minor) << file << " asks for another version than platform/base/version.h has";
      }
    }
  }
  EXPECT_GE(found, 3u);
}

}  // namespace
}  // namespace kb::meta
