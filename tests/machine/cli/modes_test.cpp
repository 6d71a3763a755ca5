// Data mode off has the times of a run with data wherever it knows the indices and masks, and says so where it does not
// (P-61, decision 0047).
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <set>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kTimed[] = {"sim_time_ns", "launches", "blocks", "figures"};

// A use that goes on when a launch ends is divided over its span, in pieces that differ with what was committed.
Json timed(const Json& result) {
  Json out;
  for (const char* member : kTimed) out[member] = result.value(member, Json());
  for (Json& launch : out["launches"]) launch.erase("blocks");
  return out;
}

// Workloads and examples that index by what nobody knows in data mode off: the choice of experts comes out of a
// product.
const std::set<std::string> kUnknown{"topk-routing"};

class ModesTest : public CommandLineTest {
 protected:
  struct Run {
    int code = 0;
    std::string err;
    Json result;
  };
  Run run(const std::string& options, const std::string& mode) {
    const Outcome outcome = kernbench("run --quiet --no-findings --details --out out " + options + " " + mode);
    Json result = detailed();
    if (!result.is_object()) result = Json::object();
    std::filesystem::remove_all(folder() + "/out");
    return {outcome.code, outcome.err, std::move(result)};
  }
  static void expect_equal(const Run& off, const Run& other, const std::string& what) {
    EXPECT_EQ(off.code, other.code) << what << off.err << other.err;
    const Json a = timed(off.result), b = timed(other.result);
    for (const char* member : kTimed) EXPECT_EQ(a[member], b[member]) << what << ": " << member;
  }
};

// ---- every workload and every example, over random parameters ----

struct Candidate {
  std::string name, plugin;
  Json parameters;
};

class RandomModesTest : public ModesTest, public ::testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    ModesTest::SetUp();
    const Json built_in = json("list --json");
    std::set<std::string> names;
    for (const Json& one : built_in["benches"]) {
      names.insert(one["name"].get<std::string>());
      candidates_.push_back({one["name"], "", one["parameters"]});
    }
    for (const char* plugin : {KB_PING_PONG_PLUGIN, KB_TP_MLP_PLUGIN, KB_SWAP_ADD_PLUGIN, KB_SCALE_ADD_PLUGIN}) {
      const Json extended = json(std::string("list --json --plugin ") + plugin);
      for (const Json& one : extended["benches"]) {
        if (names.insert(one["name"].get<std::string>()).second) {
          candidates_.push_back({one["name"], plugin, one["parameters"]});
        }
      }
    }
    small_ = folder() + "/" +
             write("small.yaml",
                   "system: { sips: { count: 2 } }\nsip: { cube_mesh: { w: 2, h: 1 } }\n"
                   "cube: { pe_layout: { corners: [NW], pe_per_corner: 2 } }\n");
  }

  // Sizes are mostly smaller than the defaults, and rarely multiples of anything.
  std::string drawn(const Candidate& candidate) {
    std::string options = " --bench " + candidate.name;
    if (!candidate.plugin.empty()) options += " --plugin " + candidate.plugin;
    for (const Json& parameter : candidate.parameters) {
      const std::string name = parameter["name"], type = parameter["type"], usual = parameter["default"];
      const auto set = [&](const std::string& value) { options += " --set " + name + "=" + value; };
      if (type == "choice" && random_() % 2 == 0) {
        set(parameter["choices"][random_() % parameter["choices"].size()]);
      } else if (type == "int") {
        const long value = std::strtol(usual.c_str(), nullptr, 10);
        if (value < 4) {
          if (random_() % 4 == 0) set(std::to_string(value + static_cast<long>(random_() % 2)));
          continue;
        }
        const long divisors[] = {1, 2, 3, 4, 8, 16};
        const long least = value > 1024 ? 4 : value > 128 ? 2 : 0;  // of the divisors: a run is short
        set(std::to_string(std::max(1L, value / divisors[least + random_() % (6 - static_cast<unsigned>(least))])));
      }
    }
    const bool links = candidate.name == "chain-sums" || candidate.name == "neighbour-sum";  // of a cube of 8 PEs
    if (links) options += " --set ccl='" KB_SOURCE_DIR "/examples/messages/ccl.yaml'";
    return "--topology '" + (links || random_() % 2 == 0 ? config("one_cube") : small_) + "'" + options;
  }

  std::vector<Candidate> candidates_;
  std::string small_;
  std::mt19937 random_{static_cast<unsigned>(GetParam()) + 4711};
};

