#include "sim/study/process/process_pool.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>

#include "platform/base/error.h"
#include "sim/study/files/files.h"
#include "sim/study/process/memory_file.h"
#include "tests/support/own_process.h"

namespace kb::sim {
namespace {

namespace fs = std::filesystem;
using files::read_file;

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
  EXPECT_EQ(ends[3].signal, SIGKILL);
  EXPECT_EQ(ends[0].signal, 0);
  EXPECT_THAT(ends[4].not_started, testing::HasSubstr("/no/such/program: No such file"));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ends[i].not_started, "");
}

TEST_F(ProcessPoolTest, AProgramThatEndsWith127WasStarted) {
  const std::vector<ProcessEnd> ends = run_processes({shell("exit 127", "a")}, 1);
  EXPECT_EQ(ends[0].code, 127);
  EXPECT_EQ(ends[0].not_started, "");
}

TEST_F(ProcessPoolTest, ProgramsStartWhileAnotherThreadWorks) {
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) std::vector<int>(1000).swap(*std::make_unique<std::vector<int>>());
  });
  const std::vector<ProcessEnd> ends = run_processes(std::vector<ProcessJob>(20, shell("exit 3", "a")), 2);
  stop = true;
  other.join();
  for (const ProcessEnd& end : ends) EXPECT_EQ(end.code, 3) << end.not_started;
}

TEST_F(ProcessPoolTest, ALogThatCannotBeWrittenIsNamed) {
  const std::vector<ProcessEnd> ends = run_processes({shell("exit 0", "none/log"), shell("exit 0", "b")}, 1);
  EXPECT_THAT(ends[0].not_started, testing::HasSubstr("none/log: No such file"));
  EXPECT_EQ(ends[1].code, 0);
}

TEST_F(ProcessPoolTest, DescriptorsStandForFiles) {
  MemoryFile input, output, messages;
  input.write("one ");
  input.write("two");
  ProcessJob job = shell("cat; echo oh >&2", "a");
  job.input = input.descriptor();
  job.output = output.descriptor();
  job.messages = messages.descriptor();
  EXPECT_EQ(run_processes({job}, 1)[0].code, 0);
  EXPECT_EQ(output.contents(), "one two");
  EXPECT_EQ(messages.contents(), "oh\n");
  EXPECT_FALSE(fs::exists(path("a")));
}

// The caller has closed its standard files: what is opened next must not take their places.
TEST_F(ProcessPoolTest, ClosedStandardFilesDoNoHarm) {
  const std::array<bool, 2> right = test::in_own_process([this] {
    for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(file);
    MemoryFile output;
    ProcessJob job = shell("cat; echo out; echo oh >&2", "a");
    job.output = output.descriptor();
    const bool ran = run_processes({job}, 1)[0].code == 0;
    return std::array<bool, 2>{ran && output.contents() == "out\n", read_file(path("a")) == "oh\n"};
  });
  EXPECT_THAT(right, testing::Each(true));
}

TEST_F(ProcessPoolTest, NothingOutlivesAKilledCaller) {
  const pid_t caller = ::fork();
  if (caller == 0) {
    run_processes({shell("echo $$ > '" + path("pid") + "'; exec sleep 60", "a")}, 1);
    ::_exit(0);
  }
  const auto reported = [this] { return !read_file(path("pid")).empty(); };
  for (int i = 0; i < 4000 && !reported(); ++i) ::usleep(5000);
  ASSERT_TRUE(reported());
  const pid_t worker = std::stoi(read_file(path("pid")));
  ::kill(caller, SIGKILL);
  ::waitpid(caller, nullptr, 0);
  const auto gone = [&] {  // a zombie is gone, too: nobody here can wait for it
    const std::string state = read_file("/proc/" + std::to_string(worker) + "/stat");
    return state.empty() || state.find(") Z") != state.npos;
  };
  for (int i = 0; i < 4000 && !gone(); ++i) ::usleep(5000);
  EXPECT_TRUE(gone());
}

TEST_F(ProcessPoolTest, FewerRunWhereTheSystemHasNoRoomForMore) {
  if (::geteuid() == 0) GTEST_SKIP() << "limits of processes do not hold for root";
  const int right = test::in_own_process([this] {
    const rlimit few{1, 1};
    ::setrlimit(RLIMIT_NPROC, &few);
    try {
      run_processes({shell("exit 0", "a")}, 2);
    } catch (const Error& error) {
      return static_cast<int>(error.family() == ErrorFamily::configuration);
    }
    return 0;
  });
  EXPECT_EQ(right, 1);
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

TEST_F(ProcessPoolTest, WhatACallThrowsEndsItsProcessOnly) {
  MemoryFile file;
  ProcessJob job;
  job.call = [&file] {
    const rlimit small{16, 16};
    ::setrlimit(RLIMIT_FSIZE, &small);
    file.write(std::string(100, 'x'));
  };
  const auto before = std::signal(SIGXFSZ, SIG_IGN);  // as kernbench does: the write fails
  const ProcessEnd end = run_processes({job}, 1)[0];
  std::signal(SIGXFSZ, before);
  EXPECT_EQ(end.signal, 0);
  EXPECT_EQ(end.code, 1);
}

TEST_F(ProcessPoolTest, GivingUpEndsWhatIsUnderWay) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(run_processes({shell("trap '' TERM; kill -STOP $$; sleep 60", "a"), shell("exit 1", "b")}, 2,
                             [](std::size_t, const ProcessEnd&) { throw std::runtime_error("enough"); }),
               std::runtime_error);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST_F(ProcessPoolTest, CanBeDrivenStepByStep) {
  ProcessPool pool(2);
  EXPECT_TRUE(pool.start(shell("sleep 60", "a"), 7));
  EXPECT_TRUE(pool.start(shell("exit 3", "b"), 8));
  EXPECT_TRUE(pool.full());
  EXPECT_FALSE(pool.start(shell("exit 0", "c"), 9));
  const ProcessPool::Ended first = pool.wait();
  EXPECT_EQ(first.id, 8u);
  EXPECT_EQ(first.end.code, 3);
  EXPECT_FALSE(pool.wait_for(std::chrono::milliseconds(10)));
  ASSERT_EQ(pool.in_flight().size(), 1u);
  EXPECT_EQ(pool.in_flight()[0].id, 7u);
  pool.kill(7);
  EXPECT_EQ(pool.wait_for(std::chrono::seconds(60))->end.signal, SIGKILL);
  EXPECT_EQ(pool.running(), 0u);
}

}  // namespace
}  // namespace kb::sim
