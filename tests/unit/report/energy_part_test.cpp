// The energy of a run in a report without scripts (E-120).
#include "sim/web/report/energy_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kb::web {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(EnergyPart, NothingWithoutCoefficients) {
  EXPECT_EQ(energy_part(result::Result()), "");
}

TEST(EnergyPart, EventsWithRangeAndSource_E120) {
  result::Result result;
  result::Energy& energy = result.energy.emplace();
  energy.defaults = "hbm2_7nm";
  energy.total = {4'000'000, 3'000'000, 5'000'000};
  energy.power_w = 12.34;
  result::EnergyEvent event;
  event.part = "hbm";
  event.name = "bit";
  event.source = "a <paper>";
  event.energy = {1'000'000, 900'000, 2'000'000};
  energy.events = {event};
  energy.not_counted = {"7 bit of pcie (energy.pcie.bit)", "static <power>"};
  const std::string html = energy_part(result);
  for (const char* part :
       {"4.00 nJ (3.00 nJ to 5.00 nJ), 12.3 W on average; coefficients hbm2_7nm",
        "<td>hbm.bit</td><td class=\"number\">25.0 %</td><td class=\"number\">1.00 nJ</td><td>900 pJ to 2.00 nJ</td>"
        "<td>a &lt;paper&gt;</td>",
        "Not counted: 7 bit of pcie (energy.pcie.bit); static &lt;power&gt;."}) {
    EXPECT_THAT(html, HasSubstr(part));
  }
  EXPECT_THAT(html, Not(HasSubstr("<paper>")));
}

}  // namespace
}  // namespace kb::web
