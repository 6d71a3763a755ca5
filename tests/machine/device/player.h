// A scripted external initiator.
#pragma once

#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "platform/address/phys_addr.h"
#include "platform/base/units.h"
#include "sim/ports/device/device.h"

namespace kb::test {

inline std::uint64_t hbm(std::uint64_t offset) {
  return address::PhysAddr::pe_hbm_addr(SipId(0), CubeId(0), PeId(0), offset, 6 * kGiB).value();
}

inline sc_core::sc_time ns(double value) {
  return {value, sc_core::SC_NS};
}

inline DeviceConfig one_pe() {
  DeviceConfig config;
  config.topology = KB_CONFIG_DIR "/one_pe.yaml";
  return config;
}

// A device that reports failures as warnings and continues.
inline DeviceConfig lenient(DeviceConfig config) {
  config.on_failure = "warning";
  return config;
}

// Executes a script in a thread; backward-path calls are recorded in `heard` and passed to `answer`.
class Player final : public sc_core::sc_module, public tlm::tlm_bw_transport_if<>, public tlm::tlm_mm_interface {
 public:
  Player(const sc_core::sc_module_name& name, std::function<void(Player&)> script)
      : sc_core::sc_module(name), script_(std::move(script)) {
    SC_HAS_PROCESS(Player);
    SC_THREAD(run);
    socket.bind(*this);
  }
  tlm::tlm_initiator_socket<32> socket{"socket"};
  std::function<tlm::tlm_sync_enum(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&)> answer;
  std::vector<std::pair<std::string, sc_core::sc_time>> heard;  // phases
  bool done = false;

  tlm::tlm_generic_payload& payload(bool write, std::uint64_t address, unsigned length) {
    tlm::tlm_generic_payload& payload = payloads_.emplace_back(this);
    payload.acquire();
    fill(payload, write, address, length);
    return payload;
  }
  void fill(tlm::tlm_generic_payload& payload, bool write, std::uint64_t address, unsigned length) {
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(data_);
    payload.set_data_length(length);
    payload.set_streaming_width(length);
  }
  tlm::tlm_response_status access(bool write, std::uint64_t address, unsigned length = 8) {
    tlm::tlm_generic_payload payload;
    fill(payload, write, address, length);
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
    return payload.get_response_status();
  }
  std::uint32_t reg(bool write, std::uint32_t offset, std::uint32_t value = 0) {
    std::memcpy(data_, &value, sizeof value);
    EXPECT_EQ(access(write, offset, 4), tlm::TLM_OK_RESPONSE);
    std::memcpy(&value, data_, sizeof value);
    return value;
  }
  void send(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase, sc_core::sc_time delay = {}) {
    socket->nb_transport_fw(payload, phase, delay);
  }

 private:
  void run() {
    script_(*this);
    done = true;
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    heard.emplace_back(phase.get_name(), sc_core::sc_time_stamp());
    if (answer) return answer(payload, phase, delay);
    return phase == tlm::BEGIN_RESP ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  void free(tlm::tlm_generic_payload*) override {}

  std::function<void(Player&)> script_;
  std::deque<tlm::tlm_generic_payload> payloads_;
  unsigned char data_[4096] = {};
};

}  // namespace kb::test
