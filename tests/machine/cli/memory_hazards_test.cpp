// Contents under hazards: what kernels read from bytes that others write at the same time, and what remains of them, is
// what a plain array has that gets all operations in the order in which they end (decision 0002), in both data modes
// and with each memory controller.
#include <gmock/gmock.h>

#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;

constexpr int kPes = 4, kWindow = 192, kAccesses = 40,
              kFoundOfPe = kAccesses * 100;  // elements of the plug-in's tensors
const int kPrograms = cases(24, 4);

// Words of 4 B by address. It gets the lines of an operation log.
class PlainArray {
 public:
  void apply(const std::string& line) {
    std::istringstream in(line);
    std::string seq, id, start, end, component, kind, name, text;
    in >> seq >> id >> start >> end >> component >> kind >> name;
    std::getline(in, text);
    const Json row = Json::parse(text);
    const std::uint64_t to = number(row["dst_addr"]), bytes = row["nbytes"];
    const std::uint64_t value = name == "scratch_write" ? next_store(component) : 0;
    for (std::uint64_t at = 0; at < bytes; at += 4) {
      words_[to + at] = row.contains("src_addr") ? words_.at(number(row["src_addr"]) + at) : value;
    }
    if (name == "dma_read") ++reads_;
    if (name == "host_write") written_.emplace(to, bytes);
  }
  // The tensors of the plug-in: the window is the one of 768 B, the rows of what was found follow one another by PE.
  std::vector<std::uint64_t> contents() const {
    std::vector<std::uint64_t> window, found;
    for (const auto& [address, bytes] : written_) {
      for (std::uint64_t at = 0; at < bytes; at += 4) {
        (bytes == kWindow * 4 ? window : found).push_back(words_.at(address + at));
      }
    }
    window.insert(window.end(), found.begin(), found.end());
    return window;
  }
  int reads() const { return reads_; }

 private:
  // What the plug-in stores next: sip0.cube0.peN.pe_cpu counts from N x 40 + 1.
  std::uint64_t next_store(const std::string& component) {
    const std::uint64_t pe = std::stoull(component.substr(std::string("sip0.cube0.pe").size()));
    return pe * kAccesses + ++stores_[pe];
  }
  static std::uint64_t number(const Json& text) { return std::stoull(text.get<std::string>(), nullptr, 16); }

  std::map<std::uint64_t, std::uint64_t> words_, written_, stores_;
  int reads_ = 0;
};

constexpr const char* kCommitted = "impl: builtin.hbm_banked, attrs: { preset: hbm3_6400, sids: 3 }";

class MemoryHazards : public CommandLineTest, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    CommandLineTest::SetUp();
    write("machine.yaml",
          "system: { sips: { count: 1 } }\nsip: { cube_mesh: { w: 1, h: 1 } }\n"
          "cube:\n  pe_layout: { corners: [NW, NE, SW, SE], pe_per_corner: 1 }\n"
          "  memory_map: { hbm_channels_per_pe: 8, hbm_channel_bw_gbs: 25.6 }\n"
          "  pe_template: { components: { pe_dma: { attrs: { rd_outstanding: 8, wr_outstanding: 8 } } } }\n"
          "  components:\n    hbm_ctrl: { " +
              std::string(GetParam()) + " }\n");
  }
  std::vector<std::uint64_t> run(int program, const std::string& mode) {
    const Outcome outcome = kernbench("run --quiet --topology machine.yaml --plugin '" KB_MEMORY_HAZARDS_PLUGIN
                                      "' --bench memory-hazards --oplog log.tsv --out out --set case=" +
                                      std::to_string(program) + " --data " + mode);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::istringstream in(read("contents.txt"));
    return {std::istream_iterator<std::uint64_t>(in), {}};
  }
  double hazard_ns() const {
    const Json statistics = Json::parse(read("out/result.json"))["block_kinds"]["hbm_ctrl"]["statistics"].value(
        "pc.wait.hazard", Json::object());
    return statistics.value("sum", 0.0);
  }
};

TEST_P(MemoryHazards, ReplayAndEagerEqualAPlainArray_CDRAM5) {
  double hazards = 0;
  int reads = 0;
  for (int program = 0; program < kPrograms; ++program) {
    const std::vector<std::uint64_t> replay = run(program, "replay");
    const std::string log = read("log.tsv");
    ASSERT_EQ(run(program, "eager"), replay) << "program " << program;
    ASSERT_EQ(read("log.tsv"), log) << "program " << program;
    PlainArray plain;
    std::istringstream lines(log);
    std::string line;
    std::getline(lines, line);  // names of the columns
    while (std::getline(lines, line)) plain.apply(line);
    ASSERT_EQ(replay.size(), static_cast<std::size_t>(kWindow + kPes * kFoundOfPe));
    ASSERT_EQ(replay, plain.contents()) << "program " << program;
    reads += plain.reads();
    hazards += hazard_ns();
  }
  EXPECT_GT(reads, 60 * kPrograms);
  // Reads were answered from queued writes, whose acknowledgements they had to wait for.
  EXPECT_EQ(hazards > 50.0 * kPrograms, std::string(GetParam()) == kCommitted) << hazards;
}

std::string name_of(const testing::TestParamInfo<const char*>& controller) {
  const char* const names[] = {"WithoutBanks", "Committed", "Accepted"};
  return names[controller.index];
}

INSTANTIATE_TEST_SUITE_P(
    Controllers, MemoryHazards,
    testing::Values("impl: builtin.hbm_ctrl", kCommitted,
                    "impl: builtin.hbm_banked, attrs: { preset: hbm3_6400, sids: 3, write_ack: accepted }"),
    name_of);

}  // namespace
}  // namespace kb::test
