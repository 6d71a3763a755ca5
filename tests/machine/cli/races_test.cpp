// --check races: every planted race is found, none is invented, and no time moves.
#include <gmock/gmock.h>

#include <regex>
#include <set>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

const int kKernels = cases(1000, 110);

class RacesTest : public CommandLineTest {
 protected:
  // Random kernels [first, end); the odd ones have a race.
  Json random_kernels(int first, int end, const std::string& options, int code) {
    const Outcome outcome = kernbench("run --quiet --no-findings --topology '" + config("one_cube") + "' --plugin '" +
                                      KB_RACE_PLUGIN + "' --bench random-races --set first=" + std::to_string(first) +
                                      " --set end=" + std::to_string(end) + " --out out " + options);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    return Json::parse(read("out/result.json"), nullptr, false);
  }
};

// The kernels that are named in races.
std::set<int> kernels_with_races(const Json& result) {
  std::set<int> found;
  for (const Json& race : result["races"]) {
    const std::string text = race["text"];
    const std::regex kernel("kernel race_([0-9]+) ");
    for (std::sregex_iterator it(text.begin(), text.end(), kernel), end; it != end; ++it)
      found.insert(std::stoi((*it)[1]));
  }
  return found;
}

// Planted ones are of eleven kinds, in turn; all but one, if it is given.
std::set<int> planted(int but = -1) {
  std::set<int> out;
  for (int i = 1; i < kKernels; i += 2) {
    if (i / 2 % 11 != but) out.insert(i);
  }
  return out;
}
constexpr int kMaskedStore = 9;

TEST_F(RacesTest, PlantedRacesAreFoundAndNoneIsInvented) {
  for (const char* const mode : {"eager", "replay", "off"}) {
    const Json result = random_kernels(0, kKernels, std::string("--check races --data ") + mode, 1);
    EXPECT_EQ(result["error"]["code"], "RACE");
    EXPECT_EQ(kernels_with_races(result), planted()) << mode;
    EXPECT_EQ(result["races_not_compared"], 0) << mode;
  }
}

// Masks that data mode off does not know: the race of those that use one cannot be found.
TEST_F(RacesTest, WithoutDataAssumedRowsAndMasksAreNotCompared) {
  const std::string options = "--set masks=unknown --check races";
  EXPECT_EQ(kernels_with_races(random_kernels(0, kKernels, options, 1)), planted(kMaskedStore));
  const Json none = random_kernels(0, 1, options, 0);
  EXPECT_EQ(none["races"], Json::array());
  EXPECT_GT(none["races_not_compared"], 0);
  EXPECT_EQ(none["races_not_compared"], none["unknown_accesses"]);
  const Outcome report = kernbench("run --no-findings --topology '" + config("one_cube") + "' --plugin '" +
                                   KB_RACE_PLUGIN + "' --bench random-races --set end=1 --out out " + options);
  EXPECT_THAT(report.out, HasSubstr("none in what was compared\n  " + none["races_not_compared"].dump() +
                                    " indexed accesses were not compared"));
  EXPECT_THAT(report.out, HasSubstr("use --data replay or eager"));
}

// A barrier of each cube puts nothing into an order between cubes; one of the SIP does.
TEST_F(RacesTest, ABarrierOfTheSipOrdersItsCubes) {
  const std::string command = std::string("run --quiet --out out --check races --plugin '") + KB_RACE_PLUGIN +
                              "' --bench across-cubes --topology '" + config("reference") + "' ";
  const Outcome ordered = kernbench(command + "--verify-data");
  EXPECT_EQ(ordered.code, 0) << ordered.err;
  const Outcome race = kernbench(command + "--set scope=cube");
  EXPECT_EQ(race.code, 1);
  EXPECT_THAT(race.err, HasSubstr("RACE"));
}

