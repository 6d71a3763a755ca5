// Every requirement id that is cited stands in the specification.
#include <gtest/gtest.h>

#include <map>
#include <regex>

#include "tests/meta/source_tree.h"

namespace kb::meta {
namespace {

const std::regex kId(R"((^|[^A-Za-z0-9_-])((C-[A-Z]+|[TFAHPQKEM])-([0-9]+))(?![A-Za-z0-9_-]))");

std::vector<std::string> ids_in(const std::string& text) {
  std::vector<std::string> ids;
  for (std::sregex_iterator it(text.begin(), text.end(), kId), end; it != end; ++it) ids.push_back((*it)[2]);
  return ids;
}

// A chapter defines an id by writing it in bold; "**Q-57 .. Q-60**" defines all four. Where each is defined.
std::map<std::string, std::vector<std::string>> definitions() {
  const std::regex bold(R"(\*\*([^*\n]+)\*\*)");
  const std::regex range(R"((C-[A-Z]+-|[TFAHPQKEM]-)([0-9]+) \.\. \1([0-9]+))");
  std::map<std::string, std::vector<std::string>> defined;
  for (const std::string& page : files_below("docs/specification", {".md"})) {
    const std::string text = read(page);
    for (std::sregex_iterator it(text.begin(), text.end(), bold), end; it != end; ++it) {
      const std::string words = (*it)[1];
      std::set<std::string> ids;
      for (const std::string& id : ids_in(words)) ids.insert(id);
      for (std::sregex_iterator part(words.begin(), words.end(), range); part != end; ++part) {
        for (int n = std::stoi((*part)[2]); n <= std::stoi((*part)[3]); ++n) {
          ids.insert((*part)[1].str() + std::to_string(n));
        }
      }
      for (const std::string& id : ids) defined[id].push_back(page + ", **" + words + "**");
    }
  }
  return defined;
}

// Also of tests that bear ids in their names: ConstantsFollowTheTopology_E30, ResolvesAsK10Says has none at its end.
std::vector<std::string> cited_ids(const std::string& file, const std::string& text) {
  std::vector<std::string> ids = ids_in(text);
  if (file.rfind("tests/", 0) != 0) return ids;
  const std::regex named(R"(\bTEST\w*\(\w+,\s*\w*?(?:_|[a-z])([TFAHPQKEM])([0-9]+)\))");
  for (std::sregex_iterator it(text.begin(), text.end(), named), end; it != end; ++it) {
    ids.push_back((*it)[1].str() + "-" + (*it)[2].str());
  }
  return ids;
}

// What else a chapter says of it names it without bold letters.
TEST(RequirementIds, EachIsDefinedOnce) {
  for (const auto& [id, places] : definitions()) {
    for (std::size_t i = 1; i < places.size(); ++i) {
      ADD_FAILURE() << id << " is defined in " << places[0] << " and in " << places[i];
    }
  }
}

TEST(RequirementIds, EveryCitedOneIsDefined) {
  const std::map<std::string, std::vector<std::string>> defined = definitions();
  EXPECT_GT(defined.size(), 700u);
  std::map<std::string, std::string> undefined;
  std::size_t cited = 0;
  for (const char* top :
       {"platform", "modules", "kernels", "sw", "sim", "tests", "docs", "configs", "examples", "speed_tests"}) {
    for (const std::string& file : files_below(top, {".cpp", ".h", ".md", ".yaml"})) {
      for (const std::string& id : cited_ids(file, read(file))) {
        ++cited;
        if (defined.count(id) == 0) undefined.emplace(id, file);
      }
    }
  }
  EXPECT_GT(cited, 2000u);
  for (const auto& [id, file] : undefined) {
    ADD_FAILURE() << id << ", cited in " << file << ", is in no chapter of docs/specification";
  }
}

}  // namespace
}  // namespace kb::meta
