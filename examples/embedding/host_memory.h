// Host memory: a loosely timed target, as in most virtual platforms.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <cstring>
#include <systemc>
#include <tlm>
#include <vector>

class HostMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<HostMemory> socket{"socket"};

  HostMemory(const sc_core::sc_module_name& name, std::size_t bytes) : sc_core::sc_module(name), bytes_(bytes) {
    socket.register_b_transport(this, &HostMemory::access);
  }

  // Pointer with which the program on the host CPU accesses its memory.
  template <typename T>
  T* at(std::uint64_t address) {
    return reinterpret_cast<T*>(bytes_.data() + address);
  }

 private:
  void access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const std::uint64_t address = payload.get_address();
    const std::size_t length = payload.get_data_length();
    if (length > bytes_.size() || address > bytes_.size() - length) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    if (payload.is_read()) {
      std::memcpy(payload.get_data_ptr(), bytes_.data() + address, length);
    } else {
      std::memcpy(bytes_.data() + address, payload.get_data_ptr(), length);
    }
    delay += sc_core::sc_time(60, sc_core::SC_NS) + sc_core::sc_time(static_cast<double>(length) / 32, sc_core::SC_NS);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  std::vector<unsigned char> bytes_;
};
