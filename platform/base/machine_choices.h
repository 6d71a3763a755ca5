// Options of a machine and its message queues that configuration files, host programs, kernels and blocks share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kb {

enum class AddressModel : std::uint8_t { pa, va, la };  // address type of tensors
// Arrangement of the SIPs in collectives (K-9); kernels get the value as sip_topo_kind (K-44).
enum class SipTopology : std::uint8_t { ring_1d, torus_2d, mesh_2d_no_wrap };
enum class QueueMemory : std::uint8_t { tcm, sram, hbm };  // memory that holds the rings (buffer_kind, Q-22)
enum class Backpressure : std::uint8_t { sleep, poll };    // behaviour of a sender without a free slot
// Credits and slot accesses are either delays by formula or separate transactions.
enum class QueueTransport : std::uint8_t { annotated, fabric };

// Names of an enumeration's values in configuration files, in the order of the values.
template <typename Choice>
const std::vector<std::string>& names_of();
template <>
const std::vector<std::string>& names_of<AddressModel>();
template <>
const std::vector<std::string>& names_of<SipTopology>();
template <>
const std::vector<std::string>& names_of<QueueMemory>();
template <>
const std::vector<std::string>& names_of<Backpressure>();
template <>
const std::vector<std::string>& names_of<QueueTransport>();

template <typename Choice>
const std::string& name_of(Choice value) {
  return names_of<Choice>().at(static_cast<std::size_t>(value));
}

}  // namespace kb
