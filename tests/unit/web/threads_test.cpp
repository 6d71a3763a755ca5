// Many threads at once: requests while runs are opened, read and closed, and while the server ends. The preset `tsan`
// looks for data races in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "sim/web/open_run.h"
#include "tests/unit/recorded/run_folders.h"

namespace kb::web {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

void on_threads(int count, const std::function<void(int)>& work) {
  std::atomic<int> started{0};
  const auto together = [&](int i) {
    for (++started; started < count;) std::this_thread::yield();
    work(i);
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(together, i);
  for (std::thread& thread : threads) thread.join();
}

using WebThreadsTest = analysis::test::RunFolders;

// The names of engines are one table for all runs of the process.
TEST_F(WebThreadsTest, RunsWithEnginesOfTheirOwnAreOpenedAtOnce) {
  const std::vector<std::string> engines = {"reader", "sorter", "copier", "hasher"};
  for (const std::string& engine : engines) {
    write_result(engine, result_of({launch(1, 1_ns, 2_ns, 3_ns)}));
    write(engine + "/topology.json", R"({"nodes": [], "engines": [{"name": ")" + engine + R"(", "node": "pe_)" +
                                         engine + R"(", "label": "label of )" + engine + R"("}], "spec": {}})");
  }
  on_threads(static_cast<int>(engines.size()), [&](int thread) {
    const std::string& engine = engines[static_cast<std::size_t>(thread)];
    const OpenRun run(path(engine), "", "");
    EXPECT_THAT(run.answer({"/api/run", {}}).body, HasSubstr(R"("folder":")" + engine));
    EXPECT_THAT(run.answer({"/api/words", {}}).body, HasSubstr("label of " + engine));
  });
}

TEST_F(WebThreadsTest, ARunAnswersWhileItsOperationsAreRead) {
  write_result("run", result_of());
  write_ops("run/ops.sqlite", analysis::test::known_ops(5000, 3));
  const OpenRun run(path("run"), "", "");
  const std::multimap<std::string, std::string> window = {{"t0", "0"}, {"t1", "2100000000"}};
  on_threads(2, [&](int thread) {
    std::string state;
    while (state.find(R"("ready":true)") == std::string::npos) {
      state = run.answer({"/api/state", {}}).body;
      ASSERT_THAT(state, HasSubstr(R"("ready":)"));
      auto tile = window;
      tile.insert({{"px", "100"}, {"rows", "0,1,2"}});
      EXPECT_THAT(run.answer({"/api/tiles", tile}).status, AnyOf(200, 400, 503));
      EXPECT_EQ(run.answer({"/api/ops", {{"limit", "10"}, {"offset", std::to_string(thread)}}}).status, 200);
    }
    auto chain = window;
    chain.emplace("pe", "sip0.cube9.pe0");
    EXPECT_EQ(run.answer({"/api/chain", chain}).status, 200);
    run.rethrow_failure();
  });
}

TEST_F(WebThreadsTest, ARunIsClosedBeforeItsOperationsHaveBeenRead) {
  write_result("run", result_of());
  write_ops("run/ops.sqlite", analysis::test::known_ops(5000, 3));
  for (int i = 0; i < 5; ++i) {
    const OpenRun run(path("run"), "", "");
    run.answer({"/api/ops", {{"limit", "1"}}});
    run.stop();
  }
}

}  // namespace
}  // namespace kb::web
