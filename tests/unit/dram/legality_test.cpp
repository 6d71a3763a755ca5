// The checker of command traces: random channels keep every constraint, and each planted violation is found.
#include "modules/cube/dram/legality.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <sstream>

#include "modules/cube/dram/command_trace.h"
#include "platform/base/error.h"
#include "tests/unit/dram/random_channel.h"

namespace kb::test {
namespace {

using namespace dram;
using testing::HasSubstr;

std::uint64_t check_random_channel(std::uint64_t seed, const std::string& preset) {
  Dice dice(seed);
  ChannelConfig config = random_channel(dice);
  config.standard = standard(preset);
  config.map = "";
  const PlainDramResult result = run_channel(config, random_bursts(dice, config, 10'000), seed);
  std::stringstream text;
  CommandTrace trace(text, config.standard, 0);
  for (const IssuedCommand& command : result.commands) trace.on_command(command);
  const LegalityReport report = check_legality(text, "trace");
  EXPECT_EQ(report.commands, result.commands.size());
  EXPECT_EQ(report.violations, 0u) << preset << " seed " << seed << ": " << report.first[0].text();
  return report.commands;
}

TEST(Legality, RandomChannelsOfAllPresetsKeepEveryConstraint_CDRAM10) {
  const char* more = std::getenv("KB_DRAM_COMMANDS");
  const std::uint64_t least = more != nullptr ? std::strtoull(more, nullptr, 10) : KB_LEGAL_COMMANDS;
  std::uint64_t commands = 0;
  for (std::uint64_t seed = 1; commands < least; ++seed) {
    commands += check_random_channel(seed, standard_names()[seed % 5]);
  }
}

struct Planted {
  const char* rule;
  std::vector<IssuedCommand> commands;  // times in half ticks; the last one is an edge early
  RefreshMode mode = RefreshMode::none;
};

// Half ticks of hbm3_6400, between the ends of commands (ACT 3, PRE and refresh 1, columns 2): bank 1 is in the bank
// group of bank 0, bank 4 in another one, bank 16 in another SID, 32 in the other pseudo-channel.
std::vector<Planted> planted() {
  const Command act = Command::act, pre = Command::pre, rd = Command::rd, rda = Command::rda, wr = Command::wr,
                wra = Command::wra, refb = Command::ref_bank, refa = Command::ref_all;
  return {
      {"tRCDRD needs 31", {{0, act, 0}, {62, rd, 0}}},
      {"tRCDWR needs 15", {{0, act, 0}, {30, wr, 0}}},
      {"tRAS needs 45", {{0, act, 0}, {91, pre, 0}}},
      {"tRP needs 26", {{0, act, 0}, {120, pre, 0}, {168, act, 0}}},
      {"tRC needs 72", {{0, act, 0}, {92, pre, 0}, {142, act, 0}}},
      {"tRTP needs 9", {{0, act, 0}, {80, rd, 0}, {98, pre, 0}}},
      {"CWL + BL + tWR needs 45", {{0, act, 0}, {32, wr, 0}, {122, pre, 0}}},
      {"tRTP + tRP needs 35", {{0, act, 0}, {120, rda, 0}, {188, act, 0}}},
      {"CWL + BL + tWR + tRP needs 71", {{0, act, 0}, {120, wra, 0}, {260, act, 0}}},
      {"tRRDS needs 4", {{0, act, 0}, {6, act, 4}}},
      {"tRRDL needs 5", {{0, act, 0}, {8, act, 1}}},
      {"tFAW needs 24", {{0, act, 0}, {8, act, 4}, {16, act, 8}, {24, act, 12}, {46, act, 16}}},
      {"tCCDS needs 2", {{0, act, 0}, {10, act, 4}, {100, rd, 0}, {102, rd, 4}}},
      {"tCCDL needs 4", {{0, act, 0}, {100, rd, 0}, {106, rd, 0}}},
      {"tCCDR needs 3", {{0, act, 0}, {10, act, 16}, {100, rd, 0}, {104, rd, 16}}},
      {"tRTW needs 20", {{0, act, 0}, {100, rd, 0}, {138, wr, 0}}},
      {"CWL + BL + tWTRS needs 19", {{0, act, 0}, {10, act, 4}, {100, wr, 0}, {136, rd, 4}}},
      {"CWL + BL + tWTRL needs 22", {{0, act, 0}, {100, wr, 0}, {142, rd, 0}}},
      {"tPPD needs 2", {{0, act, 0}, {10, act, 4}, {120, pre, 0}, {123, pre, 4}}},
      {"tRFCPB needs 320", {{0, refb, 0}, {636, act, 0}}},
      {"tRREFD needs 13", {{0, refb, 0}, {24, refb, 4}}},
      {"tRREFD needs 13", {{0, refb, 0}, {22, act, 4}}},
      {"tRRDS needs 4", {{0, act, 0}, {8, refb, 4}}},
      {"tRRDL needs 5", {{0, act, 0}, {10, refb, 1}}},
      {"tRFC needs 560", {{0, refa, 0}, {1116, act, 0}}},
      {"tRFC needs 560", {{0, refa, 0}, {1118, refa, 0}}},
      {"tRP needs 26", {{0, act, 0}, {120, pre, 0}, {170, refb, 0}}},
      {"tRP needs 26", {{0, act, 0}, {120, pre, 0}, {170, refa, 0}}},
      {"the bank is closed", {{100, rd, 0}}},
      {"the bank has row 0", {{0, act, 0}, {100, rd, 0, 1}}},
      {"the bank is open", {{0, act, 0}, {180, act, 0}}},
      {"bank 3 is open", {{0, act, 3}, {180, refa, 0}}},
      {"the row bus is busy", {{0, act, 0}, {2, refb, 32}}},
      {"the column bus is busy", {{0, act, 0}, {10, act, 32}, {100, rd, 0}, {100, rd, 32}}},
      {"is not at a clock edge", {{1, act, 0}}},
      {"is not at a clock edge", {{0, act, 0}, {101, rd, 0}}},
      {"is not at a clock edge", {{1, refb, 0}}},
  };
}

LegalityReport report_of(const std::vector<IssuedCommand>& commands) {
  std::stringstream text;
  CommandTrace trace(text, standard("hbm3_6400"), 3);
  for (const IssuedCommand& command : commands) trace.on_command(command);
  return check_legality(text, "trace");
}

TEST(Legality, EachPlantedViolationIsFoundAndTheNextTickIsLegal_CDRAM10) {
  for (Planted plan : planted()) {
    const LegalityReport report = report_of(plan.commands);
    EXPECT_GE(report.violations, 1u) << plan.rule;
    bool named = false;
    for (const Violation& found : report.first) named |= found.text().find(plan.rule) != std::string::npos;
    EXPECT_TRUE(named) << plan.rule << ": " << (report.first.empty() ? "" : report.first[0].text());
    if (std::string(plan.rule).find(" needs ") == std::string::npos) continue;
    plan.commands.back().at += plan.commands.back().command == Command::pre ? 1 : 2;
    EXPECT_EQ(report_of(plan.commands).violations, 0u) << plan.rule;
  }
}

TEST(Legality, AReportHasWhatIsNeededToFindTheCommand_CDRAM10) {
  const LegalityReport report = report_of({{0, Command::act, 0, 5}, {60, Command::rd, 0, 5}, {80, Command::rd, 0, 6}});
  EXPECT_EQ(report.preset, "hbm3_6400");
  EXPECT_EQ(report.timing.at("RCDRD"), 31);
  EXPECT_EQ(report.commands, 3u);
  EXPECT_EQ(report.counts[0], (std::pair<std::string, std::uint64_t>{"ACT", 1}));
  EXPECT_EQ(report.counts[2], (std::pair<std::string, std::uint64_t>{"RD", 2}));
  EXPECT_EQ(report.channels, 1u);
  EXPECT_EQ(report.violations, 2u);
  ASSERT_EQ(report.first.size(), 2u);
  const Violation& early = report.first[0];
  EXPECT_EQ(early.line, 9u);  // after seven lines of header
  EXPECT_EQ(early.time_fs, 30 * 625'000);
  EXPECT_EQ(early.channel, 3u);
  EXPECT_EQ(early.rule, "tRCDRD");
  EXPECT_EQ(early.needed, 31);
  EXPECT_EQ(early.seen, 29.5);
  EXPECT_EQ(
      early.text(),
      "RD of bank 0 in channel 3 at 18.75 ns: tRCDRD needs 31 ticks from the end of one command to that of the other, "
      "has 29.5");
  EXPECT_EQ(report.first[1].text(), "RD of bank 0 in channel 3 at 25 ns: the bank has row 5");
  EXPECT_EQ(report.first[1].needed, -1);
}

// A controller that begins later has its comment among the commands.
TEST(Legality, CommentsMayStandBetweenCommands) {
  std::stringstream text;
  CommandTrace trace(text, standard("hbm3_6400"), 0);
  trace.on_command({0, Command::act, 0, 5});
  text << "# channel 1 sip0.cube0.hbm_ctrl.pe0\n";
  trace.on_command({60, Command::rd, 0, 5});
  const LegalityReport report = check_legality(text, "trace");
  EXPECT_EQ(report.commands, 2u);
  ASSERT_EQ(report.violations, 1u);
  EXPECT_EQ(report.first[0].line, 10u);
}

std::string message(const std::string& text) {
  std::istringstream from(text);
  try {
    check_legality(from, "a.trace");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Legality, LinesMayEndAsOnWindows) {
  std::ostringstream text;
  const CommandTrace header(text, standard("hbm3_6400"), 0);
  std::string trace;
  for (const char c : text.str() + "0 0 ACT 0 0 0\n") trace += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(message(trace), "");
}

TEST(Legality, BadTracesNameTheLine) {
  std::ostringstream text;
  const CommandTrace header(text, standard("hbm3_6400"), 0);
  EXPECT_THAT(message("time\n"), HasSubstr("a.trace:1: is not a trace of memory commands (the first line of one is "));
  EXPECT_THAT(message(text.str() + "0 0 ACD 0 0 0\n"),
              HasSubstr("a.trace:8: unknown command 'ACD' (did you mean 'ACT'?)"));
  EXPECT_THAT(message(text.str() + "0 0 ACT 64 0 0\n"), HasSubstr("a.trace:8: bank 64 does not exist (0 to 63)"));
  EXPECT_THAT(message(text.str() + "0 0 ACT 0 0 0 0\n"), HasSubstr("a.trace:8: '0 0 ACT 0 0 0 0' is no command"));
  EXPECT_THAT(message(text.str() + "0 0 ACT\n"), HasSubstr("a.trace:8: '0 0 ACT' is no command"));
  EXPECT_THAT(message("# kernbench dram-trace 2\n# tck_fs 5\n"), HasSubstr("geometry has no valid 'pcs'"));
}

}  // namespace
}  // namespace kb::test
