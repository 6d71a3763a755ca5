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
  std::vector<IssuedCommand> commands;  // times in ticks; the last one is a tick early
  RefreshMode mode = RefreshMode::none;
};

// Ticks of hbm3_6400: bank 1 is in the bank group of bank 0, bank 4 in another one, bank 16 in another SID, 32 in the
// other pseudo-channel.
std::vector<Planted> planted() {
  const Command act = Command::act, pre = Command::pre, rd = Command::rd, rda = Command::rda, wr = Command::wr,
                wra = Command::wra, refb = Command::ref_bank, refa = Command::ref_all;
  return {
      {"tRCDRD needs 31", {{0, act, 0}, {30, rd, 0}}},
      {"tRCDWR needs 15", {{0, act, 0}, {14, wr, 0}}},
      {"tRAS needs 45", {{0, act, 0}, {44, pre, 0}}},
      {"tRP needs 26", {{0, act, 0}, {60, pre, 0}, {85, act, 0}}},
      {"tRC needs 72", {{0, act, 0}, {45, pre, 0}, {71, act, 0}}},
      {"tRTP needs 9", {{0, act, 0}, {40, rd, 0}, {48, pre, 0}}},
      {"CWL + BL + tWR needs 45", {{0, act, 0}, {15, wr, 0}, {59, pre, 0}}},
      {"tRTP + tRP needs 35", {{0, act, 0}, {60, rda, 0}, {94, act, 0}}},
      {"CWL + BL + tWR + tRP needs 71", {{0, act, 0}, {60, wra, 0}, {130, act, 0}}},
      {"tRRDS needs 4", {{0, act, 0}, {3, act, 4}}},
      {"tRRDL needs 5", {{0, act, 0}, {4, act, 1}}},
      {"tFAW needs 24", {{0, act, 0}, {4, act, 4}, {8, act, 8}, {12, act, 12}, {23, act, 16}}},
      {"tCCDS needs 2", {{0, act, 0}, {5, act, 4}, {50, rd, 0}, {51, rd, 4}}},
      {"tCCDL needs 4", {{0, act, 0}, {50, rd, 0}, {53, rd, 0}}},
      {"tCCDR needs 3", {{0, act, 0}, {5, act, 16}, {50, rd, 0}, {52, rd, 16}}},
      {"tRTW needs 20", {{0, act, 0}, {50, rd, 0}, {69, wr, 0}}},
      {"CWL + BL + tWTRS needs 19", {{0, act, 0}, {5, act, 4}, {50, wr, 0}, {68, rd, 4}}},
      {"CWL + BL + tWTRL needs 22", {{0, act, 0}, {50, wr, 0}, {71, rd, 0}}},
      {"tPPD needs 2", {{0, act, 0}, {5, act, 4}, {60, pre, 0}, {61, pre, 4}}},
      {"tRFCPB needs 320", {{0, refb, 0}, {319, act, 0}}},
      {"tRREFD needs 13", {{0, refb, 0}, {12, refb, 4}}},
      {"tRREFD needs 13", {{0, refb, 0}, {12, act, 4}}},
      {"tRRDS needs 4", {{0, act, 0}, {3, refb, 4}}},
      {"tRRDL needs 5", {{0, act, 0}, {4, refb, 1}}},
      {"tRFC needs 560", {{0, refa, 0}, {559, act, 0}}},
      {"tRFC needs 560", {{0, refa, 0}, {559, refa, 0}}},
      {"tRP needs 26", {{0, act, 0}, {60, pre, 0}, {85, refb, 0}}},
      {"tRP needs 26", {{0, act, 0}, {60, pre, 0}, {85, refa, 0}}},
      {"the bank is closed", {{50, rd, 0}}},
      {"the bank has row 0", {{0, act, 0}, {50, rd, 0, 1}}},
      {"the bank is open", {{0, act, 0}, {90, act, 0}}},
      {"bank 3 is open", {{0, act, 3}, {90, refa, 0}}},
      {"the row bus is busy", {{0, act, 0}, {1, refb, 32}}},
      {"the column bus is busy", {{0, act, 0}, {5, act, 32}, {50, rd, 0}, {50, rd, 32}}},
  };
}

LegalityReport report_of(const std::vector<IssuedCommand>& commands) {
  std::stringstream text;
  CommandTrace trace(text, standard("hbm3_6400"), 3);
  for (IssuedCommand command : commands) {
    command.at *= 2;
    trace.on_command(command);
  }
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
    ++plan.commands.back().at;
    EXPECT_EQ(report_of(plan.commands).violations, 0u) << plan.rule;
  }
}

TEST(Legality, AReportHasWhatIsNeededToFindTheCommand_CDRAM10) {
  const LegalityReport report = report_of({{0, Command::act, 0, 5}, {30, Command::rd, 0, 5}, {40, Command::rd, 0, 6}});
  EXPECT_EQ(report.preset, "hbm3_6400");
  EXPECT_EQ(report.timing.at("RCDRD"), 31);
  EXPECT_EQ(report.commands, 3u);
  EXPECT_EQ(report.counts[0], (std::pair<std::string, std::uint64_t>{"ACT", 1}));
  EXPECT_EQ(report.counts[2], (std::pair<std::string, std::uint64_t>{"RD", 2}));
  EXPECT_EQ(report.channels, 1u);
  EXPECT_EQ(report.violations, 2u);
  ASSERT_EQ(report.first.size(), 2u);
  const Violation& early = report.first[0];
  EXPECT_EQ(early.line, 8u);  // after six lines of header
  EXPECT_EQ(early.time_fs, 30 * 625'000);
  EXPECT_EQ(early.channel, 3u);
  EXPECT_EQ(early.rule, "tRCDRD");
  EXPECT_EQ(early.needed, 31);
  EXPECT_EQ(early.seen, 30.0);
  EXPECT_EQ(early.text(), "RD of bank 0 in channel 3 at 18.75 ns: tRCDRD needs 31 ticks, has 30");
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
  EXPECT_EQ(report.first[0].line, 9u);
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

TEST(Legality, BadTracesNameTheLine) {
  std::ostringstream text;
  const CommandTrace header(text, standard("hbm3_6400"), 0);
  EXPECT_THAT(message("time\n"), HasSubstr("a.trace:1: is no trace of memory commands"));
  EXPECT_THAT(message(text.str() + "0 0 ACD 0 0 0\n"),
              HasSubstr("a.trace:7: unknown command 'ACD' (did you mean 'ACT'?)"));
  EXPECT_THAT(message(text.str() + "0 0 ACT 64 0 0\n"), HasSubstr("a.trace:7: bank 64 does not exist (0 to 63)"));
  EXPECT_THAT(message(text.str() + "0 0 ACT 0 0 0 0\n"), HasSubstr("a.trace:7: '0 0 ACT 0 0 0 0' is no command"));
  EXPECT_THAT(message(text.str() + "0 0 ACT\n"), HasSubstr("a.trace:7: '0 0 ACT' is no command"));
  EXPECT_THAT(message("# kernbench dram-trace 1\n# tck_fs 5\n"), HasSubstr("geometry has no valid 'pcs'"));
}

}  // namespace
}  // namespace kb::test
