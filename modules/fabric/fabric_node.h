// Base of every block on the fabric: ports, sockets, the sending side of its edges, and the four AT timing points.
#pragma once

#include <memory>
#include <vector>

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include "modules/fabric/channel.h"
#include "modules/fabric/flit_run.h"
#include "platform/elab/block.h"
#include "platform/payload/protocol.h"
#include "platform/payload/transaction.h"

namespace kb::modules {

// A port stands for one neighbour: the edge to it (a Channel) and the edge from it. Requests to the neighbour use this
// node's initiator socket, responses to it the backward path of the neighbour's; both share the port's channel.
class FabricNode : public elab::Block, protected Channel::ICutHandler {
 public:
  tlm_utils::multi_passthrough_initiator_socket<FabricNode, 32, payload::FabricProtocol> out;
  tlm_utils::multi_passthrough_target_socket<FabricNode, 32, payload::FabricProtocol> in;

  FabricNode(const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context);

  void bind_out(EdgeId edge, elab::Block& neighbour) override;
  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;

  // Flit-hops this node has sent (for speed figures); settles all channels up to now.
  std::uint64_t flit_hops();

 protected:
  // What arrives. Times are absolute and not before now; the run's in_port, hop and leg are filled in.
  virtual void on_flits(const FlitRun& flits) = 0;
  virtual void on_message(payload::Transaction& transaction, const FlitRun& message) = 0;
  // Flits with index >= first of a leg will not come as promised.
  virtual void on_withdrawn(std::uint16_t port, payload::Transaction& transaction, payload::Leg leg,
                            std::uint32_t first) = 0;

  // Sending. All commits of one wake are gathered and sent by flush() as few segments as possible.
  void commit(const FlitRun& flits, TimeFs floor);
  void cut(std::uint16_t port, const ArrivalKey& limit);
  void send_message(std::uint16_t port, payload::Transaction& transaction, payload::Leg leg, std::uint16_t hop,
                    TimeFs ready, const ArrivalKey& key);
  void slip_message(std::uint16_t port, payload::Transaction& transaction, payload::Leg leg, std::uint16_t hop,
                    TimeFs ready);
  void flush();
  // END_REQ or END_RESP for a leg whose last flit is here.
  void send_end(std::uint16_t port, payload::Transaction& transaction, payload::Leg leg);

  // Where withdrawn flits of a committed run go; called by cut().
  virtual void take_back(const FlitRun& flits) = 0;

  std::uint16_t port_count() const { return static_cast<std::uint16_t>(ports_.size()); }
  Channel& channel(std::uint16_t port) { return ports_[port].channel; }
  const Channel& channel(std::uint16_t port) const { return ports_[port].channel; }
  // Out-port of a leg at this node; kTerminal when the leg ends here.
  static constexpr std::uint16_t kTerminal = 0xffff;
  static std::uint16_t next_port(const payload::Transaction& transaction, payload::Leg leg, std::uint16_t hop) {
    const payload::FabricRoute& route = *transaction.route;
    if (leg == payload::Leg::request) return hop == route.last_hop() ? kTerminal : route.forward_port[hop];
    return hop == 0 ? kTerminal : route.reverse_port[hop];
  }

  void end_of_elaboration() override;
  void end_of_simulation() override;

 private:
  struct Port {
    Channel channel;
    tlm::tlm_fw_nonblocking_transport_if<tlm::tlm_generic_payload, tlm::tlm_phase>* forward = nullptr;
    tlm::tlm_bw_nonblocking_transport_if<tlm::tlm_generic_payload, tlm::tlm_phase>* backward = nullptr;
    NodeId neighbour;
    int out_index = -1;  // in `out`
    int in_index = -1;   // in `in`
    elab::SignalId busy_signal = elab::kNoSignal;
    elab::SignalId queue_signal = elab::kNoSignal;
  };

  tlm::tlm_sync_enum receive_forward(int index, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  tlm::tlm_sync_enum receive_backward(int index, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                      sc_core::sc_time& delay);
  tlm::tlm_sync_enum receive(std::uint16_t port, tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase);
  unsigned transport_debug(int index, tlm::tlm_generic_payload& payload);
  void on_cut(const FlitRun& withdrawn) override;
  void emit(std::uint16_t port, payload::Transaction& transaction, const payload::Segment& segment);
  void transmit(std::uint16_t port, payload::Transaction& transaction, const payload::Segment& segment,
                const tlm::tlm_phase& phase);

  std::vector<Port> ports_;
  std::vector<std::uint16_t> port_of_out_, port_of_in_;

  // The latest segment, held back because the next commit may continue it.
  payload::Transaction* held_transaction_ = nullptr;
  payload::Segment held_;
  std::uint16_t held_port_ = 0;

  // Withdrawals of the cuts in progress, latest flits first; consecutive runs of one leg become one SHORTEN.
  struct Withdrawal {
    payload::Transaction* transaction;
    payload::Segment segment;
  };
  std::vector<Withdrawal> withdrawals_;
  std::size_t withdrawal_base_ = 0;
};

}  // namespace kb::modules
