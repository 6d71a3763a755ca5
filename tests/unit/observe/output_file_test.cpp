#include "platform/observe/output_file.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include "platform/base/error.h"

namespace kb::observe {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class OutputFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("kb_output_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static std::string content(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

  fs::path folder_;
};

TEST_F(OutputFileTest, AppearsOnlyAtCommit) {
  OutputFile file(path("r.json"), "the result file");
  file.write("half");
  EXPECT_FALSE(fs::exists(path("r.json")));
  file.write(" whole");
  file.commit();
  EXPECT_EQ(content(path("r.json")), "half whole");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFileTest, WithoutCommitNothingIsLeftAndTheOldFileStays) {
  std::ofstream(path("r.json")) << "old";
  { OutputFile(path("r.json"), "the result file").write("new"); }
  EXPECT_EQ(content(path("r.json")), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFileTest, UnwritablePlaceIsAConfigurationErrorThatNamesThePathAndReason) {
  try {
    OutputFile file(path("missing/r.json"), "the result file");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::configuration);
    EXPECT_THAT(error.what(), HasSubstr("cannot create the result file"));
    EXPECT_THAT(error.what(), HasSubstr("missing/r.json"));
    EXPECT_THAT(error.what(), HasSubstr("No such file or directory"));
  }
}

TEST_F(OutputFileTest, FullDiskIsAConfigurationError) {
  OutputFile file("/dev/full", "the result file");
  try {
    file.write("x");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::configuration);
    EXPECT_THAT(error.what(), HasSubstr("No space left on device"));
  }
  EXPECT_TRUE(fs::exists("/dev/full"));
}

TEST_F(OutputFileTest, ADirectoryOfTheNameIsRefused) {
  EXPECT_THROW(OutputFile(folder_.string(), "the result file"), Error);
}

TEST_F(OutputFileTest, InterruptRemovesTemporaryFiles) {
  std::vector<std::unique_ptr<OutputFile>> many;
  for (int i = 0; i < 100; ++i) many.push_back(std::make_unique<OutputFile>(path(std::to_string(i)), "a file"));
  EXPECT_EQ(files(), 100u);
  TemporaryFile::remove_all();
  EXPECT_EQ(files(), 0u);
}

TEST_F(OutputFileTest, MakeFolderExplainsWhatIsInTheWay) {
  make_folder(path("a/b/c"));
  EXPECT_TRUE(fs::is_directory(path("a/b/c")));
  std::ofstream(path("file")) << "x";
  EXPECT_THROW(make_folder(path("file")), Error);
  EXPECT_THROW(make_folder(path("file/below")), Error);
}

}  // namespace
}  // namespace kb::observe
