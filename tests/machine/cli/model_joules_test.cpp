// `kernbench model requests --topology` on machines with coefficients of energy.
#include <gmock/gmock.h>

#include <cmath>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/machine/cli/launched_model.h"

namespace kb::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class ModelJoulesTest : public LaunchedModelTest {
 protected:
  static constexpr const char* kPrices = " --set energy.defaults=hbm2_7nm ";
  static constexpr const char* kStatic = " --set energy.hbm.static.w=3 --set energy.hbm.static.source=test ";

  void serve_on_grid() const { write("trace.jsonl", read("grid.jsonl")); }
  Json step_energy(const std::string& options) const {
    return json("model step m.json --json" + (kMachine + (kPrices + options)))["energy"];
  }
  // The last column of the rows of a table.
  std::vector<double> last_column(const std::string& file) const {
    std::vector<double> values;
    std::istringstream lines(read(file));
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) values.push_back(std::stod(line.substr(line.rfind(',') + 1)));
    return values;
  }
};

constexpr double kFj = 1e-15, kRounded = 1e-10;  // parts are rounded to fJ

TEST_F(ModelJoulesTest, AStepOnTheGridHasTheJoulesOfModelStep) {  // M-137
  KB_SKIP_UNDER_SANITIZERS();
  write("trace.jsonl", "{\"input_toks\":64,\"output_toks\":1,\"arrival_time_ns\":0}\n");
  const Json energy = step_energy("--phase prefill --tokens 64");
  const Json joules = served(kPrices)["launches"]["joules"];
  for (const auto& [own, other] : {std::pair("total", "fj"), {"low", "low_fj"}, {"high", "high_fj"}}) {
    EXPECT_NEAR(joules[own].get<double>() / (energy[other].get<double>() * kFj), 1, kRounded) << own;
  }
  EXPECT_EQ(joules["defaults"], "hbm2_7nm");
  EXPECT_EQ(joules["per_request"], joules["per_output_token"]);
  serve_on_grid();
  const Json decode = served(kPrices + std::string("--check 9"))["launches"]["check"]["steps"][2];
  EXPECT_NEAR(decode["joules"].get<double>() / (step_energy("--context 128")["fj"].get<double>() * kFj), 1, kRounded);
}

TEST_F(ModelJoulesTest, SeveralSipsAreCountedTogether) {  // M-137
  serve_on_grid();
  const Json steps = served(kPrices + std::string("--tp 2 --check 9"))["launches"]["check"]["steps"];
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_NEAR(steps[0]["joules_error"].get<double>(), 0, kRounded);
  EXPECT_NEAR(steps[2]["joules_error"].get<double>(), 0, kRounded);
  const double both = steps[0]["exact_joules"];
  EXPECT_NEAR(both / (step_energy("--tp 2 --phase prefill --tokens 64")["fj"].get<double>() * kFj), 1, kRounded);
}

TEST_F(ModelJoulesTest, MixedStepsAreNearTheExactOnes) {  // M-137
  KB_SKIP_UNDER_SANITIZERS();
  const Json check = served(kPrices + std::string("--check 1000"))["launches"]["check"];
  for (const Json& step : check["steps"]) EXPECT_LT(std::abs(step["joules_error"].get<double>()), 0.1) << step;
  EXPECT_LT(std::abs(check["mean_joules_error"].get<double>()), 0.02);
}

TEST_F(ModelJoulesTest, OtherCoefficientsSimulateNothing) {  // M-137
  KB_SKIP_UNDER_SANITIZERS();
  const Json without = served("--store times");
  EXPECT_TRUE(without["launches"]["joules"].is_null());
  const Json counted = served(kPrices + std::string("--store times"));
  EXPECT_GT(counted["launches"]["cells_simulated"], 0) << "their events were not kept";
  EXPECT_EQ(counted["latency_ns"], without["latency_ns"]);
  const Json dearer =
      served("--store times --set energy.defaults=hbm3_7nm --set energy.hbm.bit.pj=100 --set energy.hbm.bit.source=x");
  EXPECT_EQ(dearer["launches"]["cells_simulated"], 0);
  EXPECT_GT(dearer["launches"]["joules"]["total"], counted["launches"]["joules"]["total"]);
  const Json fresh = served(kPrices), again = served(kPrices + std::string("--store times"));
  EXPECT_EQ(again["launches"]["cells_simulated"], 0);
  EXPECT_EQ(again["launches"]["joules"], fresh["launches"]["joules"]);
  EXPECT_EQ(counted["launches"]["joules"], fresh["launches"]["joules"]);
  EXPECT_EQ(served("--store times")["launches"]["cells_simulated"], 0);
}

