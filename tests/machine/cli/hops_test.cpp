// --hops: how transactions passed every wire of their way (H-97, H-113).
#include <gmock/gmock.h>

#include <map>
#include <random>
#include <sstream>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

constexpr int kFlitBytes = 256;
using Row = std::map<std::string, std::string>;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<Row> table(const std::string& text) {
  const std::vector<std::string> lines = split(text, '\n');
  const std::vector<std::string> names = split(lines.at(0), '\t');
  std::vector<Row> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> cells = split(lines[i], '\t');
    EXPECT_EQ(cells.size(), names.size()) << lines[i];
    Row& row = rows.emplace_back();
    for (std::size_t c = 0; c < std::min(cells.size(), names.size()); ++c) row[names[c]] = cells[c];
  }
  return rows;
}

std::int64_t fs(const std::string& ns) {
  const std::size_t point = ns.find('.');
  std::string fraction = point == std::string::npos ? "" : ns.substr(point + 1);
  fraction.resize(6, '0');
  return std::stoll(ns.substr(0, point)) * 1'000'000 + std::stoll(fraction);
}
std::int64_t fs(double ns) {
  return static_cast<std::int64_t>(ns * 1e6 + 0.5);
}

class HopsTest : public CommandLineTest {
 protected:
  // Reads and writes of one cube and of the host, many at once.
  void random_trace(int rows) const {
    std::mt19937 random(7);
    const auto draw = [&](unsigned most) { return random() % most; };
    std::ostringstream text;
    text << "id,issue_ns,op,src,dst,bytes\n";
    for (int i = 0; i < rows; ++i) {
      const bool host = draw(4) == 0;
      const std::uint64_t slice = std::uint64_t{6} << 30;
      const std::uint64_t address = (std::uint64_t{1} << 37) + draw(8) * slice + draw(1000) * 256;
      text << "r" << i << ',' << draw(200) << ',' << (host ? "host_" : "pe_") << (draw(2) ? "read" : "write") << ','
           << (host ? std::string("host") : "sip0.cube0.pe" + std::to_string(draw(8))) << ",0x" << std::hex << address
           << std::dec << ',' << 1 + draw(3000) << '\n';
    }
    write("t.csv", text.str());
  }
};

// What a hop says is held against the path and the times that the replay itself reports.
TEST_F(HopsTest, EveryTransactionIsFollowedAlongItsWay) {
  random_trace(400);
  const std::string command = "traffic --topology '" + config("one_cube") + "' --trace t.csv --json";
  const Json plain = json(command);
  const Json result = json(command + " --hops h.tsv");
  EXPECT_EQ(plain, result);

  std::map<std::string, std::vector<Row>> by_id;
  for (const Row& row : table(read("h.tsv"))) by_id[split(row.at("origin"), '\'').at(1)].push_back(row);
  ASSERT_EQ(by_id.size(), 400U);
  std::map<std::string, std::int64_t> propagation;  // of a wire: the same for all that pass it
  for (const Json& row : result["rows"]) {
    SCOPED_TRACE(row.dump());
    const std::vector<Row>& hops = by_id.at(row["id"]);
    const std::vector<std::string> path = row["path"];
    ASSERT_EQ(hops.size(), 2 * (path.size() - 1));
    const bool is_write = row["op"].get<std::string>().find("write") != std::string::npos;
    const int flits = (row["bytes"].get<int>() + kFlitBytes - 1) / kFlitBytes;
    for (std::size_t i = 0; i < hops.size(); ++i) {
      const Row& hop = hops[i];
      const bool request = i < path.size() - 1;
      const std::size_t at = request ? i : hops.size() - i;
      EXPECT_EQ(hop.at("leg"), request ? "request" : "response");
      EXPECT_EQ(hop.at("from"), path[at]);
      EXPECT_EQ(hop.at("to"), path[request ? at + 1 : at - 1]);
      EXPECT_EQ(std::stoi(hop.at("flits")), request == is_write ? flits : 0);
      EXPECT_LE(fs(hop.at("ready_ns")), fs(hop.at("start_ns")));
      EXPECT_LE(fs(hop.at("start_ns")), fs(hop.at("end_ns")));
      EXPECT_GE(fs(hop.at("longest_wait_ns")), fs(hop.at("start_ns")) - fs(hop.at("ready_ns")));
      const std::int64_t distance = fs(hop.at("arrived_ns")) - fs(hop.at("end_ns"));
      EXPECT_GT(distance, 0);
      EXPECT_EQ(propagation.try_emplace(hop.at("from") + ">" + hop.at("to"), distance).first->second, distance);
      if (i > 0) {  // a flit leaves after it came
        EXPECT_GT(fs(hop.at("ready_ns")), fs(hops[i - 1].at("start_ns")));
        EXPECT_GE(fs(hop.at("end_ns")), fs(hops[i - 1].at("arrived_ns")));
      }
    }
    EXPECT_GE(fs(hops.front().at("ready_ns")), fs(row["issue_ns"].get<double>()));
    const std::int64_t answered = fs(hops.back().at("arrived_ns"));
    if (!is_write) {
      EXPECT_EQ(answered, fs(row["delivered_ns"].get<double>()));
    }
    EXPECT_LE(answered, fs(row["completed_ns"].get<double>()));
  }
}

