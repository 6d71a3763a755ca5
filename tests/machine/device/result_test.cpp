// The run folder of a device (DeviceConfig::result): what `kernbench run --record` writes, of an embedded run.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "examples/embedding/at_memory.h"
#include "examples/embedding/host_memory.h"
#include "platform/base/error.h"
#include "sim/ports/device/device.h"
#include "sim/ports/device/device_queue.h"
#include "sw/runtime/runtime.h"
#include "tests/machine/device/memory_case.h"
#include "tests/machine/device/player.h"
#include "tests/machine/device/systemc_reports.h"
#include "tests/support/sqlite_rows.h"

namespace kb {
namespace {

namespace fs = std::filesystem;
using test::hbm;
using test::lenient;
using test::ns;
using test::one_pe;
using test::Player;
using test::sql_rows;
using test::SqlRows;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Json = nlohmann::json;

class Result : public testing::Test {
 protected:
  Result() {
    std::string name = testing::TempDir() + "kernbench.XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~Result() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  DeviceConfig recorded(DeviceConfig config, const std::string& name = "r") const {
    config.result = path(name);
    return config;
  }
  Json result(const std::string& name = "r") const {
    std::ifstream file(path(name) + "/result.json");
    return Json::parse(file);
  }
  SqlRows query(const std::string& sql, const std::string& name = "r") const {
    return sql_rows(path(name) + "/ops.sqlite", sql);
  }
  std::set<std::string> files(const std::string& name = "r") const {
    std::set<std::string> names;
    if (!fs::exists(path(name))) return names;
    for (const auto& entry : fs::directory_iterator(path(name))) {
      const std::string file = entry.path().filename().string();
      if (file[0] != '.') names.insert(file);
    }
    return names;
  }