// A store whose launches have events, as `kernbench model step` leaves it: without the lines of cells.
TEST_F(ModelJoulesTest, LaunchesWithEventsAreNotSimulatedAgain) {  // M-137
  KB_SKIP_UNDER_SANITIZERS();
  const auto journals = [&] {
    std::vector<std::string> names;
    for (const std::string& file : files()) {
      if (file.rfind(".journal") != std::string::npos) names.push_back(file);
    }
    return names;
  };
  const Json first = served(kPrices + std::string("--store times"));
  const std::vector<std::string> names = journals();
  ASSERT_EQ(names.size(), 1u);
  std::istringstream lines(read(names.front()));
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("\tevents of cell") == std::string::npos) kept += line + '\n';
  }
  write(names.front(), kept);
  const Json again = served(kPrices + std::string("--store times"));
  EXPECT_EQ(again["launches"]["cells_simulated"], first["launches"]["cells_simulated"]);
  EXPECT_EQ(again["launches"]["joules"], first["launches"]["joules"]);
  for (const std::string& name : journals()) {
    if (name == names.front()) continue;
    std::istringstream written(read(name));
    for (std::string line; std::getline(written, line);) EXPECT_THAT(line, HasSubstr("\tevents of cell"));
  }
}

TEST_F(ModelJoulesTest, StaticPowerCountsFromTheFirstArrivalToTheLastToken) {  // M-138
  KB_SKIP_UNDER_SANITIZERS();
  const Json events = served(kPrices + std::string("--store times --out e"));
  const Json all = served(kPrices + std::string(kStatic) + "--store times --out s");
  const double seconds = all["seconds"], busy = all["busy_ns"].get<double>() * 1e-9;
  const Json joules = all["launches"]["joules"];
  const double total = joules["total"], dynamic = events["launches"]["joules"]["total"];
  EXPECT_DOUBLE_EQ(joules["static"], 3 * seconds);
  EXPECT_NEAR(total, dynamic + 3 * seconds, 1e-9 * total);
  EXPECT_NEAR(joules["watts"].get<double>(), total / seconds, 1e-9 * total / seconds);
  EXPECT_NEAR(joules["per_request"].get<double>(), total / 8, 1e-9 * total);
  const auto sum = [&](const char* file) {
    double all_rows = 0;
    for (const double value : last_column(file)) all_rows += value;
    return all_rows;
  };
  EXPECT_NEAR(sum("e/requests.csv"), dynamic, 1e-9 * total);
  EXPECT_NEAR(sum("s/requests.csv"), dynamic + 3 * busy, 1e-9 * total) << "what runs, not the time between";
  EXPECT_NEAR(sum("s/timeline.csv"), total, 1e-9 * total) << "watts in each second";
  EXPECT_THAT(read("s/requests.csv"), HasSubstr(",ITL,joules\n"));
  EXPECT_THAT(read("s/timeline.csv"), HasSubstr(",kv_cache_pct,watts\n"));
  const Outcome page = kernbench("web s --port 0 --no-open", "timeout --preserve-status -s TERM 2");
  EXPECT_THAT(page.out + page.err, HasSubstr("The requests of 's' are shown at"));
}

TEST_F(ModelJoulesTest, TheTextSaysWhatIsCounted) {  // M-138
  KB_SKIP_UNDER_SANITIZERS();
  const Outcome outcome = serve(kPrices);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("energy (coefficients: hbm2_7nm"));
  EXPECT_THAT(outcome.out, HasSubstr("per output token"));
  EXPECT_THAT(outcome.out, HasSubstr("what the host reads and writes between two steps"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("energy is not counted")));
}

TEST_F(ModelJoulesTest, RatesHaveJoulesPerToken) {  // M-138
  KB_SKIP_UNDER_SANITIZERS();
  const Json result = served(kPrices + std::string("--sweep-rate 1000:1000000:4 --out s --plot --store times"));
  for (const Json& rate : result["rates"]) EXPECT_GT(rate["joules_per_output_token"], 0);
  EXPECT_LT(result["rates"][3]["joules_per_output_token"], result["rates"][0]["joules_per_output_token"])
      << "requests that share a step share the reads of its weights";
  EXPECT_EQ(result["launches"]["joules"]["defaults"], "hbm2_7nm");
  EXPECT_THAT(read("s/rates.csv"), HasSubstr(",knee,joules_per_output_token,watts\n"));
  EXPECT_THAT(read("s/knee.svg"), HasSubstr("J per output token"));
  EXPECT_THAT(serve(kPrices + std::string("--sweep-rate 1000,2000 --store times")).out, HasSubstr("energy/token"));
}

}  // namespace
}  // namespace kb::test
