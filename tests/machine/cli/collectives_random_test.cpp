// Any collective on any machine with any queues gives the host's result (chapter 08, section 14): options drawn by
// seed.
#include <gmock/gmock.h>

#include <random>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}
  // Inclusive, the same on every platform.
  int number(int low, int high) { return low + static_cast<int>(engine_() % static_cast<unsigned>(high - low + 1)); }
  template <typename T>
  const T& of(const std::vector<T>& values) {
    return values[static_cast<std::size_t>(number(0, static_cast<int>(values.size()) - 1))];
  }

 private:
  std::mt19937 engine_;
};

class RandomCollectives : public CommandLineTest, public testing::WithParamInterface<unsigned> {
 protected:
  // SIPs of few cubes of few PEs: 1 to 16 SIPs in any topology.
  std::string machine(Draw& draw) {
    const std::string topology = draw.of<std::string>({"ring_1d", "torus_2d", "mesh_2d_no_wrap"});
    int w = draw.number(1, 4), h = draw.number(1, 4);
    ranks_ = w * h;
    std::string sips = "count: " + std::to_string(ranks_) + ", topology: " + topology;
    if (topology != "ring_1d") sips += ", w: " + std::to_string(w) + ", h: " + std::to_string(h);
    const int cubes_w = draw.number(1, 3), cubes_h = draw.number(1, 2), pes = draw.number(1, 2);
    pes_ = ranks_ * cubes_w * cubes_h * pes;
    return "system: { sips: { " + sips + " } }\nsip: { cube_mesh: { w: " + std::to_string(cubes_w) +
           ", h: " + std::to_string(cubes_h) +
           " } }\ncube: { pe_layout: { corners: [NW], pe_per_corner: " + std::to_string(pes) + " } }\n";
  }
  static std::string queues(Draw& draw) {
    return " --set n_slots=" + std::to_string(draw.number(1, 8)) +
           " --set slot_size=" + std::to_string(draw.of<int>({720, 1008, 4096, 8192})) +  // 720: 90 elements of i64
           " --set buffer_kind=" + draw.of<std::string>({"tcm", "sram", "hbm"}) +
           " --set backpressure=" + draw.of<std::string>({"sleep", "poll"}) +
           " --set credit=" + draw.of<std::string>({"annotated", "fabric"}) +
           " --set slot_access=" + draw.of<std::string>({"annotated", "fabric"});
  }
  // All PEs of the machine in a grid of any form.
  std::string grid(Draw& draw) {
    int w = draw.number(1, pes_);
    while (pes_ % w != 0) --w;
    return write("grid.yaml", "algorithms: { grid: { module: mesh_allreduce, topology: " +
                                  draw.of<std::string>({"torus_2d", "mesh_2d_no_wrap"}) + ", w: " + std::to_string(w) +
                                  ", h: " + std::to_string(pes_ / w) + " } }\n");
  }
  std::string workload(Draw& draw) {
    const std::string name =
        draw.of<std::string>({"allreduce", "allreduce", "allreduce", "allreduce-ranks", "broadcast", "reduce",
                              "all-gather", "gather", "reduce-scatter", "scatter", "all-to-all", "send-recv"});
    const int elements = draw.number(1, 90);
    std::string options = "ccl-" + name + " --set n_elem=" + std::to_string(elements) +
                          " --set dtype=" + draw.of<std::string>({"f16", "bf16", "f32", "i8", "i16", "i32", "i64"});
    if (name == "allreduce") {
      const std::string algorithm = draw.of<std::string>(
          {"lrab_hierarchical_allreduce", "ring_allreduce", "grid", "tree_allreduce", "three_level_allreduce"});
      if (algorithm == "grid") options += " --set ccl=" + grid(draw);
      options += " --set algorithm=" + algorithm;
    }
    if (name == "allreduce-ranks") options += " --set blocks=" + draw.of<std::string>({"auto", "yes", "no"});
    if (name != "allreduce") options += " --set exchange=" + draw.of<std::string>({"auto", "auto", "path"});
    const bool combines = name.find("reduce") != std::string::npos;
    if (combines) options += " --set op=" + draw.of<std::string>({"sum", "max", "min", "avg"});
    if (name == "broadcast" || name == "reduce" || name == "gather" || name == "scatter") {
      options += " --set root=" + std::to_string(draw.number(0, ranks_ - 1));
    }
    if (draw.number(0, 2) == 0) options += " --set chunk=" + std::to_string(draw.number(1, elements));
    return options;
  }

  int ranks_ = 1, pes_ = 1;
};

TEST_P(RandomCollectives, GiveTheResultOfTheHost) {
  if (GetParam() > 8) {
    KB_SKIP_UNDER_SANITIZERS();
  }
  Draw draw(GetParam());
  for (int i = 0; i < 6; ++i) {
    const std::string text = machine(draw);
    const std::string options = workload(draw) + queues(draw);
    const Outcome outcome = kernbench("run --quiet --verify-data --out out --topology '" + folder() + "/" +
                                      write("machine.yaml", text) + "' --bench " + options);
    ASSERT_EQ(outcome.code, 0) << text << options << "\n" << outcome.err;
    const Json result = Json::parse(read("out/result.json"));
    EXPECT_EQ(result["ok"], true) << text << options;
    EXPECT_FALSE(result["verification"].empty()) << text << options;
    EXPECT_TRUE(result["warnings"].empty()) << text << options << result["warnings"];
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomCollectives, testing::Range(1u, 33u));

}  // namespace
}  // namespace kb::test
