// The presets against the table of their sources, typed a second time.
#include "platform/dram/standards.h"

#include <gmock/gmock.h>

#include <map>
#include <sstream>

#include "modules/cube/dram/channel.h"
#include "platform/base/error.h"

namespace kb::dram {
namespace {

using testing::HasSubstr;

constexpr const char* kOrder =
    "CL CWL RCDRD RCDWR RP RAS RC CCDS CCDL RRDS RRDL FAW RTP WR WTRS WTRL RTW RFC RFCPB RREFD REFI BL";
const std::map<std::string, std::string> kValues = {
    {"hbm2_vega", "17 7 12 6 14 28 42 2 3 4 6 16 5 14 4 9 18 220 96 8 3900 2"},
    {"hbm2_2000", "14 5 14 12 14 34 48 2 4 4 4 15 5 16 6 8 13 260 160 8 3900 2"},
    {"hbm2e_3200", "23 8 23 20 23 55 78 2 4 7 7 24 8 26 10 13 19 416 256 13 6240 2"},
    {"hbm3_6400", "20 10 31 15 26 45 72 2 4 4 5 24 9 33 7 10 20 560 320 13 6240 2"},
    {"hbm4_8000", "20 10 39 19 33 57 90 2 4 5 7 30 12 42 9 13 25 900 560 16 7800 2"},
};

template <typename F>
std::string message(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::configuration);
    return error.what();
  }
  return "";
}

TEST(Standards, HaveTheValuesOfTheirSources) {
  for (const auto& [name, values] : kValues) {
    Standard made = standard(name);
    std::istringstream keys(kOrder), numbers(values);
    std::string key;
    for (int value = 0; keys >> key && numbers >> value;) {
      EXPECT_EQ(timing_value(made.timing, key), value) << name << " " << key;
      EXPECT_FALSE(made.source_of(key).empty());
    }
    EXPECT_NO_THROW(check(made));
    for (const RefreshMode mode : {RefreshMode::per_bank, RefreshMode::all_bank})
      EXPECT_NO_THROW(check_refresh(made, mode, 0));
  }
  EXPECT_EQ(kValues.size(), standard_names().size());
}

TEST(Standards, OverriddenValuesNameTheirSource) {
  Standard made = standard("hbm3_6400");
  EXPECT_THAT(made.source_of("CL"), HasSubstr("JESD238"));
  override_timing(made, "CL", 21);
  EXPECT_EQ(made.timing.cl, 21);
  EXPECT_EQ(made.source_of("CL"), "configured");
}

TEST(Standards, BadInputIsRefused) {
  EXPECT_THAT(message([] { standard("hbm3_6000"); }), HasSubstr("did you mean 'hbm3_6400'?"));
  Standard made = standard("hbm2_2000");
  EXPECT_THAT(message([&] { override_timing(made, "RCDR", 1); }), HasSubstr("did you mean 'RCDRD'?"));
  made.timing.rc = made.timing.ras + made.timing.rp - 1;
  made.timing.ccdl = 1;
  const std::string both = message([&] { check(made); });
  EXPECT_THAT(both, HasSubstr("tRC >= tRAS + tRP contradicts itself: 47 < 48 ticks"));
  EXPECT_THAT(both, HasSubstr("tCCDL >= tCCDS"));
  made = standard("hbm2_2000");
  made.geometry.banks = 3;
  EXPECT_THAT(message([&] { check(made); }), HasSubstr("powers of two"));
  made = standard("hbm2_2000");
  made.timing.refi = 200;
  EXPECT_THAT(message([&] { check_refresh(made, RefreshMode::per_bank, 0); }), HasSubstr("leaves no time"));
  EXPECT_NO_THROW(check_refresh(made, RefreshMode::none, 0));
  ChannelConfig config;
  config.standard = standard("hbm2_2000");
  config.low = config.high;
  EXPECT_THAT(message([&] { check(config); }), HasSubstr("low: 26 has to be 0 to 25"));
}

}  // namespace
}  // namespace kb::dram
