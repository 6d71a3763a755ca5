#include "priority_router.h"

#include <iterator>

namespace example {

const kb::params::FieldTable& PriorityRouterParams::fields() {
  using P = PriorityRouterParams;
  static const kb::params::FieldTable table =
      kb::params::Fields<P>()
          .add("urgent_bytes", &P::urgent_bytes, kb::at_least(0, 1e9), "messages of at most so many bytes go first")
          .table();
  return table;
}

PriorityRouter::PriorityRouter(const sc_core::sc_module_name& name, kb::NodeId node,
                               const kb::params::ForwardingParams& kind, const PriorityRouterParams& params,
                               kb::elab::BlockContext& context)
    : ArrivalNode(name, node, context),
      overhead_(kind.overhead.time()),
      urgent_bytes_(static_cast<std::uint64_t>(params.urgent_bytes)),
      outlets_(port_count()) {}

void PriorityRouter::on_arrival(const Arrival& flit) {
  const kb::TimeFs ready = flit.time() + overhead_;
  if (flit.is_message()) {  // takes no time of the wire
    depart(flit, ready);
    return;
  }
  Outlet& outlet = outlets_[flit.out_port()];
  auto& queue = flit.transaction().bytes <= urgent_bytes_ ? outlet.urgent : outlet.others;
  auto place = queue.end();
  while (place != queue.begin() && std::prev(place)->at > ready) --place;
  queue.insert(place, {ready, flit});
  wake_at(ready);
}

void PriorityRouter::on_wake() {
  for (std::uint16_t port = 0; port < port_count(); ++port) serve(port);
}

void PriorityRouter::serve(std::uint16_t out_port) {
  Outlet& outlet = outlets_[out_port];
  const auto is_ready = [&](const std::deque<Ready>& queue) { return !queue.empty() && queue.front().at <= now(); };
  if (!is_ready(outlet.urgent) && !is_ready(outlet.others)) return;
  if (wire_free(out_port) > now()) {
    wake_at(wire_free(out_port));
    return;
  }
  const bool urgent = is_ready(outlet.urgent);
  if (urgent && is_ready(outlet.others) && outlet.others.front().at < outlet.urgent.front().at) ++overtaken_;
  auto& queue = urgent ? outlet.urgent : outlet.others;
  depart(queue.front().flit, now());
  queue.pop_front();
}

void PriorityRouter::on_departure(const Arrival& flit) {
  if (!flit.is_message()) wake_at(wire_free(flit.out_port()));
}

void PriorityRouter::collect_statistics(std::vector<kb::elab::Statistic>& statistics) const {
  ArrivalNode::collect_statistics(statistics);
  if (overtaken_ > 0) statistics.push_back({"overtaken_flits", overtaken_, "flits"});
}

}  // namespace example