constexpr int kParts = 4;

TEST_P(RandomModesTest, TimesAreEqualOrTheRunWarns_P61_H77) {
  KB_SKIP_UNDER_SANITIZERS();
  const int wanted = std::getenv("KB_NIGHTLY") == nullptr ? 2 : 40;
  for (std::size_t i = static_cast<std::size_t>(GetParam()); i < candidates_.size(); i += kParts) {
    const Candidate& candidate = candidates_[i];
    int done = 0;
    for (int tries = 0; done < wanted && tries < wanted + 10; ++tries) {
      const std::string options = drawn(candidate);
      const Run off = run(options, "--data off");
      const Run replay = run(options, "--data replay"), eager = run(options, "--data eager");
      if (off.code == 0) ++done;
      const auto unknown = off.result.value("unknown_accesses", std::uint64_t{0});
      if (kUnknown.count(candidate.name) != 0 && off.code == 0) {
        EXPECT_GT(unknown, 0u) << options;
        ASSERT_FALSE(off.result["warnings"].empty()) << options;
        EXPECT_THAT(off.result["warnings"][0].get<std::string>(),
                    AllOf(HasSubstr(std::to_string(unknown) + " access"), HasSubstr("data mode off does not know")));
        EXPECT_EQ(replay.result["unknown_accesses"], 0) << options;
        expect_equal(replay, eager, options + " (replay, eager)");
      } else {
        EXPECT_EQ(unknown, 0u) << options << off.result["warnings"].dump();
        expect_equal(off, replay, options + " (off, replay)");
        expect_equal(off, eager, options + " (off, eager)");
      }
    }
    EXPECT_GT(done, 0) << candidate.name << ": no draw of parameters was valid";
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, RandomModesTest, ::testing::Range(0, kParts));

// ---- a block table, by every way in which it can come to the kernel ----

class PagedModesTest : public ModesTest {
 protected:
  std::string paged(const std::string& path, const std::string& options = "") {
    return "--topology '" + config("one_cube") + "' --plugin " KB_PAGED_PLUGIN " --bench page-table --set way=" + path +
           " " + options;
  }
  void expect_known(const std::string& options, bool replayable) {
    const Run off = run(options, ""), eager = run(options, "--data eager");
    EXPECT_EQ(off.code, 0) << options << off.err;
    EXPECT_EQ(off.result["data_mode"], "off") << "without any option";
    EXPECT_EQ(off.result["unknown_accesses"], 0) << options << off.result["warnings"].dump();
    EXPECT_TRUE(off.result["warnings"].empty()) << options;
    expect_equal(off, eager, options);
    if (replayable) expect_equal(off, run(options, "--data replay"), options);
    EXPECT_EQ(run(options, replayable ? "--verify-data" : "--verify-data --data eager").code, 0) << options;
  }
  void expect_unknown(const std::string& options, std::uint64_t count) {
    const Run off = run(options, "");
    EXPECT_EQ(off.code, 0) << options << off.err;
    EXPECT_EQ(off.result["unknown_accesses"], count) << options;
    ASSERT_EQ(off.result["warnings"].size(), 1u) << options;
    EXPECT_THAT(off.result["warnings"][0].get<std::string>(), HasSubstr(std::to_string(count) + " access"));
    EXPECT_THAT(off.result["warnings"][0].get<std::string>(), HasSubstr("pe_dma): their rows are assumed"));
    const Run eager = run(options, "--verify-data --data eager");
    EXPECT_EQ(eager.code, 0) << options << eager.err;
    EXPECT_EQ(eager.result["unknown_accesses"], 0);
    EXPECT_TRUE(eager.result["warnings"].empty());
  }
};

// The one from the guide, without any option: a table that the host wrote.
TEST_F(PagedModesTest, TheGuidesKernelTakesItsTime) {
  for (const char* options : {"", "--set numbers=i64", "--set numbers=i16 --set pool=77", "--set numbers=i8",
                              "--set requests=64 --set pages=3 --seed 9", "--set d=32 --set page=5 --set pages=11"}) {
    expect_known(paged("host", options), true);
  }
  // As many rows, but others: the times show that the numbers count.
  EXPECT_NE(run(paged("host"), "").result["sim_time_ns"], run(paged("host", "--seed 5"), "").result["sim_time_ns"]);
}

TEST_F(PagedModesTest, WhatIsOnlyMovedStaysKnown) {
  KB_SKIP_UNDER_SANITIZERS();
  for (const char* path : {"from_host", "tensor", "host_read", "elements", "after_read_said", "after_print",
                           "after_copy", "kernel", "scatter", "mask", "message", "looked_at"}) {
    expect_known(paged(path), true);
    expect_known(paged(path, "--set numbers=i16 --set cube.memory_map.address_model=pa"), true);
  }
  for (const char* path : {"arithmetic", "where", "atomic_add"}) expect_known(paged(path), false);
}

TEST_F(PagedModesTest, WhatNobodyKnowsIsCounted) {
  for (const char* path : {"placeholder", "after_read", "cast"}) expect_unknown(paged(path), 2 * 16);
  expect_unknown(paged("unknown_rows"), 8 + 2 * 16);
  // A table of narrow integers, of 1 MiB and of 1 KiB more.
  const std::string narrow = "--set numbers=i16 --set pages=64 --set page=1 --set d=16 --set spare=";
  expect_known(paged("host", narrow + "8176"), true);
  expect_unknown(paged("host", narrow + "8184"), 2 * 16);
  expect_known(paged("host", "--set numbers=i32 --set pages=64 --set page=1 --set d=16 --set spare=8184"), true);
}

TEST_F(PagedModesTest, ReportSweepAndStrictRunsWarn) {
  const Outcome report = kernbench("run " + paged("cast"));
  EXPECT_THAT(report.out, HasSubstr("Warning: 32 accesses have indices or masks that data mode off does not know (the "
                                    "first: tl.gather #"));
  const Outcome strict = kernbench("run --strict --quiet " + paged("cast"));
  EXPECT_EQ(strict.code, 1);
  EXPECT_THAT(strict.err, HasSubstr("32 accesses have indices or masks"));
  EXPECT_EQ(kernbench("run --strict --quiet " + paged("kernel")).code, 0);
  write("sweep.yaml", "sweep: ways\nworkload: page-table\ntopology: " + config("one_cube") +
                          "\nplugin: " KB_PAGED_PLUGIN
                          "\naxes:\n  way: {set: way, values: [host, cast]}\ncolumns:\n"
                          "  time_ns: /sim_time_ns\n  unknown: /unknown_accesses\n");
  const Outcome sweep = kernbench("sweep sweep.yaml --out sweep");
  EXPECT_EQ(sweep.code, 0) << sweep.err;
  EXPECT_THAT(sweep.err,
              HasSubstr("1 of 2 points have accesses with indices or masks that data mode off does not know (32 "
                        "in all"));
  const std::string table = read("sweep/points.csv");
  EXPECT_THAT(table, HasSubstr(",0,ok,\n"));
  EXPECT_THAT(table, HasSubstr(",32,ok,warning: 32 accesses have indices or masks that data mode off does not know\n"));
}

}  // namespace
}  // namespace kb::test
