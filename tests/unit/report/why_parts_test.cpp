// Ladder and tornado without scripts. H-82w, H-82x.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/web/report/ladder_part.h"
#include "sim/web/report/tornado_part.h"
#include "tests/unit/recorded/known_why.h"

namespace kb::web {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t bars_in(const std::string& text) {
  const std::string bar = "class=\"swing\"";
  std::size_t count = 0;
  for (std::size_t at = text.find(bar); at != std::string::npos; at = text.find(bar, at + 1)) ++count;
  return count;
}

TEST(LadderPart, ItSaysWhatIsMissing) {
  analysis::RunWhy found;
  found.ladder = analysis::test::known_why();
  EXPECT_THAT(ladder_part(found), Not(HasSubstr("indices or masks")));
  found.ladder->out_of_budget = true;
  found.ladder->unknown_accesses = 3;
  const std::string text = ladder_part(found);
  EXPECT_THAT(text, HasSubstr("Cut: the budget is spent. What you can change was not tried."));
  EXPECT_THAT(text, HasSubstr("3 accesses have indices or masks that the data mode of the run does not know"));
  EXPECT_THAT(text, Not(HasSubstr("Cut after")));
}

// Times from 750 to 1500 ns around 1000 ns; keys that do nothing are lists.
TEST(TornadoPart, BarsAndLists) {
  analysis::RunWhy found;
  found.tornado = analysis::test::known_tornado();
  const std::string text = tornado_part(found);
  EXPECT_EQ(bars_in(text), 2u) << "keys that act";
  for (const char* part :
       {"hbm.rate <span class=\"dim\">= 4</span><span class=\"meaning\">rate &lt;b&gt;; 2: 1500 ns; 8: 750 ns</span>",
        "<rect class=\"less\" x=\"0.00%\" width=\"33.33%\"", "<rect class=\"more\" x=\"33.33%\" width=\"66.67%\"",
        ">2 <tspan>+50.00 %</tspan>", ">8 <tspan>-25.00 %</tspan>", ">a_very_l… <tspan>+25.00 %</tspan>", "a&lt;b",
        "<summary>Change nothing here (1)</summary><ul><li><code>idle</code> nothing</li>",
        "<summary>Make no machine or no run (1)</summary><ul><li><code>broken=0</code> too &lt;little&gt;</li>",
        "(1)</summary><ul><li><code>later=7</code></li>", "(1)</summary><ul><li><code>impl</code></li>"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(TornadoPart, After25KeysTheRestIsFolded) {
  analysis::RunWhy found;
  found.tornado = analysis::test::known_tornado();
  found.tornado->keys.insert(found.tornado->keys.begin(), 28, found.tornado->keys.front());
  const std::string text = tornado_part(found), folded = text.substr(text.find("<summary>5 more</summary>"));
  EXPECT_EQ(bars_in(text), 30u);
  EXPECT_EQ(bars_in(folded), 5u);
}

TEST(TornadoPart, WithoutOne) {
  analysis::RunWhy found;
  EXPECT_EQ(tornado_part(found), "");
  found.ladder = analysis::test::known_why();
  EXPECT_THAT(tornado_part(found), HasSubstr("<code>kernbench why --machine DIR</code>"));
  found.tornado_problem = "why/tornado.json: <damaged>";
  EXPECT_THAT(tornado_part(found), HasSubstr("are not shown: why/tornado.json: &lt;damaged&gt;."));
}

}  // namespace
}  // namespace kb::web
