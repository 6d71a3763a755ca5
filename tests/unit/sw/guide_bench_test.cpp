// The bench that docs/guides/benches.md teaches compiles, runs, and is the one printed there.
#include "tests/unit/sw/guide_bench.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "kernels/catalog.h"
#include "tests/unit/sw/fake_host.h"

namespace kb::sw {
namespace {

std::string file(const std::string& path) {
  std::ifstream in(std::string(KB_SOURCE_DIR) + "/" + path);
  EXPECT_TRUE(in.is_open()) << path;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(BenchGuide, BenchRuns) {
  testing::FakeHost host;
  const kernels::KernelCatalog catalog;
  Runtime rt(host, &catalog);
  BenchRegistry registry;
  registry.add(sum_bench());
  const Bench& bench = registry.resolve("sum");
  const BenchResult result = run_bench(rt, bench, resolve_params("sum", bench.parameters, {{"rows", "8"}}));
  ASSERT_EQ(result.verification.size(), 1u);
  EXPECT_FALSE(result.verification[0].ok);  // this machine runs no kernels: z stays zero
  EXPECT_EQ(result.figures.size(), 2u);
}

TEST(BenchGuide, GuidePrintsThisBench) {
  const std::string source = file("tests/unit/sw/guide_bench.h");
  const std::string begin = "// guide: begin\n";
  const std::size_t from = source.find(begin) + begin.size();
  const std::string code = source.substr(from, source.find("// guide: end") - from);
  EXPECT_THAT(file("docs/guides/benches.md"), ::testing::HasSubstr("```cpp\n" + code + "```"));
}

TEST(BenchGuide, NamesEveryBuiltinBenchAndParameter) {
  const std::string guide = file("docs/guides/benches.md");
  for (const Bench& bench : builtin_benches()) {
    EXPECT_THAT(guide, ::testing::HasSubstr("| `" + bench.name + "` |"));
    for (const Parameter& p : bench.parameters)
      EXPECT_THAT(guide, ::testing::HasSubstr("`" + p.name + "`")) << bench.name;
  }
}

}  // namespace
}  // namespace kb::sw
