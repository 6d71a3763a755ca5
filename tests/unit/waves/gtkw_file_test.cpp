#include "platform/waves/gtkw_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace kb::waves {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::vector<contract::SignalInfo> kSignals = {
    {"fabric.switch0", "", "busy", 1, {}},
    {"sip0.cube0.pe0.pe_cpu", "", "state", 2, {"idle", "runs"}},
    {"sip0.cube0.pe0.pe_dma", "to_r.0", "queue", 16, {}},
    {"sip0.cube0.pe1.pe_cpu", "", "state", 2, {}},
};

std::string markers(const std::string& save) {
  const std::size_t line = save.find("\n*") + 1;
  return save.substr(line, save.find('\n', line) - line);
}

TEST(GtkwFile, GroupsFollowTheMachineAndTheFirstPeIsOpen) {
  const std::string save =
      render_gtkw({"/tmp/w.vcd", 0_fs, 100_fs, {}, 0, {"sip0.cube0.pe0", "sip0.cube0.pe1"}}, kSignals);
  EXPECT_EQ(
      save.substr(save.find("@c00200")),
      "@c00200\n-fabric\n@c00200\n-switch0\n@28\n+{busy} fabric.switch0.busy\n@1401200\n-switch0\n@1401200\n-fabric\n"
      "@800200\n-sip0\n@800200\n-cube0\n@800200\n-pe0\n"
      "@24\n+{pe_cpu state} sip0.cube0.pe0.pe_cpu.state[1:0]\n"
      "@28\n+{pe_cpu state_text} sip0.cube0.pe0.pe_cpu.state_text\n"
      "@24\n+{pe_dma to_r_0 queue} sip0.cube0.pe0.pe_dma.to_r_0.queue[15:0]\n"
      "@1000200\n-pe0\n"
      "@c00200\n-pe1\n@24\n+{pe_cpu state} sip0.cube0.pe1.pe_cpu.state[1:0]\n@1401200\n-pe1\n"
      "@1000200\n-cube0\n@1000200\n-sip0\n");
}

TEST(GtkwFile, MarkersStandAtTheSpansAndTheLongestIsShown) {
  const SaveFile save{"/tmp/w.vcd", 0_fs, 1000_fs, {{"a", 100_fs, 200_fs}, {"b", 300_fs, 900_fs}}};
  const std::string text = render_gtkw(save, kSignals);
  EXPECT_THAT(markers(text), HasSubstr(" 300 100 200 300 900 -1 "));
  EXPECT_THAT(text, HasSubstr("[dumpfile] \"/tmp/w.vcd\"\n[timestart] 270\n"));
  EXPECT_THAT(text, HasSubstr("[markername] Aa begins\n[markername] Ba ends\n[markername] Cb begins\n"));
}

TEST(GtkwFile, SpansAreCutToWhatTheFileHas) {
  const SaveFile save{"w.vcd", 150_fs, 800_fs, {{"a", 10_fs, 140_fs}, {"b", 100_fs, 200_fs}, {"c", 700_fs, kNever}}};
  EXPECT_THAT(markers(render_gtkw(save, kSignals)), HasSubstr(" 700 150 200 700 800 -1 "));
}

TEST(GtkwFile, OfManySpansTheLongestHaveTheMarkers) {
  SaveFile save{"w.vcd", 0_fs, 100'000_fs, {}};
  for (int i = 0; i < 40; ++i) save.spans.push_back({std::to_string(i), i * 1000_fs, i * 1000_fs + (i + 1) * 10_fs});
  const std::string text = render_gtkw(save, kSignals);
  EXPECT_THAT(text, HasSubstr("[markername] A27 begins\n"));
  EXPECT_THAT(text, HasSubstr("[markername] Z39 ends\n"));
  EXPECT_THAT(text, Not(HasSubstr("26 begins")));
}

TEST(GtkwFile, NothingRecordedIsAFileWithoutSignals) {
  const std::string text = render_gtkw({"w.vcd", 0_fs, 0_fs, {}}, {});
  EXPECT_THAT(text, HasSubstr("[timestart] 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("+{")));
}

}  // namespace
}  // namespace kb::waves
