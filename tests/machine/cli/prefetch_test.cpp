// Own writes to what was prefetched, on a machine: right data and the same times in every data mode, under every
// address model, in every memory.
#include <gmock/gmock.h>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;

class PrefetchTest : public CommandLineTest {
 protected:
  Json run(const std::string& options) {
    const Outcome outcome = kernbench("run --quiet --topology '" + config("one_pe") +
                                      "' --plugin '" KB_PREFETCH_PLUGIN "' --bench prefetch --out out " + options);
    EXPECT_EQ(outcome.code, 0) << options << "\n" << outcome.out << outcome.err;
    return Json::parse(read("out/result.json"), nullptr, false);
  }
};

TEST_F(PrefetchTest, LoadsGiveWhatWasWritten) {
  for (const char* model : {"pa", "va", "la"}) {
    for (const char* memory : {"hbm", "tcm"}) {
      const std::string options =
          std::string("--set cube.memory_map.address_model=") + model + " --set memory=" + memory + " ";
      const Json replay = run(options + "--verify-data"), eager = run(options + "--verify-data --data eager"),
                 off = run(options);
      ASSERT_EQ(replay["verification"].size(), 12u) << options;
      for (const Json& row : replay["verification"]) EXPECT_EQ(row["status"], "ok") << options << row;
      EXPECT_EQ(replay["launches"], eager["launches"]) << options;
      EXPECT_EQ(replay["launches"], off["launches"]) << options;
      // One that was dropped is read again after the write: the one beside it is the fastest.
      const auto path = [&](std::size_t way) { return off["launches"][way]["pe_exec_ns"]["max"].get<double>(); };
      EXPECT_LT(path(9), path(0)) << options;
    }
  }
}

TEST_F(PrefetchTest, AReadThatNobodyUsesIsNoRace) {
  const Json result = run("--check races --data eager");
  EXPECT_EQ(result["races"], Json::array());
}

}  // namespace
}  // namespace kb::test
