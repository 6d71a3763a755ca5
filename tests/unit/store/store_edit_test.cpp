// Uniting stores of launches, and making one smaller (M-103, M-104).
#include "sim/study/store/store_edit.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/resource.h>

#include <csignal>

#include "tests/unit/store/small_store.h"

namespace kb::store {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

using StoreEditTest = StoreFolder;

std::int64_t last_use(const Store& store, const std::string& key) {
  return store.entries.at(step::stored_key(step::own_version(), key)).last_use;
}

// M-103
TEST_F(StoreEditTest, MergeAddsWhatOthersHave) {
  write("s", kSecond, line_of("a", "5") + line_of("b", "6"));
  write("one", kSecond + kDay, line_of("b", "6") + line_of("c", "7 8\tk\tm\tmodel"));
  const std::string file = write("two", kSecond + 1, other_line("d", "9") + line_of("c", "7 8\tk\tm\tmodel"));
  const std::set<std::string> before = contents("one");
  const Merged merged = merge_stores(path("s"), {path("one"), file});
  EXPECT_EQ(merged.added, 2U);
  EXPECT_EQ(merged.known, 1U);
  EXPECT_EQ(merged.entries, 4U);
  EXPECT_EQ(contents("one"), before);
  const Store store = read_store(path("s"));
  EXPECT_EQ(store.bytes, merged.bytes);
  EXPECT_THAT(keys("s"), UnorderedElementsAre("a", "b", "c", "d"));
  EXPECT_EQ(store.entries.at(step::stored_key(step::own_version(), "c")).stored.subject.model, "model");
  EXPECT_EQ(last_use(store, "a"), kSecond);
  EXPECT_EQ(last_use(store, "b"), kSecond + kDay) << "used later in the other one";
  EXPECT_EQ(last_use(store, "c"), kSecond + kDay);
  const std::set<std::string> united = contents("s");
  EXPECT_EQ(merge_stores(path("s"), {path("one"), file, path("s")}).added, 0U);
  EXPECT_EQ(contents("s"), united) << "nothing is new";
}

TEST_F(StoreEditTest, MergeMakesAStore_M103) {
  write("one", kSecond, line_of("a", "5"));
  write("two", kSecond, line_of("b", "6"));
  EXPECT_EQ(merge_stores(path("new"), {path("one"), path("two")}).added, 2U);
  const step::Memo memo(path("new"));
  ASSERT_NE(memo.find("b"), nullptr);
  EXPECT_EQ(memo.find("b")->times, (std::vector<TimeFs>{6_fs}));
}

// M-103: times with their events say more.
TEST_F(StoreEditTest, MergeAddsEventsToTimes) {
  write("s", kSecond, line_of("a", "5"));
  write("one", kSecond, line_of("a", "5 | hbm.bit 4096"));
  EXPECT_EQ(merge_stores(path("s"), {path("one")}).added, 1U);
  EXPECT_TRUE(step::Memo(path("s")).find("a")->events);
}

// M-103
TEST_F(StoreEditTest, MergeOfTwoTimesIsAFaultAndChangesNothing) {
  write("s", kSecond, line_of("a", "5"));
  write("one", kSecond, line_of("b", "6"));
  write("two", kSecond, line_of("c", "7") + line_of("a", "4\tattend\tm\tmodel"));
  const std::set<std::string> before = contents("s");
  const auto [text, code] = failure([&] { merge_stores(path("s"), {path("one"), path("two")}); });
  EXPECT_EQ(code, 3);
  EXPECT_THAT(text, HasSubstr("the key " + step::own_version() + "-a"));
  EXPECT_THAT(text, HasSubstr("has 5 fs in "));
  EXPECT_THAT(text, HasSubstr("and 4 fs in "));
  EXPECT_EQ(contents("s"), before);
  write("three", kSecond, line_of("b", "5 | hbm.bit 4096"));
  write("four", kSecond, line_of("b", "5 | hbm.bit 4097"));
  EXPECT_THAT(failure([&] {
                merge_stores(path("new"), {path("three"), path("four")});
              }).first,
              HasSubstr("other events"));
  EXPECT_FALSE(std::filesystem::exists(path("new")));
}

TEST_F(StoreEditTest, MergeOfWhatIsNoStoreChangesNothing_M103) {
  write("s", kSecond, line_of("a", "5"));
  const std::set<std::string> before = contents("s");
  EXPECT_EQ(failure([&] { merge_stores(path("s"), {path("missing")}); }).second, 2);
  const std::string file = *read_store(path("s")).files.begin();
  EXPECT_THAT(failure([&] { merge_stores(file, {path("s")}); }).first, HasSubstr("name the folder"));
  EXPECT_EQ(contents("s"), before);
}

// M-104: other versions first, then the longest unused.
TEST_F(StoreEditTest, PruneKeepsWhatWasUsedLast) {
  write("s", kSecond, line_of("a", "5") + line_of("b", "6"));
  write("s", kSecond + kDay, line_of("c", "7"));
  write("s", kSecond + 9 * kDay, other_line("d", "8"));
  { (void)step::Memo(path("s"), {}, kSecond + 2 * kDay).find("a"); }
  const std::uint64_t all = read_store(path("s")).bytes;
  EXPECT_EQ(prune_store(path("s"), all).entries, 4U);
  EXPECT_THAT(keys("s"), UnorderedElementsAre("a", "b", "c", "d"));
  const auto size = [](const std::string& line, const std::string& key) {
    return line.size() + files::Journal::line(step::kUseKey, step::use_text({kSecond, {key}})).size();
  };
  const std::string own = step::own_version() + "-";
  const std::uint64_t a = size(line_of("a", "5"), own + "a"), c = size(line_of("c", "7"), own + "c");
  Pruned pruned = prune_store(path("s"), a + c);
  EXPECT_THAT(keys("s"), UnorderedElementsAre("a", "c"));
  EXPECT_EQ(pruned.other_versions, 1U);
  EXPECT_EQ(pruned.own_version, 1U);
  EXPECT_EQ(pruned.entries, 2U);
  EXPECT_EQ(pruned.bytes, a + c);
  EXPECT_EQ(pruned.bytes_before, all);
  EXPECT_EQ(read_store(path("s")).files.size(), 1U);
  EXPECT_EQ(last_use(read_store(path("s")), "a"), kSecond + 2 * kDay) << "uses are kept";
  pruned = prune_store(path("s"), a + c - 1);
  EXPECT_THAT(keys("s"), UnorderedElementsAre("a"));
  EXPECT_LE(pruned.bytes, a + c - 1);
  prune_store(path("s"), 0);
  EXPECT_EQ(read_store(path("s")).files.size(), 0U);
}

// M-104: a program that is writing loses nothing.
TEST_F(StoreEditTest, PruneLeavesFilesOfRunningPrograms) {
  write("s", kSecond, line_of("a", "5"));
  step::Memo writer(path("s"));
  writer.add("b", {{6_fs}, {}});
  const Pruned pruned = prune_store(path("s"), 0);
  EXPECT_EQ(pruned.files_in_use, 1U);
  EXPECT_EQ(pruned.own_version, 1U);
  writer.add("c", {{7_fs}, {}});
  EXPECT_THAT(keys("s"), UnorderedElementsAre("b", "c"));
}

TEST_F(StoreEditTest, OneChangesAStoreAtATime_M104) {
  write("s", kSecond, line_of("a", "5"));
  const int descriptor = ::open(path("s").c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(descriptor, LOCK_EX), 0);
  EXPECT_THAT(failure([&] { prune_store(path("s"), 0); }).first,
              HasSubstr("another merge or prune is writing to " + path("s") + "; wait until it has ended"));
  ::close(descriptor);
  EXPECT_THAT(keys("s"), UnorderedElementsAre("a"));
}

// M-104: a disk without room, here a limit of the size of files.
TEST_F(StoreEditTest, AFullDiskLosesNothing) {
  write("s", kSecond, line_of("a", "5") + line_of("b", "6"));
  write("s", kSecond + 1, line_of("c", "7"));
  const std::set<std::string> before = contents("s");
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{16, old.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto [text, code] = failure([&] { prune_store(path("s"), read_store(path("s")).bytes - 1); });
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(code, 2) << text;
  EXPECT_THAT(text, HasSubstr("the store of launches"));
  EXPECT_EQ(contents("s"), before);
}

}  // namespace
}  // namespace kb::store
