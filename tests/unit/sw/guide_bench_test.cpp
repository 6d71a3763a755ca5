// The bench that docs/guides/benches.md teaches compiles, runs, and is the one printed there.
#include "tests/unit/sw/guide_bench.h"

#include <gmock/gmock.h>

#include "kernels/catalog.h"
#include "tests/support/source_file.h"
#include "tests/unit/sw/fake_host.h"

namespace kb::sw {
namespace {

using test::source_file;

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
  const std::string source = source_file("tests/unit/sw/guide_bench.h");
  const std::string begin = "// guide: begin\n";
  const std::size_t from = source.find(begin) + begin.size();
  const std::string code = source.substr(from, source.find("// guide: end") - from);
  EXPECT_THAT(source_file("docs/guides/benches.md"), ::testing::HasSubstr("```cpp\n" + code + "```"));
}

TEST(DistributedGuide, GuidePrintsTheBenchOfTheGrid) {
  const std::string source = source_file("sw/benches/grid_linear.cpp");
  const std::string begin = "    // guide: begin\n";
  const std::size_t from = source.find(begin) + begin.size();
  const std::string code = source.substr(from, source.find("    // guide: end") - from);
  EXPECT_THAT(source_file("docs/guides/distributed.md"), ::testing::HasSubstr(code));
}

TEST(BenchGuide, NamesEveryBuiltinBenchAndParameter) {
  const std::string guide = source_file("docs/guides/benches.md");
  for (const Bench& bench : builtin_benches()) {
    EXPECT_THAT(guide, ::testing::HasSubstr("| `" + bench.name + "` |"));
    for (const Parameter& p : bench.parameters)
      EXPECT_THAT(guide, ::testing::HasSubstr("`" + p.name + "`")) << bench.name;
  }
}

}  // namespace
}  // namespace kb::sw
