// An outside memory as DRAM simulators are: it rewrites the address of a payload and answers in an order of its own. It
// does not wait for END_RESP of one answer before the next, so it needs `end_resp: early`.
#include <gmock/gmock.h>
#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <set>

#include "platform/address/phys_addr.h"
#include "platform/base/units.h"
#include "sim/ports/device/device.h"
#include "tests/machine/device/initiators.h"
#include "tests/support/own_process.h"

namespace kb {
namespace {

using testing::IsEmpty;

sc_core::sc_time ns(double value) {
  return {value, sc_core::SC_NS};
}

class ShuffledMemory final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<ShuffledMemory> socket{"socket"};
  explicit ShuffledMemory(const sc_core::sc_module_name& name) : sc_core::sc_module(name), ready_("ready") {
    SC_HAS_PROCESS(ShuffledMemory);
    socket.register_nb_transport_fw(this, &ShuffledMemory::forward);
    SC_METHOD(answer);
    sensitive << ready_.get_event();
    dont_initialize();
  }

  std::vector<std::uint64_t> asked, answered;  // addresses as they came
  int malformed = 0;                           // accesses that no DRAM simulator takes

 private:
  struct Open {
    tlm::tlm_generic_payload* payload;
    std::uint64_t address;
  };
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;
    const std::uint64_t address = payload.get_address(), length = payload.get_data_length();
    const bool power_of_two = length != 0 && (length & (length - 1)) == 0;
    if (!power_of_two || address % length != 0 || payload.get_streaming_width() != length ||
        payload.get_data_ptr() == nullptr || !payload.has_mm()) {
      ++malformed;
    }
    payload.acquire();
    asked.push_back(address);
    open_.push_back({&payload, address});
    payload.set_address(address * 0x9e3779b97f4a7c15u >> 7);  // its own place in a row of a bank
    ready_.notify(payload, delay + ns(20 + static_cast<double>(payload.get_address() % 97)));
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  void answer() {
    while (tlm::tlm_generic_payload* const payload = ready_.get_next_transaction()) {
      const auto found =
          std::find_if(open_.begin(), open_.end(), [payload](const Open& one) { return one.payload == payload; });
      answered.push_back(found->address);
      open_.erase(found);
      payload->set_response_status(tlm::TLM_OK_RESPONSE);
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay;
      socket->nb_transport_bw(*payload, phase, delay);
      payload->release();
    }
  }

  std::vector<Open> open_;
  tlm_utils::peq_with_get<tlm::tlm_generic_payload> ready_;
};

// Four PEs; the memory stands behind the slice of PE 1.
DeviceConfig machine(const std::string& attrs) {
  DeviceConfig config;
  config.topology_text =
      "system: { sips: { count: 1 } }\nsip: { cube_mesh: { w: 1, h: 1 } }\n"
      "cube: { pe_layout: { corners: [NW, NE, SW, SE], pe_per_corner: 1 } }\n"
      "replace:\n  - {nodes: sip0.cube0.hbm_ctrl.pe1, impl: tlm.memory, attrs: {socket: dram, " +
      attrs + "}}\n";
  return config;
}

std::uint64_t slice(std::uint64_t offset) {
  return address::PhysAddr::pe_hbm_addr(SipId(0), CubeId(0), PeId(1), offset, 6 * kGiB).value();
}

TEST(ShuffledMemory, AnswersInAnyOrderReachTheirRequests) {
  Device device("device", machine("access_bytes: 32, end_resp: early"));
  ShuffledMemory memory("dram");
  device.memory("dram").bind(memory.socket);
  std::vector<test::Transfer> transfers;
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < 60; ++i) {  // a write of each place, and a read of it when that has ended
    state = state * 1664525 + 1013904223;
    test::Transfer transfer;
    transfer.at = ns(static_cast<double>(i / 30 * 20'000 + i % 30 * 10));
    transfer.write = i < 30;
    transfer.address = slice(i % 30 * 0x1000 + 37 * (i % 30));
    transfer.data.resize(1 + 61 * (i % 30), static_cast<unsigned char>(transfer.write ? 1 + i : 0));
    transfers.push_back(transfer);
  }
  test::LtInitiator initiator("initiator", transfers);
  initiator.socket.bind(device.target("cpu0"));
  sc_core::sc_start();
  const DeviceReport report = device.finish();
  EXPECT_TRUE(report.ok) << report.error_message;
  EXPECT_THAT(report.problems, IsEmpty());
  for (std::size_t i = 0; i < 60; ++i) {
    const test::Transfer& transfer = initiator.transfers()[i];
    ASSERT_EQ(transfer.status, tlm::TLM_OK_RESPONSE) << i;
    ASSERT_EQ(transfer.data, std::vector<unsigned char>(1 + 61 * (i % 30), static_cast<unsigned char>(1 + i % 30)))
        << i;
  }
  EXPECT_EQ(memory.malformed, 0);
  EXPECT_EQ(memory.asked.size(), memory.answered.size());
  EXPECT_NE(memory.asked, memory.answered);  // the test would show nothing otherwise
  EXPECT_EQ(std::multiset<std::uint64_t>(memory.asked.begin(), memory.asked.end()),
            std::multiset<std::uint64_t>(memory.answered.begin(), memory.answered.end()));
}

TEST(ShuffledMemory, AddressesAreThoseOfTheSliceTheCubeOrTheMachine) {
  const auto first_address = [](const std::string& mode) {
    return test::in_own_process([&] {
      Device device("device", machine("access_bytes: 32, address: " + mode));
      ShuffledMemory memory("dram");
      device.memory("dram").bind(memory.socket);
      test::Transfer transfer;
      transfer.address = slice(0x1000);
      transfer.data.resize(8);
      test::LtInitiator initiator("initiator", {transfer});
      initiator.socket.bind(device.target("cpu0"));
      sc_core::sc_start();
      return memory.asked.at(0);
    });
  };
  EXPECT_EQ(first_address("slice_offset"), 0x1000u);
  EXPECT_EQ(first_address("hbm_offset"), 6 * kGiB + 0x1000);
  EXPECT_EQ(first_address("pa"), 0x2180001000u);
}

}  // namespace
}  // namespace kb
