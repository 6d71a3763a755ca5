// What the base protocol says about phases, at every socket of a device: times, limits and who is told of a breach.
#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <gmock/gmock.h>
#include <tlm_utils/simple_target_socket.h>

#include <fstream>
#include <map>
#include <sstream>

#include "examples/embedding/host_memory.h"
#include "sim/ports/device/device_queue.h"
#include "tests/machine/device/player.h"
#include "tests/machine/device/systemc_reports.h"
#include "tests/support/own_process.h"

namespace kb {
namespace {

using test::hbm;
using test::ns;
using test::one_pe;
using test::Player;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Heard = std::pair<std::string, sc_core::sc_time>;

// The time at which the device answers one read of 4 KiB that is issued at 0.
sc_core::sc_time answer_alone() {
  return sc_core::sc_time::from_value(test::in_own_process([] {
    Device device("device", one_pe());
    Player player("player", [](Player& self) { self.send(self.payload(false, hbm(0), 4096), tlm::BEGIN_REQ); });
    player.socket.bind(device.target("cpu0"));
    sc_core::sc_start();
    return player.heard.back().second.value();
  }));
}

// Three reads, of which two may be under way, 10 ns from BEGIN_REQ to END_REQ: the third waits for the first one's end.
TEST(Phases, EndReqIsWithheldUntilFewerThanMaxOutstandingAreUnderWay) {
  const sc_core::sc_time answered = answer_alone();
  ASSERT_GT(answered, ns(30));
  DeviceConfig config = one_pe();
  config.targets[0].max_outstanding = 2;
  config.targets[0].accept_ns = 10;
  config.wave = "phases_test.vcd";
  config.wave_filters = {"*.cpu0.*"};
  Device device("device", config);
  Player player("player", [](Player& self) {
    for (int i = 0; i < 3; ++i) {
      self.send(self.payload(false, hbm(4096u * i), 4096), tlm::BEGIN_REQ);
      sc_core::wait(ns(12));
    }
  });
  player.answer = [&](tlm::tlm_generic_payload&, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    delay = player.heard.size() == 3 ? ns(25) : sc_core::SC_ZERO_TIME;  // END_RESP of the first one comes later
    phase = tlm::END_RESP;
    return tlm::TLM_UPDATED;
  };
  player.socket.bind(device.target("cpu0"));
  sc_core::sc_start();
  const DeviceReport report = device.finish();
  EXPECT_THAT(report.problems, IsEmpty());
  ASSERT_EQ(player.heard.size(), 6u);
  EXPECT_EQ(player.heard[0], Heard("END_REQ", ns(10)));
  EXPECT_EQ(player.heard[1], Heard("END_REQ", ns(22)));
  EXPECT_EQ(player.heard[2], Heard("BEGIN_RESP", answered));
  EXPECT_EQ(player.heard[3], Heard("END_REQ", answered + ns(25)));
  const std::string vcd = [] {
    std::ostringstream text;
    text << std::ifstream("phases_test.vcd").rdbuf();
    return text.str();
  }();
  std::remove("phases_test.vcd");
  std::string stalled, outstanding;
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> changes;  // by identifier: time and value
  std::istringstream lines(vcd);
  for (std::string line, now; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word, kind, bits, id;
    words >> word;
    if (word == "$var") {
      words >> kind >> bits >> id >> word;
      (word == "stalled" ? stalled : outstanding) = id;
    } else if (word[0] == '#') {
      now = word.substr(1);
    } else if (word[0] == 'b') {
      words >> id;
      changes[id].emplace_back(now, word.substr(1));
    } else if (word[0] == '0' || word[0] == '1') {
      changes[word.substr(1)].emplace_back(now, word.substr(0, 1));
    }
  }
  const auto at = [](const sc_core::sc_time& time) { return std::to_string(time.value()); };
  // From the time at which END_REQ is due: 10 ns after BEGIN_REQ at 24.
  EXPECT_THAT(changes[stalled], ElementsAre(std::pair<std::string, std::string>("0", "0"),
                                            std::pair<std::string, std::string>(at(ns(34)), "1"),
                                            std::pair<std::string, std::string>(at(answered + ns(25)), "0")));
  ASSERT_GE(changes[outstanding].size(), 4u);
  EXPECT_EQ(changes[outstanding][2].first, at(ns(24)));
  EXPECT_EQ(changes[outstanding][2].second, "11");
  EXPECT_EQ(changes[outstanding].back().second, "0");
}

TEST(Phases, ASecondBeginReqBeforeEndReqIsToldAndAnsweredWithAnError) {
  for (const bool check : {true, false}) {
    const auto outcome = test::in_own_process([=] {
      struct Result {
        bool completed, generic, others_ok;
        char problem[300];
      } result{};
      const test::SystemcReports reports;
      DeviceConfig config = test::lenient(one_pe());
      config.targets[0].accept_ns = 45;
      config.check_protocol = check;
      Device device("device", config);
      Player player("player", [&](Player& self) {
        self.send(self.payload(false, hbm(0), 8), tlm::BEGIN_REQ);
        sc_core::wait(ns(40));
        tlm::tlm_generic_payload& second = self.payload(true, hbm(64), 16);
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay;
        result.completed = self.socket->nb_transport_fw(second, phase, delay) == tlm::TLM_COMPLETED;
        result.generic = second.get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE;
      });
      player.socket.bind(device.target("cpu0"));
      sc_core::sc_start();
      const DeviceReport report = device.finish();
      result.others_ok = report.error_code == "PROTOCOL_ERROR" && reports.all().size() == 1 &&
                         player.heard.size() == 2 && player.heard[0] == Heard("END_REQ", ns(45));
      if (report.problems.size() == 1) report.problems[0].copy(result.problem, sizeof result.problem - 1);
      return result;
    });
    EXPECT_TRUE(outcome.completed);
    EXPECT_TRUE(outcome.generic);
    EXPECT_TRUE(outcome.others_ok);
    EXPECT_THAT(outcome.problem, HasSubstr("socket device.cpu0.socket: "));
    EXPECT_THAT(outcome.problem,
                HasSubstr(check ? "a second BEGIN_REQ before END_REQ of the first one (write of 16 B at "
                                : "BEGIN_REQ before END_REQ of the request before it"));
    EXPECT_THAT(outcome.problem, HasSubstr("at 40 ns)"));
  }
}

// A doorbell that is rung with a delay, in one of two styles; the time of the interrupt.
std::uint64_t interrupt_of_doorbell(bool phases) {
  return test::in_own_process([=] {
    Device device("device", one_pe());
    HostMemory host("host", 4096);
    device.host_memory.bind(host.socket);
    sc_core::sc_signal<bool> irq("irq");
    device.irq.bind(irq);
    host.at<kb_descriptor>(0)->op = KB_OP_FENCE;
    host.at<kb_descriptor>(0)->flags = KB_FLAG_INTERRUPT;
    std::uint32_t one = 1;
    std::uint64_t time = 0;
    Player player("player", [&](Player& self) {
      self.reg(true, KB_REG_QUEUE_SIZE, 4);
      self.reg(true, KB_REG_IRQ_MASK, KB_IRQ_DONE);
      tlm::tlm_generic_payload& doorbell = self.payload(true, KB_REG_DOORBELL, 4);
      doorbell.set_data_ptr(reinterpret_cast<unsigned char*>(&one));
      sc_core::sc_time delay = ns(300);
      if (phases) {
        self.send(doorbell, tlm::BEGIN_REQ, delay);
      } else {
        self.socket->b_transport(doorbell, delay);
      }
      while (!irq.read()) sc_core::wait(irq.posedge_event());
      time = sc_core::sc_time_stamp().value();
    });
    player.socket.bind(device.registers());
    sc_core::sc_start();
    return device.finish().problems.empty() ? time : 0;
  });
}

TEST(Phases, ADoorbellRingsAtTheTimeOfItsCallAndItsDelayInBothStyles) {
  const std::uint64_t blocking = interrupt_of_doorbell(false);
  EXPECT_GT(blocking, ns(300).value());
  EXPECT_EQ(interrupt_of_doorbell(true), blocking);
}

TEST(Phases, ARegisterAnswersWithTheDelayOfTheCall) {
  Device device("device", one_pe());
  std::uint32_t mask = KB_IRQ_ERROR;
  Player player("player", [&](Player& self) {
    tlm::tlm_generic_payload& write = self.payload(true, KB_REG_IRQ_MASK, 4);
    write.set_data_ptr(reinterpret_cast<unsigned char*>(&mask));
    self.send(write, tlm::BEGIN_REQ, ns(100));
    sc_core::wait(ns(100) - sc_core::sc_time::from_value(1));
    EXPECT_EQ(self.reg(false, KB_REG_IRQ_MASK), 0u);
    sc_core::wait(sc_core::sc_time::from_value(2));
    EXPECT_EQ(self.reg(false, KB_REG_IRQ_MASK), KB_IRQ_ERROR);
    EXPECT_EQ(write.get_response_status(), tlm::TLM_OK_RESPONSE);
    tlm::tlm_generic_payload& now = self.payload(false, KB_REG_ID, 4);  // without a delay: completed by the call
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    EXPECT_EQ(self.socket->nb_transport_fw(now, phase, delay), tlm::TLM_COMPLETED);
    EXPECT_EQ(now.get_response_status(), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(write.get_ref_count(), 1);  // the test's own
  });
  player.socket.bind(device.registers());
  sc_core::sc_start();
  EXPECT_TRUE(player.done);
  EXPECT_THAT(player.heard, ElementsAre(Heard("BEGIN_RESP", ns(100))));
  EXPECT_THAT(device.finish().problems, IsEmpty());
}

// The second answer is due while the first one has no END_RESP: it takes effect then, and is told afterwards.
TEST(Phases, AnswersOfRegistersWaitForEndResp) {
  Device device("device", one_pe());
  tlm::tlm_generic_payload* first = nullptr;
  Player player("player", [&](Player& self) {
    first = &self.payload(false, KB_REG_ID, 4);
    self.send(*first, tlm::BEGIN_REQ, ns(10));
    sc_core::wait(ns(20));
    self.send(self.payload(false, KB_REG_VERSION, 4), tlm::BEGIN_REQ, ns(10));
    sc_core::wait(ns(30));
    self.send(*first, tlm::END_RESP, ns(5));
  });
  player.answer = [&](tlm::tlm_generic_payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
    return &payload == first ? tlm::TLM_ACCEPTED : tlm::TLM_COMPLETED;
  };
  player.socket.bind(device.registers());
  sc_core::sc_start();
  EXPECT_THAT(player.heard, ElementsAre(Heard("BEGIN_RESP", ns(10)), Heard("BEGIN_RESP", ns(55))));
  EXPECT_THAT(device.finish().problems, IsEmpty());
}

TEST(Phases, BreachesAtRegistersAreTold) {
  const test::SystemcReports reports;
  Device device("device", test::lenient(one_pe()));
  Player player("player", [&](Player& self) {
    self.send(self.payload(false, KB_REG_ID, 4), tlm::BEGIN_REQ, ns(50));
    tlm::tlm_generic_payload& second = self.payload(false, KB_REG_VERSION, 4);
    self.send(second, tlm::BEGIN_REQ, ns(10));
    EXPECT_EQ(second.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
    sc_core::wait(ns(100));
    tlm::tlm_generic_payload used;
    self.fill(used, false, KB_REG_ID, 4);
    used.set_response_status(tlm::TLM_OK_RESPONSE);
    sc_core::sc_time delay;
    self.socket->b_transport(used, delay);
  });
  player.socket.bind(device.registers());
  sc_core::sc_start();
  EXPECT_THAT(device.finish().problems,
              ElementsAre("socket device.control.registers.socket: a second BEGIN_REQ before END_REQ of the first one "
                          "(read of 4 B at 0x4, at 0 s)",
                          "socket device.control.registers.socket: the response status is TLM_OK_RESPONSE and not "
                          "TLM_INCOMPLETE_RESPONSE when b_transport is called (read of 4 B at 0x0, at 100 ns)"));
}

// Sets no response status, and calls back although nobody waits.
class CarelessMemory final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<CarelessMemory> socket{"socket"};
  explicit CarelessMemory(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    socket.register_b_transport(this, &CarelessMemory::access);
  }

 private:
  void access(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay;
    socket->nb_transport_bw(payload, phase, delay);
  }
};

TEST(Phases, BreachesOfHostMemoryAreTold) {
  const test::SystemcReports reports;
  Device device("device", test::lenient(one_pe()));
  CarelessMemory host("host");
  device.host_memory.bind(host.socket);
  Player player("player", [&](Player& self) {
    self.reg(true, KB_REG_QUEUE_SIZE, 4);
    sc_core::wait(ns(7));
    self.reg(true, KB_REG_DOORBELL, 1);
    sc_core::wait(ns(1000));
    EXPECT_EQ(self.reg(false, KB_REG_ERROR), KB_ERROR_HOST_MEMORY);
  });
  player.socket.bind(device.registers());
  sc_core::sc_start();
  EXPECT_TRUE(player.done);
  const DeviceReport report = device.finish();
  ASSERT_GE(report.problems.size(), 2u);
  EXPECT_EQ(report.problems[0],
            "socket device.host_memory: BEGIN_RESP for a transaction that has not begun or has ended (read of 128 B at "
            "0x0, at 7000001 fs)");
  EXPECT_EQ(report.problems[1],
            "socket device.host_memory: the response has the status TLM_INCOMPLETE_RESPONSE (read of 128 B at 0x0, at "
            "7000001 fs)");
}

}  // namespace
}  // namespace kb
