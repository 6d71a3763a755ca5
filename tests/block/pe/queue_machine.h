// PEs of one cube with message queues in a ring, and the times that the specification gives.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "modules/pe/pe_ipcq.h"
#include "platform/address/phys_addr.h"
#include "platform/elab/route_table.h"
#include "platform/routing/latency.h"
#include "tests/block/pe/pe_machine.h"

namespace kb::test {

inline constexpr TimeFs kReady = 1000 * kNs;
inline constexpr std::uint32_t kPes = 4;

struct Rings {
  QueueMemory memory = QueueMemory::tcm;
  std::uint32_t n_slots = 4;
  std::uint64_t slot_size = 4096;
};

inline PeCoord pe(std::uint32_t index) {
  return {SipId(0), CubeId(0), PeId(index)};
}

// Ring of direction d (0 = E, 1 = W) of PE i: rings are consecutive in their memory.
inline contract::QueueRing ring(const PeMachine& machine, std::uint32_t index, int direction, const Rings& rings) {
  const std::uint64_t offset = static_cast<std::uint64_t>(direction) * rings.n_slots * rings.slot_size;
  contract::QueueRing out{pe(index), rings.memory, 0, rings.n_slots, rings.slot_size};
  switch (rings.memory) {
    case QueueMemory::tcm:
      out.base_pa = machine.tcm(offset, static_cast<int>(index));
      break;
    case QueueMemory::sram:
      out.base_pa =
          address::PhysAddr::cube_sram_addr(SipId(0), CubeId(0), index * 2 * rings.n_slots * rings.slot_size + offset)
              .value();
      break;
    case QueueMemory::hbm:
      out.base_pa =
          address::PhysAddr::pe_hbm_addr(SipId(0), CubeId(0), PeId(index), offset, machine.slice_bytes()).value();
      break;
  }
  return out;
}

inline modules::PeIpcq::Senders senders_of(const contract::QueuePlan& plan) {
  modules::PeIpcq::Senders senders;
  for (const contract::PeQueues& queues : plan.pes) {
    for (const contract::QueuePair& pair : queues.pairs) senders[pair.peer->base_pa] = queues.pe;
  }
  return senders;
}

class QueueMachine final : public PeMachine {
 public:
  explicit QueueMachine(const Rings& geometry = {}, contract::QueuePlan rules = {},
                        std::vector<std::pair<std::string, std::string>> set = {})
      : PeMachine(options(std::move(set))), rings(geometry), plan(std::move(rules)) {
    for (std::uint32_t i = 0; i < kPes; ++i) {  // a ring of all PEs
      const std::uint32_t east = (i + 1) % kPes, west = (i + kPes - 1) % kPes;
      plan.pes.push_back({pe(i),
                          {{"E", ring(*this, east, 1, rings), ring(*this, i, 0, rings)},
                           {"W", ring(*this, west, 0, rings), ring(*this, i, 1, rings)}}});
    }
    install();
  }
  void install() {
    const modules::PeIpcq::Senders senders = senders_of(plan);
    for (const contract::PeQueues& queues : plan.pes) ipcq(queues.pe.pe.value).install(queues, plan, senders);
  }
  modules::PeIpcq& ipcq(std::uint32_t index) {
    return platform->block_as<modules::PeIpcq>(node("sip0.cube0.pe" + std::to_string(index) + ".pe_ipcq"));
  }
  TimeFs now() { return platform->scheduler().now(); }
  // Runs `body` on PE i, kReady from now.
  void on(std::uint32_t index, std::function<void(contract::IPe&)> body) {
    const TimeFs at = now() + kReady;
    const std::string name = "kernel" + std::to_string(index) + " at " + std::to_string(at.fs());
    kernels.add(name, std::move(body));
    launch(name, at, at, static_cast<int>(index));
  }

  // Times by the specification, computed from the graph.
  const routing::Route& route(std::uint32_t from, std::uint32_t to) {
    const auto dma = [&](std::uint32_t i) { return node("sip0.cube0.pe" + std::to_string(i) + ".pe_dma"); };
    return platform->routes().router().find_path(dma(from), dma(to));
  }
  TimeFs transfer(std::uint32_t from, std::uint32_t to, std::uint64_t nbytes) {
    return routing::one_flit_latency_fs(graph(), route(from, to), std::min<std::uint64_t>(nbytes, 256));
  }

  Rings rings;
  contract::QueuePlan plan;

 private:
  static MachineOptions options(std::vector<std::pair<std::string, std::string>> set) {
    MachineOptions out;
    out.pes = static_cast<int>(kPes);
    out.set = std::move(set);
    return out;
  }
};

inline contract::Command send(const contract::IPe& self, const std::string& direction, std::uint64_t nbytes) {
  contract::Command command;
  command.kind = contract::CommandKind::ipcq_send;
  command.direction = direction;
  command.local = {{self.info().scratch_pa, nbytes}};
  command.call = "send";
  return command;
}
inline contract::Command recv(const contract::IPe& self, const std::string& direction, std::uint64_t nbytes) {
  contract::Command command = send(self, direction, nbytes);
  command.kind = contract::CommandKind::ipcq_recv;
  command.local = {{self.info().message_base, nbytes}};
  command.call = "recv";
  return command;
}

}  // namespace kb::test
