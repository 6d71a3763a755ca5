// Every folder says what it is for, and the picture of the architecture shows it.
#include <gtest/gtest.h>

#include <iterator>
#include <set>
#include <sstream>

#include "tests/meta/source_tree.h"

namespace kb::meta {
namespace {

std::set<std::string> folders() {
  std::set<std::string> all;
  for (const Library& library : libraries()) all.insert(library.folder);
  return all;
}

// Words of the first block of code in the overview.
std::set<std::string> pictured_words() {
  const std::string text = read("docs/architecture/overview.md");
  const std::size_t begin = text.find("```") + 3, end = text.find("```", begin);
  std::string picture = text.substr(begin, end - begin);
  for (char& c : picture) {
    if (c == ':' || c == '/') c = ' ';
  }
  std::istringstream words(picture);
  return {std::istream_iterator<std::string>(words), {}};
}

TEST(Folders, BeginWithASentence) {
  ASSERT_GT(folders().size(), 40u);
  for (const std::string& folder : folders()) {
    const std::string text = read(folder + "/CMakeLists.txt");
    const std::string head = text.substr(0, text.find("\nkb_library"));
    EXPECT_EQ(text.rfind("# ", 0), 0u) << folder << "/CMakeLists.txt: the first line has to say what the folder is for";
    EXPECT_NE(head.find('.'), std::string::npos) << folder << "/CMakeLists.txt: the head is not a sentence";
  }
}

TEST(Folders, AreInThePicture) {
  const std::set<std::string> words = pictured_words();
  for (const std::string& folder : folders()) {
    const std::string name = folder.substr(folder.rfind('/') + 1);
    EXPECT_EQ(words.count(name), 1u) << folder << " is not in the picture of docs/architecture/overview.md";
  }
}

}  // namespace
}  // namespace kb::meta
