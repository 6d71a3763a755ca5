// Reads files of the source tree, for tests of guides and configurations; needs KB_SOURCE_DIR.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace kb::test {

inline std::string source_file(const std::string& path) {
  std::ifstream in(std::string(KB_SOURCE_DIR) + "/" + path);
  EXPECT_TRUE(in.is_open()) << path;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace kb::test
