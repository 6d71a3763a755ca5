#include "platform/observe/event_log.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "platform/base/error.h"

namespace kb::observe {
namespace {

using contract::LogLevel;
using testing::HasSubstr;

std::string error_of(const std::string& request, const std::vector<std::string>& blocks = {}) {
  try {
    const LogRequest parsed = parse_log_request(request);
    check_log_requests({parsed}, blocks);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "USAGE_ERROR");
    return error.what();
  }
  return "";
}

TEST(LogRequest, IsAPatternWithALevel) {
  EXPECT_EQ(parse_log_request("sip0.*").pattern, "sip0.*");
  EXPECT_EQ(parse_log_request("sip0.*").level, LogLevel::info);
  EXPECT_EQ(parse_log_request("*.pe_dma:debug").pattern, "*.pe_dma");
  EXPECT_EQ(parse_log_request("*.pe_dma:debug").level, LogLevel::debug);
}

TEST(LogRequest, MistakesNameWhatIsNear) {
  EXPECT_THAT(error_of("a:debgu"), HasSubstr("there is no level 'debgu'; did you mean 'debug'?"));
  EXPECT_THAT(error_of("a:"), HasSubstr("there is no level ''; known: info, debug"));
  EXPECT_THAT(error_of(":debug"), HasSubstr("needs PATTERN or PATTERN:LEVEL"));
  const std::vector<std::string> blocks = {"sip0.cube0.pe0.pe_cpu", "sip0.cube0.pe0.pe_dma"};
  EXPECT_THAT(error_of("sip0.cube0.pe0.pe_dam", blocks), HasSubstr("did you mean 'sip0.cube0.pe0.pe_dma'?"));
  EXPECT_THAT(
      error_of("nothing*", blocks),
      HasSubstr("names begin with sip0; * stands for any characters, a block is named 'sip0.cube0.pe0.pe_cpu'"));
  EXPECT_THAT(error_of("x", blocks), HasSubstr("a block is named 'sip0.cube0.pe0.pe_cpu'"));
  EXPECT_THAT(error_of("sip0.cube3.*", blocks), HasSubstr("; sip0 has cube0; * stands for any characters"));
  EXPECT_THAT(error_of("sip0.cube0", blocks), HasSubstr("; write 'sip0.cube0.*' for what is in it"));
  EXPECT_THAT(error_of("foo=debug"), HasSubstr("the level stands after ':', not '='; write --log foo:debug"));
  EXPECT_EQ(error_of("*dma", blocks), "");
}

TEST(EventLog, TheMostDetailedRequestCounts) {
  EventLog log({{"*.pe_dma", LogLevel::info}, {"sip0.*", LogLevel::debug}, {"sip0.a*", LogLevel::info}}, nullptr);
  EXPECT_EQ(log.level_of("sip1.pe_dma"), LogLevel::info);
  EXPECT_EQ(log.level_of("sip0.a.pe_dma"), LogLevel::debug);
  EXPECT_EQ(log.level_of("sip1.pe_cpu"), std::nullopt);
}

TEST(EventLog, WritesALinePerSentence) {
  const std::string path = testing::TempDir() + "event_log_test.txt";
  OutputFile file(path, "the log file");
  EventLog log({{"*", LogLevel::info}}, &file);
  log.write(LogLevel::info, 77.5_ns, "sip0.a", "sends transaction 1\x1b");
  log.write(LogLevel::debug, 1000_ns, "sip0.b", "is idle {}");
  log.warn("a port is not bound");
  file.commit();
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(),
            "     77.500000 ns  sip0.a sends transaction 1\\x1b\n"
            "   1000.000000 ns  sip0.b is idle {}\n"
            "warning: a port is not bound\n");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace kb::observe
