// Types of AXI4 signals as in Verilator's --sc: bool for one bit, std::uint32_t up to 32 bits, std::uint64_t up to 64,
// sc_bv<N> above.
#pragma once

#include <cstdint>
#include <cstring>
#include <systemc>
#include <tlm>
#include <type_traits>

namespace kb {

template <unsigned kBits>
using AxiWord =
    std::conditional_t<kBits == 1, bool,
                       std::conditional_t<kBits <= 32, std::uint32_t,
                                          std::conditional_t<kBits <= 64, std::uint64_t, sc_dt::sc_bv<kBits>>>>;

enum class AxiResponse : std::uint32_t { okay = 0, slave_error = 2, decode_error = 3 };

inline AxiResponse axi_response(tlm::tlm_response_status status) {
  if (status == tlm::TLM_OK_RESPONSE) return AxiResponse::okay;
  return status == tlm::TLM_ADDRESS_ERROR_RESPONSE ? AxiResponse::decode_error : AxiResponse::slave_error;
}

// AWSIZE and ARSIZE for beats of 1, 2, 4, .. bytes.
constexpr std::uint32_t axi_size(std::uint64_t bytes) {
  return bytes <= 1 ? 0 : 1 + axi_size(bytes / 2);
}

// Copies the byte lanes of a data signal, the lowest first; `bytes` has room for kBits / 8 bytes.
template <unsigned kBits>
void axi_lanes(const AxiWord<kBits>& word, unsigned char* bytes) {
  if constexpr (kBits <= 64) {
    std::memcpy(bytes, &word, kBits / 8);
  } else {
    for (unsigned i = 0; i < kBits / 32; ++i) {
      const std::uint32_t part = word.get_word(static_cast<int>(i));
      std::memcpy(bytes + 4 * i, &part, sizeof part);
    }
  }
}
template <unsigned kBits>
AxiWord<kBits> axi_word(const unsigned char* bytes) {
  AxiWord<kBits> word{};
  if constexpr (kBits <= 64) {
    std::memcpy(&word, bytes, kBits / 8);
  } else {
    for (unsigned i = 0; i < kBits / 32; ++i) {
      std::uint32_t part = 0;
      std::memcpy(&part, bytes + 4 * i, sizeof part);
      word.set_word(static_cast<int>(i), part);
    }
  }
  return word;
}

}  // namespace kb
