#include "modules/pe/pe_tcm.h"

#include <algorithm>

#include "platform/base/error.h"

namespace kb::modules {

TcmRequest& TcmRequest::of(CommandTask& task) {
  auto* request = task.payload().get_extension<TcmRequest>();
  if (request == nullptr) {
    request = new TcmRequest;
    task.payload().set_extension(request);
  }
  return *request;
}

namespace {

resource::Declaration dma_declaration(const char* name) {
  return {
      name,
      resource::Role::tcm,
      1,
      "PE_DMA uses the port, for accesses from outside and for copies inside.",
      {{"order", resource::CauseClass::order, "the port of the TCM served other accesses, FETCH and STORE included"}},
      resource::Told::ahead};
}

}  // namespace

PeTcm::Port::Port(PeTcm& tcm, const char* name, const char* resource, Bandwidth bandwidth)
    : bw(bandwidth), busy_probe(tcm, tcm.context().observer, name, 1), by_dma(tcm.declare(dma_declaration(resource))) {}

PeTcm::PeTcm(const sc_core::sc_module_name& name, NodeId node, const params::PeTcmParams& params, PeContext& pe,
             elab::BlockContext& context)
    : PeBlock(name, node, pe, context),
      ports_{Port(*this, "read_busy", "dma_read", params.read_bw),
             Port(*this, "write_busy", "dma_write", params.write_bw)} {
  pe.tcm = this;
}

void PeTcm::on_task(CommandTask& task) {
  const auto* const request = task.payload().get_extension<TcmRequest>();
  if (request == nullptr) throw Error::model(node_id() + " was given a task that asks nothing of a TCM");
  const auto port = static_cast<std::size_t>(request->direction);
  if (port >= ports_.size()) {
    throw Error::model(node_id() + ": the direction of a TCM request must be read or write");
  }
  enqueue(port, {&task, nullptr, 0, request->nbytes, ports_[port].bw.occupancy(request->nbytes), now()});
}

TimeFs PeTcm::occupancy(TcmDirection direction, std::uint64_t nbytes) const {
  return ports_[static_cast<std::size_t>(direction)].bw.occupancy(nbytes);
}

void PeTcm::access(TcmDirection direction, std::uint64_t nbytes, TimeFs time, account::PlaceId place, IUser& user,
                   std::uint64_t cookie) {
  Port& port = ports_[static_cast<std::size_t>(direction)];
  const TimeFs begin = std::max(now(), port.free_at);
  port.by_dma.use(0, begin, time_sum(begin, time), place, nbytes, {{0, begin - now()}});
  enqueue(static_cast<std::size_t>(direction), {nullptr, &user, cookie, nbytes, time, now()});
}

void PeTcm::enqueue(std::size_t port, const Waiting& waiting) {
  ports_[port].queue.push_back(waiting);
  ports_[port].free_at = time_sum(std::max(now(), ports_[port].free_at), waiting.time);
  if (!ports_[port].busy_now) serve(port);
}

void PeTcm::serve(std::uint64_t index) {
  Port& port = ports_[index];
  const Waiting next = port.queue.front();
  port.queue.pop_front();
  port.serving = next;
  port.busy_now = true;
  accumulate(port.wait, now() - next.since);
  accumulate(port.busy, next.time);
  port.bytes += static_cast<std::int64_t>(next.nbytes);
  ++port.requests;
  port.busy_probe.set(now(), 1);
  scheduler().schedule(now() + next.time, *this, index);
}

void PeTcm::on_event(TimeFs now, std::uint64_t index) {
  Port& port = ports_[index];
  const Waiting served = port.serving;
  port.busy_now = false;
  if (port.queue.empty()) {
    port.busy_probe.set(now, 0);
  } else {
    serve(index);
  }
  if (served.task != nullptr) {
    answer(*served.task);
  } else {
    served.user->on_tcm_access(static_cast<TcmDirection>(index), served.cookie);
  }
}

void PeTcm::collect_statistics(std::vector<elab::Statistic>& statistics) const {
  const char* const names[2][4] = {{"reads", "read_bytes", "read_busy", "read_wait"},
                                   {"writes", "write_bytes", "write_busy", "write_wait"}};
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const Port& port = ports_[i];
    if (port.requests == 0) continue;
    statistics.push_back({names[i][0], port.requests, "1"});
    statistics.push_back({names[i][1], port.bytes, "B"});
    statistics.push_back({names[i][2], port.busy});
    statistics.push_back({names[i][3], port.wait});
  }
}

}  // namespace kb::modules
