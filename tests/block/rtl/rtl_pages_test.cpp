// The tables of the block pages are those of the code; with KB_UPDATE_DOCS in the environment they are written anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "modules/rtl/rtl_gemm.h"
#include "modules/rtl/rtl_memory.h"
#include "modules/rtl/rtl_router.h"
#include "platform/params/field_text.h"

namespace kb::test {
namespace {

void expect_table(const std::string& page, const std::string& impl, const params::FieldTable& fields) {
  const std::string path = std::string(KB_SOURCE_DIR) + "/docs/blocks/" + page;
  std::ostringstream read;
  read << std::ifstream(path).rdbuf();
  std::string text = read.str();
  const std::string begin = "<!-- parameters of " + impl + " -->\n";
  const std::size_t from = text.find(begin);
  ASSERT_NE(from, std::string::npos) << page;
  const std::size_t table = from + begin.size(), behind = text.find("<!-- end -->", table);
  const std::string wanted = params::markdown_table(fields);
  if (std::getenv("KB_UPDATE_DOCS") != nullptr) {
    std::ofstream(path) << text.replace(table, behind - table, wanted);
  } else {
    EXPECT_EQ(text.substr(table, behind - table), wanted) << page;
  }
}

TEST(RtlPages, ParametersAreThoseOfTheCode) {
  expect_table("rtl_gemm.md", "rtl.gemm", modules::RtlGemmParams::fields());
  expect_table("rtl_memory.md", "rtl.axi_memory", modules::RtlMemoryParams::fields());
  expect_table("rtl_router.md", "rtl.router", modules::RtlRouterParams::fields());
}

}  // namespace
}  // namespace kb::test