TEST_F(HopsTest, OnlyThoseOfChosenNodes) {
  random_trace(60);
  const std::string command = "traffic --topology '" + config("one_cube") + "' --trace t.csv --hops ";
  ASSERT_EQ(kernbench(command + "all.tsv").code, 0);
  ASSERT_EQ(kernbench(command + "some.tsv --hops-of 'sip0.cube0.pe[3]*' --hops-of sip0.cube0.pe1.pe_dma").code, 2);
  ASSERT_EQ(kernbench(command + "some.tsv --hops-of 'sip0.cube0.pe3.*' --hops-of sip0.cube0.pe1.pe_dma").code, 0);
  std::vector<Row> wanted;
  for (const Row& row : table(read("all.tsv"))) {
    const std::string initiator = row.at("initiator");
    if (initiator == "sip0.cube0.pe3.pe_dma" || initiator == "sip0.cube0.pe1.pe_dma") wanted.push_back(row);
  }
  ASSERT_FALSE(wanted.empty());
  EXPECT_EQ(table(read("some.tsv")), wanted);
}

// Waveforms of single flits use the same notes of a wire.
TEST_F(HopsTest, BesideWaveformsOfFlits) {
  const std::string command =
      "run --quiet --topology '" + config("one_pe") + "' --bench copy --out o --wave-detail flit --wave ";
  ASSERT_EQ(kernbench(command + "a.vcd").code, 0);
  ASSERT_EQ(kernbench(command + "b.vcd --hops h.tsv --hops-of '*.pe_dma'").code, 0);
  EXPECT_EQ(read("a.vcd"), read("b.vcd"));
  for (const Row& row : table(read("h.tsv"))) EXPECT_THAT(row.at("initiator"), HasSubstr("pe_dma"));
  const std::size_t lines = table(read("h.tsv")).size();
  ASSERT_EQ(kernbench(command + "b.vcd --hops all.tsv").code, 0);
  EXPECT_GT(table(read("all.tsv")).size(), lines);
}

TEST_F(HopsTest, WhatIsAskedWronglyIsRefused) {
  random_trace(1);
  const std::string command = "traffic --topology '" + config("one_cube") + "' --trace t.csv ";
  const Outcome without = kernbench(command + "--hops-of 'sip0.*'");
  EXPECT_EQ(without.code, 2);
  EXPECT_THAT(without.err, HasSubstr("--hops-of needs --hops FILE"));
  const Outcome unknown = kernbench(command + "--hops h.tsv --hops-of sip0.cube0.pe1.pe_dmb");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'sip0.cube0.pe1.pe_dma'"));
  const Outcome below = kernbench(command + "--hops h.tsv --hops-of 'sip0.cube0.m_cpu.*'");
  EXPECT_EQ(below.code, 2);
  EXPECT_THAT(below.err, HasSubstr("no node of the machine has such a name (* stands for anything)"));
  const Outcome collision = kernbench(command + "--hops t.csv");
  EXPECT_EQ(collision.code, 2);
  EXPECT_THAT(collision.err, HasSubstr("--hops"));
  const Outcome nothing = kernbench(command + "--hops h.tsv --hops-of sip0.cube0.m_cpu");
  EXPECT_EQ(nothing.code, 0);
  EXPECT_THAT(nothing.err, HasSubstr("no transaction was on the fabric"));
}

}  // namespace
}  // namespace kb::test
