#include "modules/pe/pe_dma.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "platform/address/address_space.h"
#include "platform/address/phys_addr.h"
#include "platform/base/error.h"
#include "platform/contract/command.h"
#include "platform/contract/share_words.h"
#include "platform/elab/route_table.h"
#include "platform/record/activity_recorder.h"

namespace kb::modules {
namespace {

address::PhysAddr own_hbm(const topology::Graph& graph, const topology::Node& node) {
  return address::PhysAddr::pe_hbm_addr(node.sip, node.cube, node.pe, 0, graph.spec.hbm_slice_bytes());
}

}  // namespace

PeDma::Channels::Channels(const PeDma& dma, const char* name, payload::Op op_kind, FirstWire first_wire,
                          std::int64_t count)
    : op(op_kind), order(first_wire), engines(count), busy_probe(dma, dma.context().observer, name, 7) {}

PeDma::PeDma(const sc_core::sc_module_name& name, NodeId node, const params::PeDmaParams& params, PeContext& pe,
             elab::BlockContext& context)
    : PeFabricBlock(name, node, params.overhead.time(), pe, context),
      reliefs_(context.shared<CodeReliefs>()),
      baaw_(params.baaw_overhead.time()),
      vc_comm_(*this, pe, context),
      tcm_access_(node, pe, context,
                  {[this](payload::Transaction& transaction) { respond(transaction, now()); },
                   [this](std::uint64_t slot) { on_part_done(slot); }}),
      slice_bytes_(context.graph.spec.hbm_slice_bytes()),
      access_bytes_(pe.access_bytes),
      slice_bw_(context.graph.spec.hbm_to_router_bw),
      hbm_begin_(own_hbm(context.graph, node_record()).value()),
      hbm_begin_offset_(own_hbm(context.graph, node_record()).hbm_offset()),
      tcm_begin_(address::PhysAddr::pe_tcm_addr(node_record().sip, node_record().cube, node_record().pe, 0).value()),
      tcm_end_(tcm_begin_ + context.graph.spec.tcm_bytes_per_pe),
      queue_depth_(queue_limit(params.queue_depth)),
      read_(*this, "read_busy", payload::Op::read, FirstWire::slip, params.rd_engines * params.rd_outstanding),
      write_(*this, "write_busy", payload::Op::write, FirstWire::fifo, params.wr_engines * params.wr_outstanding),
      stripe_(pe.hbm_stripe) {
  if (params.wr_outstanding > 1) write_.in_order.resize(static_cast<std::size_t>(params.wr_engines));
  pe.vc_comm = &vc_comm_;
  if (context.graph.spec.address_model == AddressModel::la) pe.translator = &baaw_;
}

void PeDma::end_of_elaboration() {
  PeFabricBlock::end_of_elaboration();
  const topology::Graph& graph = context().graph;
  const auto bandwidth = [&](std::pair<const EdgeId*, const EdgeId*> edges) {
    for (const EdgeId* edge = edges.first; edge != edges.second; ++edge) {
      const topology::EdgeKind kind = graph.edge(*edge).kind;
      if (kind == topology::EdgeKind::pe_to_router || kind == topology::EdgeKind::router_to_pe) {
        return graph.edge(*edge).bw;
      }
    }
    return Bandwidth();
  };
  read_.link_bw = bandwidth(graph.in_edges(node()));
  write_.link_bw = bandwidth(graph.out_edges(node()));
  tcm_access_.set_wires({read_.link_bw, write_.link_bw});
  pe().activity.set_channels(read_.engines, write_.engines);
  for (const EdgeId* edge = graph.out_edges(node()).first; edge != graph.out_edges(node()).second; ++edge) {
    if (graph.edge(*edge).kind != topology::EdgeKind::pe_to_channel) continue;
    channel_routes_.push_back(&context().routes.channel(node(), graph.edge(*edge).dst));
  }
}

void PeDma::on_task(CommandTask& task) {
  Channels& channels = channels_of(task);
  channels.queue.push_back({&task, now()});
  begin_activity(PeActivity::Kind::waiting);
  serve(channels);
}

// The task is pushed to the front; the caller then serves the channel of the previous stage.
void PeDma::on_next_stage(CommandTask& task) {
  channels_of(task).queue.push_front({&task, now()});
  begin_activity(PeActivity::Kind::waiting);
}

bool PeDma::has_room(const CommandTask& task) const {
  return (task.stage.type == plan::StageType::dma_read ? read_ : write_).queue.size() < queue_depth_;
}

PeDma::Channels& PeDma::channels_of(const CommandTask& task) {
  return task.stage.type == plan::StageType::dma_read ? read_ : write_;
}

void PeDma::serve(Channels& channels) {
  while (channels.busy < channels.engines && !channels.queue.empty()) {
    const Waiting next = channels.queue.front();
    channels.queue.pop_front();
    end_activity(PeActivity::Kind::waiting);
    accumulate(channels.wait, now() - next.since);
    start(channels, next);
    admit_waiting();
  }
}

void PeDma::start(Channels& channels, const Waiting& next) {
  CommandTask& task = *next.task;
  task.start = now();
  log_stage("begins", task);
  begin_activity(channels.activity());
  channels.busy_probe.set(now(), static_cast<std::uint64_t>(++channels.busy));
  std::uint64_t slot = operations_.size();
  if (free_operations_.empty()) {
    operations_.emplace_back();
  } else {
    slot = free_operations_.back();
    free_operations_.pop_back();
  }
  try {
    plan(task);
    const bool reads = channels.op == payload::Op::read;
    if (reads && context().recorder != nullptr && reliefs_.reads_copy(context().recorder->places(), task.place())) {
      plan_copies();
    }
  } catch (const Error& error) {
    if (error.family() == ErrorFamily::model) throw;
    requests_.clear();
    copied_bytes_ = 0;
    task.status = {false, error.code(), error.what(), fault_};
  }
  operations_[slot] = {&task,
                       &channels,
                       static_cast<std::uint32_t>(requests_.size()) + (copied_bytes_ > 0 ? 1 : 0),
                       join_channel(channels, slot),
                       task.place(),
                       copied_bytes_,
                       now() - next.since};
  if (operations_[slot].outstanding == 0) {
    end_in_order(slot);
    return;
  }
  channels.requests += static_cast<std::int64_t>(requests_.size());
  const TimeFs translation = account_translation(channels);
  if (translation > 0_fs) pe().activity.translating_until(now() + translation);
  const TimeFs offered = now() + overhead() + translation;
  if (copied_bytes_ > 0) {
    channels.bytes += static_cast<std::int64_t>(copied_bytes_);
    tcm_access_.copy(copied_bytes_, offered, operations_[slot].place, slot);
  }
  for (const Request& request : requests_) {
    payload::Transaction& transaction = context().pool.acquire(channels.op, *request.route, request.pa, request.nbytes);
    transaction.place = operations_[slot].place;
    transaction.hbm_offset = request.hbm_offset;
    transaction.cookie = slot;
    transaction.initiator = this;
    channels.bytes += static_cast<std::int64_t>(request.nbytes);
    operations_[slot].bytes += request.nbytes;
    account_busy(channels, request);
    issue(transaction, offered, channels.order);
  }
}

// The memory transfers whole units of access_bytes (docs/blocks/hbm_ctrl.md).
void PeDma::account_busy(const Channels& channels, const Request& request) {
  using contract::PeResource;
  const bool reads = channels.op == payload::Op::read;
  pe().activity.moved(reads ? PeResource::read_link : PeResource::write_link,
                      channels.link_bw.occupancy(request.nbytes));
  if (request.pa - hbm_begin_ >= slice_bytes_) return;
  const std::uint64_t units = (request.nbytes + access_bytes_ - 1) / access_bytes_;
  pe().activity.moved(PeResource::hbm_slice, slice_bw_.occupancy(units * access_bytes_));
}

// equal for loads and stores and for tiles.
TimeFs PeDma::account_translation(Channels& channels) const {
  if (!translated_) {
    ++channels.fallbacks;
    return 0_fs;
  }
  ++channels.translations;
  accumulate(channels.translation_time, translator()->access_overhead());
  return translator()->access_overhead();
}

void PeDma::on_response(payload::Transaction& transaction) {
  const std::uint64_t slot = transaction.cookie;
  Operation& operation = operations_[slot];
  if (!transaction.status.ok && operation.task->status.ok) operation.task->status = transaction.status;
  context().pool.release(transaction);
  on_part_done(slot);
}

void PeDma::on_part_done(std::uint64_t slot) {
  Channels& channels = *operations_[slot].channels;
  if (--operations_[slot].outstanding > 0) return;
  end_in_order(slot);
  serve(channels);
}

// Selects the channel with the fewest operations, the first one of equal ones.
std::uint32_t PeDma::join_channel(Channels& channels, std::uint64_t slot) {
  auto& lines = channels.in_order;
  if (lines.empty()) return 0;
  const auto line =
      std::min_element(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  line->push_back(slot);
  return static_cast<std::uint32_t>(line - lines.begin());
}

void PeDma::end_in_order(std::uint64_t slot) {
  Channels& channels = *operations_[slot].channels;
  if (channels.in_order.empty()) return end(slot);
  SlidingDeque<std::uint64_t>& line = channels.in_order[operations_[slot].channel];
  while (!line.empty() && operations_[line.front()].outstanding == 0) {
    const std::uint64_t first = line.front();
    line.pop_front();
    end(first);
  }
}

void PeDma::end(std::uint64_t slot) {
  CommandTask& task = *operations_[slot].task;
  Channels& channels = *operations_[slot].channels;
  free_operations_.push_back(slot);
  end_activity(channels.activity());
  const Operation& ended = operations_[slot];
  pe().activity.held_channel(channels.activity(), ended.place, {now() - task.start, ended.wait, ended.bytes, 1});
  ++channels.commands;
  if (!task.status.ok) ++channels.failures;
  accumulate(channels.busy_time, now() - task.start);
  channels.busy_probe.set(now(), static_cast<std::uint64_t>(--channels.busy));
  ITileOwner* const owner = task.owner();
  const bool feeds = owner != nullptr && owner->transferred(task);
  if (!finish(task)) {
    // the channel counts as busy until the next block has room
    channels.busy_probe.set(now(), static_cast<std::uint64_t>(++channels.busy));
  }
  if (feeds) owner->feed_more();
}

// Only reads continue to another block.
void PeDma::on_accepted(CommandTask&) {
  read_.busy_probe.set(now(), static_cast<std::uint64_t>(--read_.busy));
  serve(read_);
}

void PeDma::on_request(payload::Transaction& transaction, TimeFs) {
  if (vc_comm_.accept(transaction)) return;
  if (transaction.op != payload::Op::message && transaction.message == nullptr) return tcm_access_.serve(transaction);
  try {
    if (!baaw_.apply(transaction.message.get())) {
      transaction.status = {false, "UNSUPPORTED",
                            node_id() + " takes reads and writes of its TCM, messages between PEs and segments only"};
    }
  } catch (const Error& error) {
    if (error.family() == ErrorFamily::model) throw;
    transaction.status = {false, error.code(), node_id() + ": " + error.what()};
  }
  respond(transaction, now());
}

}  // namespace kb::modules