// One write channel ends stores in the order of their calls, however many it has under way; two do not.
TEST_F(RacesTest, StoresOfOnePeAreOrderedByItsOnlyWriteChannel) {
  const std::string dma = " --set cube.pe_template.components.pe_dma.attrs.";
  const auto stores = [&](const std::string& options) {
    return kernbench(std::string("run --quiet --out out --check races --verify-data --plugin '") + KB_RACE_PLUGIN +
                     "' --bench store-twice --topology '" + config("one_pe") + "'" + options);
  };
  for (const char* const ordered : {"wr_outstanding=1", "wr_outstanding=2"}) {
    const Outcome outcome = stores(dma + ordered);
    EXPECT_EQ(outcome.code, 0) << ordered << outcome.err;
  }
  for (const char* const several : {"wr_engines=2", "wr_outstanding=2"}) {
    EXPECT_EQ(stores(dma + "wr_engines=2" + dma + several).code, 1) << several;
    const Json races = Json::parse(read("out/result.json"))["races"];
    ASSERT_EQ(races.size(), 1u);
    EXPECT_THAT(races[0]["text"].get<std::string>(), HasSubstr("written by tl.store_async #"));
  }
}

TEST_F(RacesTest, BothCallsAndTheBytesAreNamed) {
  const Json result = random_kernels(1, 2, "--check races", 1);
  const std::string text = result["races"][0]["text"];
  EXPECT_THAT(text, HasSubstr("bytes "));
  EXPECT_THAT(text, HasSubstr("of tensor 't' (in the memory of sip0.cube0.pe"));
  EXPECT_THAT(text, HasSubstr("written by tl."));
  EXPECT_THAT(text, HasSubstr("of kernel race_1 on sip0.cube0.pe"));
  EXPECT_EQ(result["error"]["message"].get<std::string>().substr(0, 40), text.substr(0, 40));
}

TEST_F(RacesTest, TheHostTakesPart) {
  const std::string command = std::string("run --quiet --out out --check races --plugin '") + KB_RACE_PLUGIN +
                              "' --bench host-beside --topology '" + config("one_cube") + "' --set use=";
  EXPECT_EQ(kernbench(command + "write --set wait=yes").code, 0);
  EXPECT_EQ(kernbench(command + "read").code, 0) << "a read of the host waits for what was submitted";
  EXPECT_EQ(kernbench(command + "write").code, 1);
  const std::string text = Json::parse(read("out/result.json"))["races"][0]["text"];
  EXPECT_THAT(text, HasSubstr("of tensor 't'"));
  EXPECT_THAT(text, HasSubstr("written by the host ("));
  EXPECT_THAT(text, HasSubstr("of kernel read_for_long on sip0.cube0.pe0"));
}

TEST_F(RacesTest, NoTimeMoves) {
  Json with = random_kernels(0, 20, "--check races", 1), without = random_kernels(0, 20, "", 0);
  EXPECT_EQ(with["sim_time_ns"], without["sim_time_ns"]);
  EXPECT_EQ(with["launches"], without["launches"]);
  EXPECT_FALSE(with["block_kinds"].empty());
  EXPECT_EQ(with["block_kinds"], without["block_kinds"]);
  EXPECT_FALSE(without.contains("races"));
}

// Collectives, whose messages and waits order everything; tensors of all placements.
TEST_F(RacesTest, TheWorkloadsHaveNone) {
  for (const char* const bench :
       {"gemm-multi-pe", "mlp", "flash-attention --set pes=all --set queries=128 --set context=512", "va-offset-verify",
        "stream --set ahead=4", "tp-mlp", "ccl-allreduce", "attention --set panel=multi_user_prefill"}) {
    const Outcome outcome = kernbench(std::string("run --check races --no-findings --out out --bench ") + bench);
    EXPECT_EQ(outcome.code, 0) << bench << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("none: every two uses of the same bytes")) << bench;
  }
}

TEST_F(RacesTest, OtherChecksAreRefused) {
  const Outcome outcome = kernbench("run --check race");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--check race: did you mean 'races'?"));
}

}  // namespace
}  // namespace kb::test
