#include "fixed_priority.h"

#include <algorithm>

namespace example {

using kb::TimeFs;
using kb::resource::CauseClass;

namespace {

enum GrantCause : std::size_t { kInTurn, kOvertaken };
kb::resource::Declaration grant_declaration(std::size_t wires) {
  return {"grant",
          kb::resource::Role::queue,
          static_cast<std::uint32_t>(wires),
          "A flit has been granted the wire.",
          {{"turn", CauseClass::order, "flits that were ready before had the wire"},
           {"priority", CauseClass::conflict, "flits of inputs with priority overtook them"}}};
}

}  // namespace

FixedPriority::FixedPriority(const sc_core::sc_module_name& name, kb::NodeId node,
                             const kb::params::ForwardingParams& kind, kb::elab::BlockContext& context)
    : ArrivalNode(name, node, context),
      overhead_(kind.overhead.time()),
      outlets_(port_count()),
      grant_(declare(grant_declaration(port_count()))) {
  for (Outlet& outlet : outlets_) outlet.inputs.resize(port_count());
}

void FixedPriority::on_arrival(const Arrival& flit) {
  const TimeFs ready = flit.time() + overhead_;
  if (flit.is_message()) {  // takes no time of the wire
    depart(flit, ready);
    return;
  }
  outlets_[flit.out_port()].inputs[flit.in_port()].push_back({flit, ready, {}});
  wake_at(ready);
}

void FixedPriority::on_wake() {
  for (std::uint16_t port = 0; port < port_count(); ++port) grant(port);
}

void FixedPriority::grant(std::uint16_t out_port) {
  Outlet& outlet = outlets_[out_port];
  const auto is_ready = [&](const std::deque<Waiting>& input) {
    return !input.empty() && input.front().ready <= now();
  };
  const auto first = std::find_if(outlet.inputs.begin(), outlet.inputs.end(), is_ready);
  if (first == outlet.inputs.end() || outlet.leaving) return;
  if (wire_free(out_port) > now()) {
    wake_at(wire_free(out_port));
    return;
  }
  outlet.granted = first->front();
  first->pop_front();
  outlet.leaving = true;
  depart(outlet.granted.flit, now());
}

// The wire is taken until wire_free(): that is the use, and what all others that are ready wait for.
void FixedPriority::on_departure(const Arrival& flit) {
  if (flit.is_message()) return;
  Outlet& outlet = outlets_[flit.out_port()];
  const TimeFs until = wire_free(flit.out_port()), waited = now() - outlet.granted.ready;
  grant_.use(flit.out_port(), now(), until, flit.transaction().place, flit.bytes(),
             {{kInTurn, waited - outlet.granted.overtaken}, {kOvertaken, outlet.granted.overtaken}});
  for (std::deque<Waiting>& input : outlet.inputs) {
    for (Waiting& other : input) {
      if (other.ready <= now() && outlet.granted.ready > other.ready) other.overtaken += until - now();
    }
  }
  outlet.leaving = false;
  wake_at(until);
}

}  // namespace example
