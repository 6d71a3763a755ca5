// Choices of a machine and its message queues that configuration files, host programs, kernels and blocks share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kb {

enum class AddressModel : std::uint8_t { pa, va, la };  // what tensors are addressed by
// The order in which collectives see the SIPs (K-9); a value is what kernels get as sip_topo_kind (K-44).
enum class SipTopology : std::uint8_t { ring_1d, torus_2d, mesh_2d_no_wrap };
enum class QueueMemory : std::uint8_t { tcm, sram, hbm };  // what holds the rings (buffer_kind, Q-22)
enum class Backpressure : std::uint8_t { sleep, poll };    // of a sender without a free slot
// Credits and slot accesses are delays by formula, or transactions of their own.
enum class QueueTransport : std::uint8_t { annotated, fabric };

// What configuration files call the values of one of these, in their order.
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
