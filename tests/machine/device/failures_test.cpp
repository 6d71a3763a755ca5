// What a simulation hears when its device fails: the state, the errors, the events and the report, in this order.
#include <gmock/gmock.h>
#include <tlm_utils/simple_target_socket.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "examples/embedding/at_memory.h"
#include "platform/base/error.h"
#include "sim/ports/device/device.h"
#include "sw/runtime/runtime.h"
#include "tests/machine/device/memory_case.h"
#include "tests/machine/device/player.h"
#include "tests/machine/device/systemc_reports.h"

namespace kb {
namespace {

using test::hbm;
using test::ns;
using test::one_pe;
using test::Player;
using test::SystemcReports;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

DeviceConfig with_memory(const std::string& attrs = "access_bytes: 64") {
  DeviceConfig config;
  config.topology_text = test::memory_machine(attrs);
  config.no_progress_ns = 10'000;
  return config;
}

// Always has something to do, as every clocked simulation.
class Clocked final : public sc_core::sc_module {
 public:
  explicit Clocked(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}

 private:
  sc_core::sc_clock clock_{"clock", sc_core::sc_time(1, sc_core::SC_NS)};
};

// The report that ends the simulation, or nothing when it goes on to `until`.
std::optional<std::string> run_until(const sc_core::sc_time& until) {
  try {
    sc_core::sc_start(until);
  } catch (const sc_core::sc_report& report) {
    return std::string(report.get_msg_type()) + ": " + report.get_msg();
  }
  return std::nullopt;
}

class Failures : public testing::Test {
 protected:
  SystemcReports reports_;
};

TEST_F(Failures, AForeignMemoryThatNeverAnswersEndsAClockedSimulationWithASentence) {
  Device device("device", with_memory());
  const Clocked clocked("clocked");
  AtMemory memory("memory", ns(0), ns(1e9));
  device.memory("dram").bind(memory.socket);
  Player player("player", [&](Player& self) {
    EXPECT_EQ(self.access(true, hbm(0)), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_TRUE(device.failed());
  });
  player.socket.bind(device.target("cpu0"));
  const std::optional<std::string> report = run_until(ns(100'000));
  ASSERT_TRUE(report);
  EXPECT_THAT(*report, AllOf(StartsWith("kernbench: device fails with NO_PROGRESS: "),
                             HasSubstr("nothing has happened inside for 10000 ns"),
                             HasSubstr("answer of memory 'dram' to write of 64 B at 0x0"),
                             HasSubstr("sets DeviceConfig::no_progress_ns higher, or to 0")));
  EXPECT_LT(sc_core::sc_time_stamp(), ns(11'000));
  EXPECT_TRUE(player.done);
  EXPECT_TRUE(device.idle());
  EXPECT_EQ(reports_.all().size(), 1u);
  const DeviceReport said = device.finish();
  EXPECT_FALSE(said.ok);
  EXPECT_EQ(said.error_code, "NO_PROGRESS");
}

TEST_F(Failures, StateAnswersProgramEventsAndReportComeInThisOrder) {
  std::vector<std::string> order;
  Device device("device", with_memory());
  AtMemory memory("memory", ns(0), ns(1e9));
  device.memory("dram").bind(memory.socket);
  Player player("player", [&](Player& self) {
    EXPECT_EQ(self.access(true, hbm(0)), tlm::TLM_GENERIC_ERROR_RESPONSE);
    order.push_back(std::string("answer, ") + (device.failed() ? "failed" : "working"));
  });
  player.socket.bind(device.target("cpu0"));
  device.run([&](sw::Runtime& runtime) {
    try {
      runtime.full({64, 64}, 1.0, Dtype::f16);
      runtime.wait_all();
    } catch (const Error& error) {
      order.push_back("program, " + error.code());
      throw;
    }
  });
  for (const bool failed : {false, true}) {
    sc_core::sc_spawn([&order, &device, failed] {
      sc_core::wait(failed ? device.failed_event() : device.idle_event());
      order.push_back(std::string(failed ? "failed_event, " : "idle_event, ") + (device.idle() ? "idle" : "busy"));
    });
  }
  const std::optional<std::string> report = run_until(ns(100'000));
  ASSERT_TRUE(report);
  order.push_back("report");
  EXPECT_THAT(order, testing::UnorderedElementsAre("answer, failed", "program, TIMEOUT", "failed_event, idle",
                                                   "idle_event, idle", "report"));
  EXPECT_THAT(std::vector<std::string>(order.begin(), order.begin() + 2),
              testing::UnorderedElementsAre("answer, failed", "program, TIMEOUT"));
  EXPECT_EQ(order.back(), "report");
}

TEST_F(Failures, WithWarningTheSimulationGoesOn) {
  Device device("device", test::lenient(with_memory()));
  AtMemory memory("memory", ns(0), ns(1e9));
  device.memory("dram").bind(memory.socket);
  Player player("player", [](Player& self) { self.access(true, hbm(0)); });
  player.socket.bind(device.target("cpu0"));
  EXPECT_EQ(run_until(ns(100'000)), std::nullopt);
  EXPECT_EQ(sc_core::sc_time_stamp(), ns(100'000));
  ASSERT_EQ(reports_.all().size(), 1u);
  EXPECT_EQ(reports_.all()[0].severity, sc_core::SC_WARNING);
  EXPECT_EQ(reports_.all()[0].id, "kernbench");
  EXPECT_FALSE(device.finish().ok);
}

TEST_F(Failures, AWatchdogOfZeroIsOff) {
  DeviceConfig config = with_memory();
  config.no_progress_ns = 0;
  Device device("device", config);
  AtMemory memory("memory", ns(0), ns(5e6));
  device.memory("dram").bind(memory.socket);
  Player player("player", [](Player& self) { EXPECT_EQ(self.access(true, hbm(0)), tlm::TLM_OK_RESPONSE); });
  player.socket.bind(device.target("cpu0"));
  EXPECT_EQ(run_until(ns(3e7)), std::nullopt);
  EXPECT_TRUE(player.done);
  EXPECT_TRUE(device.finish().ok);
}

TEST_F(Failures, WorkThatIsOutstandingAtTheEndIsNotOk) {
  Device device("device", with_memory());
  AtMemory memory("memory", ns(0), ns(5000));
  device.memory("dram").bind(memory.socket);
  Player player("player", [](Player& self) { self.access(true, hbm(0)); });
  player.socket.bind(device.target("cpu0"));
  EXPECT_EQ(run_until(ns(1000)), std::nullopt);
  const DeviceReport report = device.finish();
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.error_code, "OUTSTANDING_WORK");
  EXPECT_THAT(report.error_message, AllOf(HasSubstr("the simulation ends at 1 us with work outstanding"),
                                          HasSubstr("answer of memory 'dram'")));
}

// Does one thing wrong with every access.
class WrongMemory final : public sc_core::sc_module {
 public:
  enum Way { throws, throws_report, errors, answers_twice };
  tlm_utils::simple_target_socket<WrongMemory> socket{"socket"};
  WrongMemory(const sc_core::sc_module_name& name, Way fault) : sc_core::sc_module(name), way_(fault) {
    socket.register_nb_transport_fw(this, &WrongMemory::forward);
    socket.register_b_transport(this, &WrongMemory::access);
  }

 private:
  void access(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    if (way_ == throws) throw std::out_of_range("row 70000 of 65536");
    if (way_ == throws_report) SC_REPORT_ERROR("ForeignDram", "row out of range");
    payload.set_response_status(way_ == errors ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
  }
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;
    access(payload, delay);
    if (way_ == answers_twice) {
      for (int i = 0; i < 2; ++i) {
        tlm::tlm_phase answer = tlm::BEGIN_RESP;
        sc_core::sc_time later = ns(30 + 100 * i);
        socket->nb_transport_bw(payload, answer, later);
      }
      return tlm::TLM_ACCEPTED;
    }
    phase = tlm::END_REQ;
    return tlm::TLM_COMPLETED;
  }
  Way way_;
};

struct Wrong {
  WrongMemory::Way fault;
  std::string mode;
  std::string says;
};

class WrongMemories : public Failures, public testing::WithParamInterface<Wrong> {};

TEST_P(WrongMemories, EndTheSimulationWithASentence) {
  Device device("device", with_memory("access_bytes: 64, mode: " + GetParam().mode));
  const Clocked clocked("clocked");
  WrongMemory memory("memory", GetParam().fault);
  device.memory("dram").bind(memory.socket);
  Player player("player", [](Player& self) { self.access(true, hbm(0), 64); });
  player.socket.bind(device.target("cpu0"));
  const std::optional<std::string> report = run_until(ns(100'000));
  ASSERT_TRUE(report);
  EXPECT_THAT(*report, AllOf(StartsWith("kernbench: device fails with "), HasSubstr(GetParam().says)));
  EXPECT_LT(sc_core::sc_time_stamp(), ns(1000));
  EXPECT_TRUE(player.done);
  EXPECT_TRUE(device.idle());
  EXPECT_FALSE(device.finish().ok);
}

TEST_P(WrongMemories, OrEndTheDeviceAlone) {
  Device device("device", test::lenient(with_memory("access_bytes: 64, mode: " + GetParam().mode)));
  const Clocked clocked("clocked");
  WrongMemory memory("memory", GetParam().fault);
  device.memory("dram").bind(memory.socket);
  Player player("player", [](Player& self) { self.access(true, hbm(0), 64); });
  player.socket.bind(device.target("cpu0"));
  EXPECT_EQ(run_until(ns(20'000)), std::nullopt);
  EXPECT_TRUE(player.done);
  EXPECT_TRUE(device.idle());
  ASSERT_FALSE(reports_.all().empty());
  EXPECT_EQ(reports_.all().back().severity, sc_core::SC_WARNING);
  EXPECT_THAT(reports_.all().back().text, HasSubstr(GetParam().says));
  EXPECT_LT(reports_.all().back().time, ns(1000));
  const DeviceReport said = device.finish();
  EXPECT_FALSE(said.ok);
  EXPECT_THAT(said.text, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    , WrongMemories,
    testing::Values(Wrong{WrongMemory::throws, "at", "memory 'dram' threw an exception: row 70000 of 65536"},
                    Wrong{WrongMemory::throws, "lt", "memory 'dram' threw an exception: row 70000 of 65536"},
                    Wrong{WrongMemory::throws_report, "at", "ForeignDram: row out of range"},
                    Wrong{WrongMemory::errors, "at", "write of 64 B at 0x0 with TLM_ADDRESS_ERROR_RESPONSE"},
                    Wrong{WrongMemory::errors, "lt", "write of 64 B at 0x0 with TLM_ADDRESS_ERROR_RESPONSE"},
                    Wrong{WrongMemory::answers_twice, "at", "a second BEGIN_RESP (write of 64 B at 0x0, at "}));

TEST_F(Failures, AnInitiatorThatThrowsIsNamed) {
  Device device("device", one_pe());
  Player player("player", [](Player& self) { self.send(self.payload(false, hbm(0), 8), tlm::BEGIN_REQ); });
  player.answer = [](tlm::tlm_generic_payload&, tlm::tlm_phase& phase, sc_core::sc_time&) -> tlm::tlm_sync_enum {
    if (phase == tlm::BEGIN_RESP) throw std::runtime_error("no such transaction");
    return tlm::TLM_ACCEPTED;
  };
  player.socket.bind(device.target("cpu0"));
  const std::optional<std::string> report = run_until(ns(100'000));
  ASSERT_TRUE(report);
  EXPECT_THAT(*report, HasSubstr("the initiator at socket device.cpu0.socket threw an exception: no such transaction"));
}

// Ten sentences at their time, and the number of the others at the end.
TEST_F(Failures, BreachesAreToldTenTimesAndThenCounted) {
  Device device("device", test::lenient(one_pe()));
  Player player("player", [](Player& self) {
    for (int i = 0; i < 25; ++i) {
      tlm::tlm_generic_payload used;
      self.fill(used, false, hbm(0), 8);
      used.set_response_status(tlm::TLM_OK_RESPONSE);
      sc_core::sc_time delay;
      self.socket->b_transport(used, delay);
      sc_core::wait(ns(100));
    }
  });
  player.socket.bind(device.target("cpu0"));
  EXPECT_EQ(run_until(ns(100'000)), std::nullopt);
  EXPECT_EQ(reports_.all().size(), 10u);
  const DeviceReport report = device.finish();
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.error_code, "PROTOCOL_ERROR");
  ASSERT_EQ(report.problems.size(), 11u);
  EXPECT_EQ(report.problems.back(),
            "and 15 more: socket device.cpu0.socket: the response status is TLM_OK_RESPONSE and not "
            "TLM_INCOMPLETE_RESPONSE when b_transport is called");
}

TEST_F(Failures, OfTwoDevicesTheOtherGoesOnWithWarning) {
  Device broken("broken", test::lenient(with_memory())), whole("whole", one_pe());
  AtMemory memory("memory", ns(0), ns(1e9));
  broken.memory("dram").bind(memory.socket);
  Player first("first", [](Player& self) { self.access(true, hbm(0)); });
  Player second("second", [](Player& self) {
    sc_core::wait(ns(20'000));
    EXPECT_EQ(self.access(true, hbm(0)), tlm::TLM_OK_RESPONSE);
  });
  first.socket.bind(broken.target("cpu0"));
  second.socket.bind(whole.target("cpu0"));
  EXPECT_EQ(run_until(ns(100'000)), std::nullopt);
  EXPECT_TRUE(second.done);
  EXPECT_FALSE(broken.finish().ok);
  EXPECT_TRUE(whole.finish().ok);
}

}  // namespace
}  // namespace kb
