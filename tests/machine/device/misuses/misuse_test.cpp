// Every misuse in a process of its own: a sentence that names the partner and what is wrong, when it happens, an end,
// and a report that is not ok. The program runs under valgrind, too (label `valgrind`).
#include "tests/machine/device/misuses/misuse.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "platform/base/error.h"
#include "tests/machine/device/memory_case.h"
#include "tests/machine/device/systemc_reports.h"

namespace kb::test {

void Scene::make_memory(const std::string& attrs) {
  config = {};
  config.topology_text = memory_machine("access_bytes: 64" + attrs);
  config.no_progress_ns = 10'000;
  initiator = [](Player& self) { self.access(true, hbm(0), 64); };
}

namespace {

using testing::HasSubstr;

class Clocked final : public sc_core::sc_module {
 public:
  explicit Clocked(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}

 private:
  sc_core::sc_clock clock_{"clock", sc_core::sc_time(1, sc_core::SC_NS)};
};

// A device with its partners beside a clock, which never lets the simulation run dry.
class Stage {
 public:
  explicit Stage(const Scene& scene) : device_("device", scene.config), clocked_("clocked") {
    if (scene.memory_by_phases || scene.memory) {
      memory_ = std::make_unique<ScriptedMemory>("memory", scene.memory_by_phases, scene.memory);
      device_.memory("dram").bind(memory_->socket);
    }
    if (scene.host_memory) {
      host_ = std::make_unique<ScriptedMemory>("host", nullptr, scene.host_memory);
      device_.host_memory.bind(host_->socket);
    }
    if (scene.initiator) {
      players_.push_back(std::make_unique<Player>("initiator", scene.initiator));
      players_.back()->answer = scene.answer;
      players_.back()->socket.bind(device_.target("cpu0"));
    }
    if (scene.driver) {
      players_.push_back(std::make_unique<Player>("driver", scene.driver));
      players_.back()->socket.bind(device_.registers());
    }
    if (scene.program) device_.run(scene.program);
    if (scene.before) scene.before(device_);
  }
  Device& device() { return device_; }

 private:
  Device device_;
  Clocked clocked_;
  std::unique_ptr<ScriptedMemory> memory_, host_;
  std::vector<std::unique_ptr<Player>> players_;
};

class Misuses : public testing::TestWithParam<Misuse> {};

TEST_P(Misuses, AreNamedWhenTheyHappen) {
  const Misuse& misuse = GetParam();
  const SystemcReports reports;
  Scene scene;
  misuse.prepare(scene);
  std::unique_ptr<Stage> stage;
  bool ended = false;
  try {
    stage = std::make_unique<Stage>(scene);
    sc_core::sc_start(ns(100'000));
  } catch (const Error& error) {
    ASSERT_EQ(misuse.ends, Misuse::Ends::construction) << error.what();
    EXPECT_THAT(error.what(), HasSubstr(misuse.says));
    return;
  } catch (const sc_core::sc_report&) {
    ended = true;
  }
  EXPECT_EQ(ended, misuse.ends == Misuse::Ends::simulation);
  if (misuse.ends != Misuse::Ends::finish) {
    const auto of_device = [&](const SystemcReports::One& one) {
      return one.id == "kernbench" && one.text.find(misuse.says) != std::string::npos;
    };
    const auto found = std::find_if(reports.all().begin(), reports.all().end(), of_device);
    ASSERT_NE(found, reports.all().end()) << (reports.all().empty() ? "nothing was told" : reports.all().back().text);
    const SystemcReports::One& report = *found;
    EXPECT_LE(report.time, ns(misuse.until_ns));
    EXPECT_EQ(report.severity, ended ? sc_core::SC_ERROR : sc_core::SC_WARNING);
  }
  EXPECT_EQ(stage->device().failed(), ended);
  EXPECT_TRUE(!ended || stage->device().idle());
  const DeviceReport report = stage->device().finish();
  EXPECT_FALSE(report.ok);
  EXPECT_THAT(report.text, HasSubstr(misuse.says));
}

std::string name_of(const testing::TestParamInfo<Misuse>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Configuration, Misuses, testing::ValuesIn(misuses_of_configuration()), name_of);
INSTANTIATE_TEST_SUITE_P(Initiators, Misuses, testing::ValuesIn(misuses_of_initiators()), name_of);
INSTANTIATE_TEST_SUITE_P(Memories, Misuses, testing::ValuesIn(misuses_of_memories()), name_of);
INSTANTIATE_TEST_SUITE_P(Drivers, Misuses, testing::ValuesIn(misuses_of_drivers()), name_of);
INSTANTIATE_TEST_SUITE_P(Programs, Misuses, testing::ValuesIn(misuses_of_programs()), name_of);

}  // namespace
}  // namespace kb::test
