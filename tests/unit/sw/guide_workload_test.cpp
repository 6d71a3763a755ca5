// The workload that docs/guides/workloads.md teaches compiles, runs, and is the one printed there.
#include "tests/unit/sw/guide_workload.h"

#include <gmock/gmock.h>

#include "kernels/catalog.h"
#include "tests/support/source_file.h"
#include "tests/unit/sw/fake_host.h"

namespace kb::sw {
namespace {

using test::source_file;

TEST(WorkloadGuide, WorkloadRuns) {
  testing::FakeHost host;
  const kernels::KernelCatalog catalog;
  Runtime rt(host, &catalog);
  WorkloadRegistry registry;
  registry.add(sum_workload());
  const Workload& workload = registry.resolve("sum");
  const WorkloadResult result = run_workload(rt, workload, resolve_params("sum", workload.parameters, {{"rows", "8"}}));
  ASSERT_EQ(result.verification.size(), 1u);
  EXPECT_FALSE(result.verification[0].ok);  // this machine runs no kernels: z stays zero
  EXPECT_EQ(result.figures.size(), 2u);
}

TEST(WorkloadGuide, GuidePrintsThisWorkload) {
  const std::string source = source_file("tests/unit/sw/guide_workload.h");
  const std::string begin = "// guide: begin\n";
  const std::size_t from = source.find(begin) + begin.size();
  const std::string code = source.substr(from, source.find("// guide: end") - from);
  EXPECT_THAT(source_file("docs/guides/workloads.md"), ::testing::HasSubstr("```cpp\n" + code + "```"));
}

TEST(DistributedGuide, GuidePrintsTheWorkloadOfTheGrid) {
  const std::string source = source_file("sw/workloads/grid_linear.cpp");
  const std::string begin = "    // guide: begin\n";
  const std::size_t from = source.find(begin) + begin.size();
  const std::string code = source.substr(from, source.find("    // guide: end") - from);
  EXPECT_THAT(source_file("docs/guides/distributed.md"), ::testing::HasSubstr(code));
}

TEST(WorkloadGuide, NamesEveryBuiltinWorkloadAndParameter) {
  const std::string guide = source_file("docs/guides/workloads.md");
  for (const WorkloadGroup& group : builtin_workloads()) {
    for (const Workload& workload : group.workloads) {
      EXPECT_THAT(guide, ::testing::HasSubstr("| `" + workload.name + "` |"));
      for (const Parameter& p : workload.parameters)
        EXPECT_THAT(guide, ::testing::HasSubstr("`" + p.name + "`")) << workload.name;
    }
  }
}

}  // namespace
}  // namespace kb::sw
