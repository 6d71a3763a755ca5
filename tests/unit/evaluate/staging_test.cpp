// Rows that survive an interruption (E-7).
#include "sim/evaluate/staging.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "platform/base/error.h"
#include "sim/evaluate/files.h"
#include "sim/evaluate/folder_lock.h"

namespace kb::evaluate {
namespace {

namespace fs = std::filesystem;

class StagingTest : public testing::Test {
 protected:
  StagingTest() : folder_((fs::temp_directory_path() / ("kb_staging_" + std::to_string(::getpid()))).string()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~StagingTest() override { fs::remove_all(folder_); }
  std::string folder_;
  Point point_{"p", "bench", {{"m", "1"}}};
};

TEST_F(StagingTest, ARowCountsOnlyForWhatItWasMeasuredWith) {
  const WorkFolder work(folder_);
  const Staging staging(work, "machine");
  EXPECT_FALSE(staging.find(point_));
  staging.keep(point_, Json{{"x", 1.000001}});
  EXPECT_EQ(staging.find(point_), (Json{{"x", 1.000001}}));
  EXPECT_TRUE(Staging(work, "machine").find(point_));
  EXPECT_FALSE(Staging(work, "another machine").find(point_));
  EXPECT_FALSE(staging.find({"p", "other", {{"m", "1"}}}));
  EXPECT_FALSE(staging.find({"p", "bench", {{"m", "2"}}}));
  EXPECT_FALSE(staging.find({"q", "bench", {{"m", "1"}}}));
}

TEST_F(StagingTest, ADamagedRowIsMeasuredAgain) {
  const WorkFolder work(folder_);
  const Staging staging(work, "machine");
  for (const char* text : {"", "{", "[]", "{\"digest\": \"x\"}", "{\"digest\": 5, \"row\": 1}"}) {
    write_file(work.row_file("p"), text, "a row");
    EXPECT_FALSE(staging.find(point_)) << text;
  }
}

TEST_F(StagingTest, ARowThatIsAPipeIsNotWaitedFor) {
  const WorkFolder work(folder_);
  ASSERT_EQ(::mkfifo(work.row_file("p").c_str(), 0600), 0);
  EXPECT_FALSE(Staging(work, "machine").find(point_));
}

TEST_F(StagingTest, OneEvaluationAtATimeHasAFolder) {
  {
    const FolderLock first(folder_, true);
    try {
      const FolderLock second(folder_, true);
      ADD_FAILURE() << "two had the folder";
    } catch (const Error& error) {
      EXPECT_EQ(error.family(), ErrorFamily::configuration);
      EXPECT_NE(std::string(error.what()).find(folder_), std::string::npos);
    }
  }
  EXPECT_NO_THROW(FolderLock(folder_, true));
  EXPECT_NO_THROW(FolderLock(folder_ + "/none", false));
  EXPECT_FALSE(fs::exists(folder_ + "/none"));
}

TEST_F(StagingTest, TheDigestOfAMachineIsThatOfItsValues) {
  const auto digest = [](const std::vector<std::pair<std::string, std::string>>& overrides) {
    return machine_digest(topology::load(KB_SOURCE_DIR "/configs/one_pe.yaml", overrides));
  };
  EXPECT_EQ(digest({}), digest({}));
  EXPECT_EQ(digest({{"cube.links.pe_to_router_bw_gbs", "256"}}).size(), 64u);
  EXPECT_NE(digest({{"cube.links.pe_to_router_bw_gbs", "128"}}), digest({}));
}

}  // namespace
}  // namespace kb::evaluate
