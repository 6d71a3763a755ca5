// What a store of launches has (M-96a, M-102).
#include "sim/study/store/store.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "sim/study/store/store_report.h"
#include "tests/unit/store/small_store.h"

namespace kb::store {
namespace {

using testing::HasSubstr;

using StoreTest = StoreFolder;

nlohmann::json stat(const Store& store) {
  return nlohmann::json::parse(render_stat_json(store));
}

// M-102
TEST_F(StoreTest, SaysWhatItHas) {
  {
    step::Memo memo(path("s"), step::subject_of("configs/reference.yaml", "llama"));
    memo.add("a", {{5_fs}, {}}, "norm_linear");
    memo.add("b", {{7_fs, 9_fs}, {}}, "sum over SIPs");
  }
  write("s", kSecond, other_line("c", "4\tnorm_linear\thbm3\tqwen") + files::Journal::line("old", "3"));
  const nlohmann::json json = stat(read_store(path("s")));
  EXPECT_EQ(json["entries"], 4);
  EXPECT_EQ(json["files"], 2);
  EXPECT_EQ(json["damaged_lines"], 0);
  EXPECT_EQ(json["oldest_use"], "2023-11-14T22:13:20Z");
  EXPECT_EQ(json["version"], step::own_version());
  std::uint64_t bytes = 0;
  for (const nlohmann::json& one : json["versions"]) {
    bytes += one["bytes"].get<std::uint64_t>();
    EXPECT_EQ(one["own"], one["version"] == step::own_version());
    EXPECT_EQ(one["entries"], one["own"] ? 2 : 1);
  }
  EXPECT_EQ(json["versions"].size(), 3U);
  EXPECT_EQ(bytes, json["bytes"]);
  EXPECT_EQ(json["machines"][0]["machine"], "reference");
  EXPECT_EQ(json["kernels"][0]["kernel"], "norm_linear");
  EXPECT_EQ(json["kernels"][0]["entries"], 2);
  EXPECT_EQ(json["models"].size(), 3U) << "llama, qwen, and a line that does not say";
  const std::string text = render_stat(read_store(path("s")));
  EXPECT_THAT(text, HasSubstr("4 times in 2 files"));
  EXPECT_THAT(text, HasSubstr("last used from 2023-11-14 to "));
  EXPECT_THAT(text, HasSubstr("this program"));
}

// M-96a: the version is part of the key, so that another program's times are neither used nor lost.
TEST_F(StoreTest, TimesOfOtherVersionsAreNotUsed) {
  write("s", kSecond, other_line("a", "4") + files::Journal::line("a", "3"));
  step::Memo memo(path("s"));
  EXPECT_EQ(memo.from_folder(), 0U);
  EXPECT_EQ(memo.find("a"), nullptr);
  memo.add("a", {{5_fs}, {}});
  EXPECT_EQ(read_store(path("s")).entries.size(), 3U);
}

// M-96a: uses are noted once a day.
TEST_F(StoreTest, AUseIsNotedWhenTheLastNoteIsADayOld) {
  const auto last_use = [&] { return read_store(path("s")).entries.begin()->second.last_use; };
  const auto use = [&](std::int64_t second) {
    const step::Memo memo(path("s"), {}, second);
    EXPECT_NE(memo.find("a"), nullptr);
  };
  write("s", kSecond, line_of("a", "5"));
  EXPECT_EQ(last_use(), kSecond);
  use(kSecond + kDay - 1);
  EXPECT_EQ(last_use(), kSecond);
  EXPECT_EQ(read_store(path("s")).files.size(), 1U);
  use(kSecond + kDay);
  EXPECT_EQ(last_use(), kSecond + kDay);
  use(kSecond + 2 * kDay - 1);
  EXPECT_EQ(last_use(), kSecond + kDay);
}

TEST_F(StoreTest, ASingleFileIsAStore_M102) {
  const std::string file = write("s", kSecond, line_of("a", "5") + line_of("b", "6"));
  EXPECT_EQ(stat(read_store(file))["entries"], 2);
  std::filesystem::rename(file, path("x.journal"));
  EXPECT_EQ(stat(read_store(path("x.journal")))["newest_use"], nullptr) << "neither a note nor a name says when";
  EXPECT_THAT(render_stat(read_store(path("x.journal"))), testing::Not(HasSubstr("last used")));
}

TEST_F(StoreTest, LinesThatAreCutShortAreCounted_M102) {
  write("s", kSecond, line_of("a", "5") + line_of("b", "6").substr(0, 30));
  const Store store = read_store(path("s"));
  EXPECT_EQ(store.damaged, 1U);
  EXPECT_EQ(store.entries.size(), 1U);
  EXPECT_THAT(render_stat(store), HasSubstr("1 line is cut short or damaged and does not count"));
}

// M-102: what is not a store is named.
TEST_F(StoreTest, OtherFilesAndFoldersAreRefused) {
  const auto problem = [&](const std::string& name) {
    const auto [text, code] = failure([&] { read_store(path(name)); });
    EXPECT_EQ(code, 2) << text;
    return text;
  };
  EXPECT_THAT(problem("missing"), HasSubstr("missing' does not exist; 'kernbench model step ... --store "));
  std::filesystem::create_directories(path("f"));
  std::ofstream(path("f/notes.txt")) << "hello\nworld\n";
  EXPECT_THAT(problem("f"), HasSubstr("f' is not a store of launches: it has files, and none of them is a *.journal"));
  EXPECT_THAT(problem("f/notes.txt"), HasSubstr("none of them is the time of a launch"));
  write("points", kSecond, files::Journal::line("p", "{\"ok\": true}"));
  EXPECT_THAT(problem("points"), HasSubstr("points' is not a store of launches"));
  std::filesystem::create_directories(path("empty"));
  EXPECT_EQ(read_store(path("empty")).entries.size(), 0U);
  EXPECT_EQ(stat(read_store(path("empty")))["oldest_use"], nullptr);
}

// M-102: a launch has one time.
TEST_F(StoreTest, TwoTimesOfALaunchAreAFault) {
  write("s", kSecond, line_of("a", "5") + line_of("b", "6"));
  write("s", kSecond + 1, line_of("b", "7"));
  const auto [text, code] = failure([&] { read_store(path("s")); });
  EXPECT_EQ(code, 3);
  EXPECT_THAT(text, HasSubstr("-b (launch) has 6 fs in "));
  EXPECT_THAT(text, HasSubstr(" and 7 fs in "));
}

}  // namespace
}  // namespace kb::store