 private:
  std::string folder_;
};

const std::set<std::string> kFiles = {"ops.sqlite", "result.json", "topology.json"};

std::map<std::string, double> figures_of(const Json& result) {
  std::map<std::string, double> figures;
  for (const Json& figure : result["figures"]) figures[figure["name"]] = figure["value"];
  return figures;
}

kb_arg tensor(std::uint64_t pa, std::uint32_t dtype, std::uint64_t rows, std::uint64_t cols) {
  kb_arg arg{};
  arg.kind = KB_ARG_TENSOR;
  arg.dtype = dtype;
  arg.value = pa;
  arg.rows = rows;
  arg.cols = cols;
  return arg;
}

kb_arg integer(std::uint64_t value) {
  kb_arg arg{};
  arg.kind = KB_ARG_INTEGER;
  arg.value = value;
  return arg;
}

constexpr std::uint32_t kQueue = 0x1000, kArgs = 0x4000;

// A copy of operands and a GEMM of 24 x 40 x 16, as a driver writes them.
void prepare_gemm(HostMemory& memory) {
  auto* const args = memory.at<kb_arg>(kArgs);
  args[0] = tensor(hbm(0), 3, 24, 40);
  args[1] = tensor(hbm(0x10000), 3, 40, 16);
  args[2] = tensor(hbm(0x20000), 5, 24, 16);
  args[3] = integer(24);
  args[4] = integer(40);
  args[5] = integer(16);
  for (int i = 6; i < 9; ++i) args[i] = kb_arg{};
  auto* const queue = memory.at<kb_descriptor>(kQueue);
  queue[0] = kb_descriptor{};
  queue[0].op = KB_OP_COPY_TO_DEVICE;
  queue[0].host = 0x10000;
  queue[0].device = hbm(0);
  queue[0].bytes = 0x10000 + 40 * 16;
  queue[1] = kb_descriptor{};
  queue[1].op = KB_OP_LAUNCH;
  queue[1].kernel = kb_kernel_hash("gemm");
  queue[1].args = kArgs;
  queue[1].arg_count = 9;
  queue[1].cubes = queue[1].pes = 1;
}

// Rings, and waits until the device has worked.
void run_queue(Player& cpu, Device& device, std::uint32_t descriptors) {
  cpu.reg(true, KB_REG_QUEUE_BASE, kQueue);
  cpu.reg(true, KB_REG_QUEUE_SIZE, 4);
  cpu.reg(true, KB_REG_DOORBELL, descriptors);
  while (!device.idle()) sc_core::wait(device.idle_event());
  EXPECT_EQ(cpu.reg(false, KB_REG_DONE_COUNT), descriptors);
}

TEST_F(Result, HasTheFilesAndTheContentsOfARecordedRun) {
  Device device("npu", recorded(one_pe()));
  HostMemory memory("memory", 1 << 20);
  prepare_gemm(memory);
  Player cpu("cpu", [&](Player& self) { run_queue(self, device, 2); });
  Player dma("dma", [](Player& self) { self.access(true, hbm(0x100000), 256); });
  cpu.socket.bind(device.registers());
  dma.socket.bind(device.target("cpu0"));
  device.host_memory.bind(memory.socket);
  sc_core::sc_start();
  EXPECT_THAT(files(), IsEmpty());  // they appear as a whole
  const DeviceReport report = device.finish();
  ASSERT_TRUE(report.ok) << report.error_message;
  ASSERT_EQ(files(), kFiles);

  const Json all = result();
  EXPECT_EQ(all["ok"], true);
  EXPECT_EQ(all["error"], nullptr);
  EXPECT_EQ(all["bench"]["name"], "npu");
  EXPECT_EQ(all["device"], "all");
  EXPECT_EQ(all["data_mode"], "eager");
  EXPECT_EQ(all["topology"]["file"], one_pe().topology);
  EXPECT_FALSE(all["settings"].empty());  // one PE is not the reference machine
  EXPECT_EQ(all["host"]["events"], report.events);
  ASSERT_EQ(all["launches"].size(), 1u);
  const Json& launch = all["launches"][0];
  EXPECT_EQ(launch["kernel"], "gemm");
  EXPECT_EQ(launch["ok"], true);
  const std::string of_launch = " WHERE launch_id = " + launch["id"].dump();
  EXPECT_EQ(query("SELECT count(*) FROM launch_pe" + of_launch), SqlRows({{"1"}}));
  EXPECT_EQ(launch["useful_macs"], 24 * 40 * 16);
  EXPECT_NE(query("SELECT count(*) FROM launch_use" + of_launch), SqlRows({{"0"}}));
  EXPECT_FALSE(launch["breakdown"].is_null());
  std::set<std::string> blocks;
  for (const DeviceReport::Statistic& one : report.statistics) blocks.insert(one.block);
  EXPECT_EQ(query("SELECT count(DISTINCT block) FROM block_statistic"), SqlRows({{std::to_string(blocks.size())}}));
  EXPECT_FALSE(all["operations"].empty());

  const SqlRows gemms = query("SELECT t_start_ns >= 0 FROM ops WHERE op_name LIKE 'gemm%'");
  EXPECT_FALSE(gemms.empty());
  EXPECT_EQ(query("SELECT count(*) FROM ops WHERE op_name = 'host_write'"), SqlRows({{"1"}}));  // the copy
  EXPECT_EQ(query("SELECT value FROM meta WHERE key = 'bench'"), SqlRows({{"npu"}}));
  EXPECT_EQ(query("SELECT count(*) FROM epoch WHERE launch_id = " + launch["id"].dump()), SqlRows({{"2"}}));
}

TEST_F(Result, SumsUpWhatOutsideModelsHaveAskedFor) {
  Device device("npu", recorded(one_pe()));
  HostMemory memory("memory", 1 << 20);
  prepare_gemm(memory);
  std::vector<double> latencies;
  Player cpu("cpu", [&](Player& self) { run_queue(self, device, 2); });
  Player dma("dma", [&](Player& self) {
    sc_core::wait(device.idle_event());
    for (int i = 0; i < 3; ++i) {
      const sc_core::sc_time begin = sc_core::sc_time_stamp();
      EXPECT_EQ(self.access(i == 0, hbm(0x100000), 100 << i), tlm::TLM_OK_RESPONSE);
      latencies.push_back(static_cast<double>((sc_core::sc_time_stamp() - begin).value()) / 1e6);
    }
    EXPECT_EQ(self.access(false, 0x10), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
  cpu.socket.bind(device.registers());
  dma.socket.bind(device.target("cpu0"));
  device.host_memory.bind(memory.socket);
  sc_core::sc_start();
  ASSERT_TRUE(device.finish().ok);
  ASSERT_EQ(latencies.size(), 3u);
  std::map<std::string, double> figures = figures_of(result());
  EXPECT_EQ(figures["cpu0: requests"], 4);
  EXPECT_EQ(figures["cpu0: refused"], 1);
  EXPECT_EQ(figures["cpu0: bytes"], 700);
  EXPECT_NEAR(figures["cpu0: mean latency"], (latencies[0] + latencies[1] + latencies[2]) / 3, 1e-6);
  EXPECT_NEAR(figures["cpu0: longest latency"], *std::max_element(latencies.begin(), latencies.end()), 1e-6);
  EXPECT_EQ(figures["registers: writes"], 3);
  EXPECT_EQ(figures["registers: reads"], 1);
  // Two descriptors, nine arguments, and the copy in bursts of 4 KiB.
  EXPECT_EQ(figures["host memory: bytes of reads"], 2 * 128 + 9 * 64 + 0x10000 + 40 * 16);
  EXPECT_EQ(figures["host memory: reads"], 2 + 1 + 17);
  EXPECT_GT(figures["host memory: mean latency of reads"], 60);
  EXPECT_EQ(figures.count("host memory: writes"), 0u);
}

// Activity over time has at most 512 bins for each of the machine's 16 resources that are used, of some 7 bytes; a
// row for each of the 5000 writes would take 700 KB.
TEST_F(Result, ItsSizeDoesNotDependOnTheNumberOfOutsideRequests) {
  Device few("few", recorded(one_pe(), "few"));
  Device many("many", recorded(one_pe(), "many"));
  const auto requests = [](int count) {
    return [count](Player& self) {
      for (int i = 0; i < count; ++i) {
        EXPECT_EQ(self.access(i % 2 == 0, hbm(64 * (i % 1000)), 64), tlm::TLM_OK_RESPONSE);
      }
    };
  };
  Player first("first", requests(100)), second("second", requests(10'000));
  first.socket.bind(few.target("cpu0"));
  second.socket.bind(many.target("cpu0"));
  sc_core::sc_start();
  ASSERT_TRUE(few.finish().ok);
  ASSERT_TRUE(many.finish().ok);
  EXPECT_EQ(figures_of(result("few"))["cpu0: requests"], 100);
  EXPECT_EQ(figures_of(result("many"))["cpu0: requests"], 10'000);
  for (const char* name : {"few", "many"}) EXPECT_EQ(query("SELECT * FROM op", name), SqlRows()) << name;
  const std::map<std::string, int> most_more = {
      {"ops.sqlite", 16 * 512 * 7}, {"result.json", 1024}, {"topology.json", 0}};
  for (const std::string& file : kFiles) {
    const auto small = static_cast<int>(fs::file_size(path("few/" + file)));
    const auto large = static_cast<int>(fs::file_size(path("many/" + file)));
    RecordProperty("few_" + file, small);
    RecordProperty("many_" + file, large);
    EXPECT_LE(large - small, most_more.at(file)) << file;
  }
}

// Two devices in one simulation, one of them recorded, with the same partners.
TEST_F(Result, RecordingDoesNotMoveATime) {
  using Times = std::vector<sc_core::sc_time>;
  struct LoopBack {
    LoopBack(const std::string& name, const DeviceConfig& config)
        : device(name.c_str(), config),
          memory((name + "_memory").c_str(), 1 << 20),
          cpu((name + "_cpu").c_str(),
              [this](Player& self) {
                run_queue(self, device, 2);
                times.push_back(sc_core::sc_time_stamp());
              }),
          dma((name + "_dma").c_str(), [this](Player& self) {
            for (int i = 0; i < 200; ++i) {
              self.access(i % 3 == 0, hbm(40 * i), 1 + i * 7 % 300);
              times.push_back(sc_core::sc_time_stamp());
            }
          }) {
      prepare_gemm(memory);
      cpu.socket.bind(device.registers());
      dma.socket.bind(device.target("cpu0"));
      device.host_memory.bind(memory.socket);
    }
    Device device;
    HostMemory memory;
    Times times;
    Player cpu, dma;
  };
  LoopBack plain("plain", one_pe()), observed("observed", recorded(one_pe()));
  sc_core::sc_start();
  ASSERT_EQ(plain.times.size(), 201u);
  EXPECT_EQ(plain.times, observed.times);
  const DeviceReport without = plain.device.finish(), with = observed.device.finish();
  EXPECT_TRUE(with.ok);
  // A recorded run has statistics of pseudo-channels besides.
  std::vector<DeviceReport::Statistic> in_both;
  for (const DeviceReport::Statistic& one : with.statistics) {
    if (one.name.rfind("pc", 0) != 0) in_both.push_back(one);
  }
  EXPECT_LT(in_both.size(), with.statistics.size());
  ASSERT_EQ(without.statistics.size(), in_both.size());
  for (std::size_t i = 0; i < in_both.size(); ++i) {
    EXPECT_EQ(without.statistics[i].name, in_both[i].name);
    EXPECT_EQ(without.statistics[i].value, in_both[i].value) << in_both[i].name;
  }
}

TEST_F(Result, AFailedDeviceWritesItWithTheError) {
  const test::SystemcReports reports;
  DeviceConfig config;
  config.topology_text = test::memory_machine("access_bytes: 64");
  config.no_progress_ns = 10'000;
  Device device("npu", lenient(recorded(config)));
  AtMemory memory("memory", ns(0), ns(1e9));  // answers too late
  device.memory("dram").bind(memory.socket);
  Player player("player", [](Player& self) { EXPECT_EQ(self.access(true, hbm(0)), tlm::TLM_GENERIC_ERROR_RESPONSE); });
  player.socket.bind(device.target("cpu0"));
  sc_core::sc_start(ns(100'000));
  const DeviceReport report = device.finish();
  EXPECT_EQ(report.error_code, "NO_PROGRESS");
  ASSERT_EQ(files(), kFiles);
  const Json all = result();
  EXPECT_EQ(all["ok"], false);
  EXPECT_EQ(all["error"]["code"], "NO_PROGRESS");
  EXPECT_EQ(all["error"]["message"], report.error_message);
  EXPECT_EQ(figures_of(all)["dram: accesses"], 1);
}

TEST_F(Result, ProblemsOfPartnersAreWarnings) {
  const test::SystemcReports reports;
  Device device("npu", lenient(recorded(one_pe())));
  Player cpu("cpu", [](Player& self) {
    self.reg(true, KB_REG_QUEUE_SIZE, 4);
    self.reg(true, KB_REG_DOORBELL, 9);
  });
  cpu.socket.bind(device.registers());
  sc_core::sc_start();
  const DeviceReport report = device.finish();
  ASSERT_THAT(report.problems, ElementsAre(HasSubstr("DOORBELL announces 9 descriptors")));
  const Json all = result();
  EXPECT_EQ(all["error"]["code"], "DRIVER_ERROR");
  EXPECT_THAT(all["warnings"].get<std::vector<std::string>>(), Contains(report.problems[0]));
}

TEST_F(Result, ATestBenchReportsItsOwnError) {
  Device device("npu", recorded(one_pe()));
  device.run([&](sw::Runtime& runtime) {
    runtime.full({32, 32}, 2.0, Dtype::f16);
    device.report_error("WRONG_PICTURE", "line 7 is black");
    device.report_error("LATER", "not the first one");
  });
  sc_core::sc_start();
  const DeviceReport report = device.finish();
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.error_code, "WRONG_PICTURE");
  const Json all = result();
  EXPECT_EQ(all["error"]["code"], "WRONG_PICTURE");
  EXPECT_EQ(all["error"]["message"], "line 7 is black");
  EXPECT_THAT(query("SELECT * FROM ops"), Not(IsEmpty()));  // the host program's own writes
}

std::string refusal(const char* name, const DeviceConfig& config) {
  try {
    const Device device(name, config);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_F(Result, AFolderThatCannotBeWrittenIsRefusedAtOnce) {
  std::ofstream(path("file")) << "no folder";
  EXPECT_THAT(refusal("first", recorded(one_pe(), "file/r")), HasSubstr("DeviceConfig::result"));
  DeviceConfig both = recorded(one_pe());
  both.oplog = path("ops.txt");
  EXPECT_THAT(refusal("second", both), HasSubstr("DeviceConfig::result writes ops.sqlite, too"));
  EXPECT_FALSE(fs::exists(path("r")));
}

}  // namespace
}  // namespace kb
