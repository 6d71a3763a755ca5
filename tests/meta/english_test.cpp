// Sentences as people say them: few begin with a word that only points back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string>
#include <vector>

#include "tests/meta/source_tree.h"

namespace kb::meta {
namespace {

constexpr const char* kFragments[] = {"Of",     "That of", "Those of", "Likewise", "By",   "Behind",
                                      "Beside", "None",    "Nothing",  "Neither",  "Whose"};
constexpr double kShare = 0.005;

bool begins_as_fragment(const std::string& sentence) {
  return std::any_of(std::begin(kFragments), std::end(kFragments), [&](const std::string& words) {
    return sentence.rfind(words, 0) == 0 &&
           (sentence.size() == words.size() || std::isalnum(static_cast<unsigned char>(sentence[words.size()])) == 0);
  });
}

using Sentences = std::vector<std::pair<std::string, std::string>>;  // file, sentence

// Adds the sentences of a text without line breaks.
void split(const std::string& text, const std::string& place, Sentences& out) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    const bool ends = (text[i] == '.' || text[i] == '!' || text[i] == '?' || text[i] == ':') && text[i + 1] == ' ' &&
                      std::isupper(static_cast<unsigned char>(text[i + 2])) != 0;
    if (!ends) continue;
    out.emplace_back(place, text.substr(begin, i + 1 - begin));
    begin = i + 2;
  }
  if (begin < text.size()) out.emplace_back(place, text.substr(begin));
}

// Comments that follow each other are one text.
void add_comments(const std::string& file, Sentences& out) {
  std::istringstream lines(read(file));
  std::string text;
  const auto end = [&] {
    split(text, file, out);
    text.clear();
  };
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(' ');
    const std::size_t comment = line.find("// ");
    const bool whole = comment != std::string::npos && comment == first;
    if (!whole) end();
    if (comment == std::string::npos) continue;
    text += (text.empty() ? "" : " ") + line.substr(comment + 3);
    if (!whole) end();
  }
  end();
}

// The comments and docstrings of a Python file. Comments that follow each other are one text, and so are the lines of a
// docstring up to an empty line.
void add_python(std::istream&& lines, const std::string& file, Sentences& out) {
  static const std::string quotes(3, '"');
  std::string text;
  bool in_docstring = false;
  const auto end = [&] {
    split(text, file, out);
    text.clear();
  };
  const auto add = [&](const std::string& words) { text += (text.empty() ? "" : " ") + words; };
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(' '));
    const bool begins = !in_docstring && line.rfind(quotes, 0) == 0;
    if (begins || in_docstring) {
      if (begins || line.empty()) end();
      if (begins) line.erase(0, quotes.size());
      const std::size_t close = line.find(quotes);
      if (close != 0) add(line.substr(0, close));
      in_docstring = close == std::string::npos;
      if (!in_docstring) end();
      continue;
    }
    const std::size_t comment = line.find("# ");
    if (comment != 0) end();
    if (comment != std::string::npos) add(line.substr(comment + 2));
    if (comment != 0) end();
  }
  end();
}

// Paragraphs and entries of lists; no code, tables and headings.
void add_prose(const std::string& page, Sentences& out) {
  std::istringstream lines(read(page));
  std::string text;
  bool code = false;
  const auto end = [&] {
    split(text, page, out);
    text.clear();
  };
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("```", 0) == 0) code = !code;
    const std::size_t first = line.find_first_not_of(" -*");
    if (code || first == std::string::npos || line[0] == '|' || line[0] == '#' || line[0] == '`') {
      end();
      continue;
    }
    if (first >= 2 && line[first - 2] == '-') end();
    text += (text.empty() ? "" : " ") + line.substr(first);
  }
  end();
}

void expect_few(const Sentences& sentences) {
  std::vector<std::string> found;
  for (const auto& [file, sentence] : sentences) {
    if (begins_as_fragment(sentence)) found.push_back(file + ": " + sentence);
  }
  const auto most = static_cast<std::size_t>(kShare * static_cast<double>(sentences.size()));
  testing::Test::RecordProperty("sentences", static_cast<int>(sentences.size()));
  testing::Test::RecordProperty("found", static_cast<int>(found.size()));
  if (found.size() <= most) return;
  std::string all;
  for (const std::string& one : found) all += "\n  " + one;
  ADD_FAILURE() << found.size() << " of " << sentences.size()
                << " sentences begin with a word such as 'Of' or 'Nothing'; "
                << "at most " << most << ". Say what is meant instead (\"Empty when ...\", \"Sorted by ...\"):" << all;
}

TEST(English, FewSentencesOfCommentsPointBack) {
  Sentences sentences;
  for (const char* folder :
       {"platform", "modules", "kernels", "sw", "sim", "tests", "examples", "speed_tests", "web/src"}) {
    for (const std::string& file : files_below(folder, {".h", ".cpp", ".ts", ".tsx"})) add_comments(file, sentences);
  }
  for (const char* folder : {"python", "examples", "tests"}) {
    for (const std::string& file : files_below(folder, {".py"})) {
      add_python(std::istringstream(read(file)), file, sentences);
    }
  }
  ASSERT_GT(sentences.size(), 10'000u);
  expect_few(sentences);
}

TEST(English, FewSentencesOfPagesPointBack) {
  Sentences sentences;
  for (const std::string& page : files_below("docs", {".md"})) add_prose(page, sentences);
  for (const char* page : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}) add_prose(page, sentences);
  ASSERT_GT(sentences.size(), 4'000u);
  expect_few(sentences);
}

TEST(English, FragmentsAreFound) {
  for (const char* sentence : {"Of one port.", "None", "Nothing when it is empty.", "That of a prefetch."}) {
    EXPECT_TRUE(begins_as_fragment(sentence)) << sentence;
  }
  for (const char* sentence : {"Offsets are bytes.", "Bytes.", "Nonetheless it ends.", "That which follows."}) {
    EXPECT_FALSE(begins_as_fragment(sentence)) << sentence;
  }
  Sentences sentences;
  split("One. Of two: By three. v1.2 is none. Nothing", "here", sentences);
  ASSERT_EQ(sentences.size(), 4u);
  EXPECT_EQ(sentences[1].second, "Of two:");
  EXPECT_EQ(sentences[3].second, "Nothing");
}

TEST(English, PythonHasCommentsAndDocstrings) {
  Sentences sentences;
  add_python(std::istringstream("\"\"\"One\ntwo. Three.\n\n    Code\n\"\"\"\nx = 1  # four\n# five\n# six\n"
                                "def f():\n    \"\"\"Seven.\"\"\"\n    return 8\n"),
             "here", sentences);
  std::vector<std::string> texts;
  for (const auto& [file, sentence] : sentences) texts.push_back(sentence);
  EXPECT_EQ(texts, (std::vector<std::string>{"One two.", "Three.", "Code", "four", "five six", "Seven."}));
}

}  // namespace
}  // namespace kb::meta
