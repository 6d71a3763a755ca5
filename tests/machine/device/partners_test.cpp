// Memories as people have them, each of which understands one way in which a response ends.
#include <gmock/gmock.h>
#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/ports/device/width_adapter.h"
#include "tests/machine/device/memory_case.h"
#include "tests/machine/device/player.h"

namespace kb {
namespace {

using test::hbm;
using test::isolated;
using test::ns;
using test::Outcome;

// Takes a request at once and gives one response at a time, `latency` after its request.
class Partner : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Partner> socket{"socket"};

  Partner(const sc_core::sc_module_name& name, double response_delay)
      : sc_core::sc_module(name), ready_("ready"), response_delay_(ns(response_delay)) {
    SC_HAS_PROCESS(Partner);
    socket.register_nb_transport_fw(this, &Partner::forward);
    SC_METHOD(collect);
    sensitive << ready_.get_event();
    dont_initialize();
    SC_METHOD(respond);
    sensitive << next_;
    dont_initialize();
  }

 protected:
  // The initiator's answer to BEGIN_RESP.
  virtual void on_returned(tlm::tlm_sync_enum status) = 0;
  void next_response() {
    answering_.front()->release();
    answering_.pop_front();
    responding_ = false;
    next_.notify(sc_core::SC_ZERO_TIME);
  }

 private:
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) {
      payload.acquire();
      ready_.notify(payload, delay + ns(20));
      phase = tlm::END_REQ;
      return tlm::TLM_UPDATED;
    }
    if (phase != tlm::END_RESP) throw std::runtime_error("unexpected phase " + std::string(phase.get_name()));
    if (inside_) throw std::runtime_error("END_RESP came inside nb_transport_bw()");
    if (sc_core::sc_time_stamp() != due_) throw std::runtime_error("END_RESP came at another time than its response");
    next_response();
    return tlm::TLM_COMPLETED;
  }
  void collect() {
    while (tlm::tlm_generic_payload* const payload = ready_.get_next_transaction()) answering_.push_back(payload);
    next_.notify(sc_core::SC_ZERO_TIME);
  }
  void respond() {
    if (answering_.empty() || responding_) return;
    responding_ = true;
    tlm::tlm_generic_payload& payload = *answering_.front();
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    due_ = sc_core::sc_time_stamp() + response_delay_;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = response_delay_;
    inside_ = true;
    const tlm::tlm_sync_enum status = socket->nb_transport_bw(payload, phase, delay);
    inside_ = false;
    on_returned(status);
  }

  tlm_utils::peq_with_get<tlm::tlm_generic_payload> ready_;
  std::deque<tlm::tlm_generic_payload*> answering_;
  sc_core::sc_event next_;
  sc_core::sc_time response_delay_, due_;
  bool responding_ = false, inside_ = false;
};

// The arbiter of DRAMSys: TLM_COMPLETED as answer to BEGIN_RESP is not looked at, so only END_RESP goes on.
class WaitsForEnd final : public Partner {
  using Partner::Partner;
  void on_returned(tlm::tlm_sync_enum) override {}
};

// The four-phase target of Accellera's examples: TLM_COMPLETED and a later END_RESP are understood, TLM_UPDATED is
// fatal.
class RefusesUpdated final : public Partner {
  using Partner::Partner;
  void on_returned(tlm::tlm_sync_enum status) override {
    if (status == tlm::TLM_UPDATED) throw std::runtime_error("TLM_UPDATED is not expected here");
    if (status == tlm::TLM_COMPLETED) next_response();
  }
};

template <typename Memory>
Outcome run(const std::string& attrs, double response_delay) {
  return isolated([&] {
    return test::run_memory_case(test::memory_machine("access_bytes: 64" + attrs),
                                 {test::make_transfer(true, hbm(0), 1024), test::make_transfer(false, hbm(0), 1024)},
                                 [&](Device& device) {
                                   auto memory = std::make_unique<Memory>("dram", response_delay);
                                   device.memory("dram").bind(memory->socket);
                                   return memory;
                                 });
  });
}

TEST(PartnerMemory, EachOneGetsAllItsResponsesEnded) {
  for (const double delay : {0.0, 3.0}) {
    const Outcome waits = run<WaitsForEnd>("", delay);
    const Outcome refuses = run<RefusesUpdated>("", delay);
    const Outcome early = run<RefusesUpdated>(", end_resp: early", delay);
    for (const Outcome* outcome : {&waits, &refuses, &early}) {
      EXPECT_TRUE(outcome->ok) << delay;
      EXPECT_EQ(outcome->failed, 0) << delay;
      EXPECT_EQ(outcome->accesses, 32u) << delay;
    }
    EXPECT_EQ(waits.completed, refuses.completed) << delay;
    if (delay == 0.0) {
      EXPECT_EQ(early.completed, waits.completed);  // a delta cycle is no time
    }
  }
}

// A memory with one response at a time never gives the second one when the first is not ended on the forward path.
TEST(PartnerMemory, OneThatWaitsForEndRespHangsWhenTheResponseEndsEarly) {
  const Outcome outcome = run<WaitsForEnd>(", end_resp: early", 0.0);
  EXPECT_FALSE(outcome.ok);
  EXPECT_EQ(outcome.failed, 2);
}

