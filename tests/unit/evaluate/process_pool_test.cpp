#include "sim/evaluate/process_pool.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "sim/evaluate/files.h"

namespace kb::evaluate {
namespace {

namespace fs = std::filesystem;

class ProcessPoolTest : public testing::Test {
 protected:
  ProcessPoolTest() : folder_(fs::temp_directory_path() / ("kb_pool_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~ProcessPoolTest() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  ProcessJob shell(const std::string& script, const std::string& log) const {
    return {{"/bin/sh", "-c", script}, path(log)};
  }
  fs::path folder_;
};

TEST_F(ProcessPoolTest, CodesAreInJobOrderWhoeverEndsFirst) {
  std::vector<std::size_t> ended;
  const std::vector<ProcessEnd> ends =
      run_processes({shell("sleep 0.3; exit 3", "a"),
                     shell("exit 4", "b"),
                     shell("echo out; echo err >&2", "c"),
                     shell("kill -KILL $$", "d"),
                     {{"/no/such/program"}, path("e")}},
                    2, [&](std::size_t job, const ProcessEnd&) { ended.push_back(job); });
  std::vector<int> codes;
  for (const ProcessEnd& end : ends) codes.push_back(end.code);
  EXPECT_THAT(codes, testing::ElementsAre(3, 4, 0, 128 + SIGKILL, 127));
  EXPECT_GE(ends[0].wall_s, 0.3);
  EXPECT_LT(ends[0].cpu_s, 0.3);
  EXPECT_GT(ends[0].rss_mb, 0.1);
  EXPECT_EQ(ended.size(), 5u);
  EXPECT_EQ(ended[0], 1u);
  EXPECT_EQ(read_file(path("c")), "out\nerr\n");
  EXPECT_THAT(read_file(path("e")), testing::HasSubstr("No such file"));
}

TEST_F(ProcessPoolTest, AProgramCanBeCalledByAnotherName) {
  run_processes({{{"readable", "-c", "echo $0"}, path("a"), "/bin/sh"}}, 1);
  EXPECT_EQ(read_file(path("a")), "readable\n");
}

TEST_F(ProcessPoolTest, ParametersInTheEnvironmentStayOutside) {
  ::setenv("MATMUL_M", "7", 1);
  run_processes({shell("echo \"[$MATMUL_M]\"; test -n \"$PATH\" && echo path", "a")}, 0);
  ::unsetenv("MATMUL_M");
  EXPECT_EQ(read_file(path("a")), "[]\npath\n");
}

TEST_F(ProcessPoolTest, GivingUpEndsWhatIsUnderWay) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(run_processes({shell("exec sleep 60", "a"), shell("exit 1", "b")}, 2,
                             [](std::size_t, const ProcessEnd&) { throw std::runtime_error("enough"); }),
               std::runtime_error);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

}  // namespace
}  // namespace kb::evaluate
