#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

class SchemaCommand : public CommandLineTest {};

// With KB_UPDATE_DOCS set in the environment the copies are written anew.
TEST_F(SchemaCommand, CopiesForEditorsAreWhatTheProgramSays) {  // H-111
  if (!KB_RTL_BUILT) GTEST_SKIP() << "a build without RTL knows fewer implementations";
  for (const std::string document : {"topology", "result", "why", "tornado"}) {
    const Outcome said = kernbench("schema " + document);
    ASSERT_EQ(said.code, 0) << said.err;
    const std::string copy = std::string(KB_SOURCE_DIR) + "/docs/schema/" + document + ".schema.json";
    if (std::getenv("KB_UPDATE_DOCS") != nullptr) {
      std::ofstream(copy) << said.out;
      continue;
    }
    std::ostringstream text;
    text << std::ifstream(copy).rdbuf();
    EXPECT_EQ(text.str(), said.out) << "run: kernbench schema " << document << " > docs/schema/" << document
                                    << ".schema.json";
  }
}

}  // namespace
}  // namespace kb::test
