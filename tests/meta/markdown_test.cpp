// Pages as readers use them: links lead somewhere, and snippets are what tests build and run.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/meta/source_tree.h"

namespace kb::meta {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> pages() {
  std::vector<std::string> out{"README.md", "CONTRIBUTING.md"};
  for (const char* folder : {"docs", "examples"}) {
    for (std::string& page : files_below(folder, {".md"})) out.push_back(std::move(page));
  }
  return out;
}

struct Snippet {
  std::string language, text;
};

// What stands between ```language and ```, and the lines outside of it.
std::vector<Snippet> snippets_of(const std::string& page, std::vector<std::string>* prose = nullptr) {
  std::vector<Snippet> out;
  std::istringstream lines(read(page));
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("```", 0) == 0) {
      if (!inside) out.push_back({line.substr(3), ""});
      inside = !inside;
    } else if (inside) {
      out.back().text += line + "\n";
    } else if (prose != nullptr) {
      prose->push_back(line);
    }
  }
  return out;
}

// As GitHub names a heading: "## Where is ..." is #where-is-.
std::set<std::string> anchors_of(const std::string& page) {
  std::set<std::string> out;
  std::vector<std::string> prose;
  snippets_of(page, &prose);
  for (const std::string& line : prose) {
    if (line.rfind('#', 0) != 0) continue;
    std::string anchor;
    for (const char c : line.substr(line.find_first_not_of("# "))) {
      const auto u = static_cast<unsigned char>(c);
      if (std::isalnum(u) != 0 || c == '-' || c == '_') anchor += static_cast<char>(std::tolower(u));
      if (c == ' ') anchor += '-';
    }
    out.insert(anchor);
  }
  return out;
}

TEST(Markdown, LinksLeadSomewhere) {
  const fs::path root = KB_SOURCE_DIR;
  std::size_t links = 0;
  for (const std::string& page : pages()) {
    std::vector<std::string> prose;
    snippets_of(page, &prose);
    std::string text;
    for (const std::string& line : prose) {  // without `code`
      bool code = false;
      for (const char c : line + "\n") {
        if (c == '`') code = !code;
        if (!code) text += c;
      }
    }
    for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
      const std::string target = text.substr(at + 2, text.find(')', at) - at - 2);
      if (target.find("://") != std::string::npos) continue;
      ++links;
      const std::size_t hash = target.find('#');
      const fs::path file = hash == 0 ? fs::path(page) : fs::path(page).parent_path() / target.substr(0, hash);
      ASSERT_TRUE(fs::exists(root / file)) << page << " links to " << target;
      if (hash == std::string::npos) continue;
      EXPECT_EQ(anchors_of(file.lexically_normal().string()).count(target.substr(hash + 1)), 1u)
          << page << " links to " << target;
    }
  }
  EXPECT_GT(links, 300u);
}

TEST(Markdown, EveryFenceIsALineOfItsOwn) {
  std::size_t fences = 0;
  for (const std::string& page : pages()) {
    std::istringstream lines(read(page));
    bool inside = false;
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      const std::size_t at = line.find("```");
      if (at == std::string::npos) continue;
      ++fences;
      const bool alone = line.find_first_not_of(' ') == at && line.find_first_of("` ", at + 3) == std::string::npos;
      EXPECT_TRUE(alone) << page << ":" << number << ": code stands on the line of its fence: " << line;
      if (inside) {
        EXPECT_EQ(line.size(), at + 3) << page << ":" << number << ": the end of a snippet names a language";
      }
      inside = !inside;
    }
    EXPECT_FALSE(inside) << page << ": a snippet does not end";
  }
  EXPECT_GT(fences, 300u);
}

TEST(Markdown, SnippetsOfTheGuideToBlocksStandInItsExample) {
  std::string example;
  for (const std::string& file : files_below("examples/blocks", {".h", ".cpp", ".txt", ".yaml"})) example += read(file);
  std::size_t checked = 0;
  for (const Snippet& snippet : snippets_of("docs/guides/blocks.md")) {
    const bool whole_file = snippet.language == "yaml" && snippet.text.rfind('#', 0) == 0;
    if (snippet.language != "cpp" && snippet.language != "cmake" && !whole_file) continue;
    ++checked;
    EXPECT_NE(example.find(snippet.text), std::string::npos) << "examples/blocks does not have this:\n" << snippet.text;
  }
  EXPECT_GE(checked, 12u);
}

TEST(Markdown, SnippetsOfTheGuideToEnginesStandInItsExample) {
  std::string example;
  for (const std::string& file : files_below("examples/engines", {".h", ".cpp", ".yaml"})) example += read(file);
  std::size_t checked = 0;
  for (const Snippet& snippet : snippets_of("docs/guides/new-engine.md")) {
    if (snippet.language != "cpp" && snippet.language != "yaml") continue;
    ++checked;
    EXPECT_NE(example.find(snippet.text), std::string::npos) << "examples/engines does not have this:\n"
                                                             << snippet.text;
  }
  EXPECT_GE(checked, 5u);
}

TEST(Markdown, SnippetsOfTheTutorialStandInItsExample) {
  std::string example;
  for (const std::string& file : files_below("examples/tutorial", {".h", ".cpp"})) example += read(file);
  std::size_t checked = 0;
  for (const Snippet& snippet : snippets_of("docs/guides/tutorial.md")) {
    if (snippet.language != "cpp") continue;
    ++checked;
    EXPECT_NE(example.find(snippet.text), std::string::npos) << "examples/tutorial does not have this:\n"
                                                             << snippet.text;
  }
  EXPECT_GE(checked, 8u);
}

TEST(Markdown, TheFirstSweepIsShipped) {
  const std::string shipped = read("examples/sweep/tiles.yaml");
  const std::string snippet = snippets_of("docs/guides/sweep.md").at(0).text;
  EXPECT_EQ(shipped.substr(shipped.find('\n')), snippet.substr(snippet.find('\n')));
}

}  // namespace
}  // namespace kb::meta