// Samples at its clock what has come, as DRAM simulators do, and takes one access in every cycle.
class ClockedMemory final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<ClockedMemory> socket{"socket"};
  std::vector<sc_core::sc_time> asked;
  explicit ClockedMemory(const sc_core::sc_module_name& name) : sc_core::sc_module(name), taken_("taken") {
    SC_HAS_PROCESS(ClockedMemory);
    socket.register_nb_transport_fw(this, &ClockedMemory::forward);
    SC_METHOD(take);
    sensitive << taken_.get_event();
    dont_initialize();
  }

 private:
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;
    asked.push_back(sc_core::sc_time_stamp());
    const std::uint64_t now = sc_core::sc_time_stamp().value(), cycle = kCycle.value();
    const std::uint64_t edge = (now + cycle - 1) / cycle * cycle;  // the edge that samples it
    taken_.notify(payload, sc_core::sc_time::from_value(edge - now) + kCycle);
    return tlm::TLM_ACCEPTED;
  }
  void take() {
    while (tlm::tlm_generic_payload* const payload = taken_.get_next_transaction()) {
      payload->set_response_status(tlm::TLM_OK_RESPONSE);
      tlm::tlm_phase phase = tlm::END_REQ;
      sc_core::sc_time now, later = ns(30);
      socket->nb_transport_bw(*payload, phase, now);
      phase = tlm::BEGIN_RESP;
      socket->nb_transport_bw(*payload, phase, later);
    }
  }
  const sc_core::sc_time kCycle{ns(2)};
  tlm_utils::peq_with_get<tlm::tlm_generic_payload> taken_;
};

TEST(PartnerMemory, AMemoryWithAClockGetsAnAccessInEveryCycle) {
  DeviceConfig config;
  config.topology_text = test::memory_machine("access_bytes: 64, end_resp: early");
  Device device("device", config);
  ClockedMemory memory("memory");
  device.memory("dram").bind(memory.socket);
  test::LtInitiator initiator("initiator", {test::make_transfer(false, hbm(0), 4096)});
  initiator.socket.bind(device.target("cpu0"));
  sc_core::sc_start();
  EXPECT_TRUE(device.finish().ok);
  ASSERT_EQ(memory.asked.size(), 64u);
  for (std::size_t i = 2; i < memory.asked.size(); ++i) EXPECT_EQ(memory.asked[i] - memory.asked[i - 1], ns(2)) << i;
}

// A memory and an initiator with sockets of 512 and 64 bits.
class WideMemory final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<WideMemory, 512> socket{"socket"};
  std::uint64_t accesses = 0, debugged = 0;
  explicit WideMemory(const sc_core::sc_module_name& name) : sc_core::sc_module(name), bytes_(1 << 16) {
    socket.register_b_transport(this, &WideMemory::access);
    socket.register_transport_dbg(this, &WideMemory::debug);
  }

 private:
  void access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    ++accesses;
    delay += ns(20);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  unsigned debug(tlm::tlm_generic_payload& payload) {
    ++debugged;
    unsigned char* const here = bytes_.data() + payload.get_address();
    if (payload.is_write()) std::copy_n(payload.get_data_ptr(), payload.get_data_length(), here);
    if (payload.is_read()) std::copy_n(here, payload.get_data_length(), payload.get_data_ptr());
    return payload.get_data_length();
  }
  std::vector<unsigned char> bytes_;
};

class WideInitiator final : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<WideInitiator, 64> socket{"socket"};
  bool right = false;
  explicit WideInitiator(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    SC_HAS_PROCESS(WideInitiator);
    SC_THREAD(run);
  }

 private:
  bool access(bool write, std::vector<unsigned char>& data) {
    tlm::tlm_generic_payload payload;
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(hbm(640));
    payload.set_data_ptr(data.data());
    payload.set_data_length(static_cast<unsigned>(data.size()));
    payload.set_streaming_width(static_cast<unsigned>(data.size()));
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
    return payload.is_response_ok();
  }
  void run() {
    std::vector<unsigned char> written(300, 0xa5), read(300);
    right = access(true, written) && access(false, read) && read == written;
  }
};

TEST(WidthAdapter, SocketsOfAnyWidthAreBound) {
  DeviceConfig config;
  config.topology_text = test::memory_machine("access_bytes: 64, mode: lt, data: through");
  Device device("device", config);
  WideMemory memory("memory");
  WideInitiator initiator("initiator");
  WidthAdapter<64, 32> to_device("to_device");
  WidthAdapter<32, 512> to_memory("to_memory");
  initiator.socket.bind(to_device.target);
  to_device.initiator.bind(device.target("cpu0"));
  device.memory("dram").bind(to_memory.target);
  to_memory.initiator.bind(memory.socket);
  sc_core::sc_start();
  EXPECT_TRUE(initiator.right);
  EXPECT_GT(memory.accesses, 0u);
  EXPECT_GT(memory.debugged, 0u);
  EXPECT_TRUE(device.finish().ok);
}

}  // namespace
}  // namespace kb
