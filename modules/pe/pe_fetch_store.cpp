#include "modules/pe/pe_fetch_store.h"

#include "platform/base/error.h"

namespace kb::modules {
namespace {

std::size_t unit_of(const PeFetchStore& block, const CommandTask& task) {
  if (task.stage.type == plan::StageType::fetch) return static_cast<std::size_t>(TcmDirection::read);
  if (task.stage.type == plan::StageType::store) return static_cast<std::size_t>(TcmDirection::write);
  throw Error::model(block.node_id() + " fetches and stores; it was asked to do a stage of type " +
                     std::string(plan::stage_type_name(task.stage.type)));
}

PeActivity::Kind activity_of(std::size_t unit) {
  return unit == static_cast<std::size_t>(TcmDirection::read) ? PeActivity::Kind::fetch : PeActivity::Kind::store;
}

}  // namespace

PeFetchStore::PeFetchStore(const sc_core::sc_module_name& name, NodeId node, const params::PeFetchStoreParams& params,
                           PeContext& pe, elab::BlockContext& context)
    : PeBlock(name, node, pe, context),
      overhead_(params.overhead.time()),
      queue_depth_(queue_limit(params.queue_depth)) {}

void PeFetchStore::bind_out(EdgeId edge, elab::Block& neighbour) {
  if (neighbour.node_record().kind == topology::NodeKind::pe_tcm) {
    link_bw_ = context().graph.edge(edge).bw;
  }
  PeBlock::bind_out(edge, neighbour);
}

void PeFetchStore::on_task(CommandTask& task) {
  const std::size_t unit = unit_of(*this, task);
  units_[unit].queue.push_back(&task);
  if (units_[unit].serving == nullptr) serve(unit);
}

bool PeFetchStore::has_room(const CommandTask& task) const {
  return units_[unit_of(*this, task)].queue.size() < queue_depth_;
}

void PeFetchStore::serve(std::size_t index) {
  Unit& unit = units_[index];
  unit.serving = unit.queue.front();
  unit.queue.pop_front();
  unit.since = now();
  unit.phase = Phase::overhead;
  begin_activity(activity_of(index));
  log_stage("begins", *unit.serving);
  if (overhead_ > 0_fs) {
    scheduler().schedule(now() + overhead_, *this, index);
  } else {
    access_tcm(index);
  }
  admit_waiting();
}

void PeFetchStore::access_tcm(std::size_t index) {
  Unit& unit = units_[index];
  const std::uint64_t nbytes = unit.serving->stage.nbytes;
  TcmRequest& request = TcmRequest::of(*unit.serving);
  request.direction = static_cast<TcmDirection>(index);
  request.nbytes = nbytes;
  unit.bytes += static_cast<std::int64_t>(nbytes);
  unit.link_free = now() + link_bw_.occupancy(nbytes);
  unit.phase = Phase::tcm;
  send(topology::NodeKind::pe_tcm, *unit.serving);
}

void PeFetchStore::on_answer(CommandTask& task) {
  const std::size_t index = unit_of(*this, task);
  Unit& unit = units_[index];
  unit.phase = Phase::link;
  if (unit.link_free > now()) {
    scheduler().schedule(unit.link_free, *this, index);
  } else {
    complete(index);
  }
}

void PeFetchStore::on_event(TimeFs, std::uint64_t index) {
  if (units_[index].phase == Phase::link) {
    complete(index);
  } else {
    access_tcm(index);
  }
}

void PeFetchStore::complete(std::size_t index) {
  Unit& unit = units_[index];
  CommandTask& task = *unit.serving;
  end_activity(activity_of(index));
  ++unit.commands;
  const TimeFs start = unit.since;
  unit.busy += now() - start;
  pe().activity.accessed_tcm(activity_of(index), task.place(), task.stage.nbytes, start, now());
  const bool fetched = task.stage.type == plan::StageType::fetch;
  if (fetched && task.owner() != nullptr) task.owner()->inputs_fetched(task);
  unit.phase = Phase::stalled;
  if (finish_stage(task, start)) serve_next(index);
}

// FETCH is followed by an engine and STORE by PE_DMA: the stage of the accepted task tells which of the two finished.
void PeFetchStore::on_accepted(CommandTask& task) {
  const bool computes = block_of(task.stage) != topology::NodeKind::pe_dma;
  serve_next(static_cast<std::size_t>(computes ? TcmDirection::read : TcmDirection::write));
}

void PeFetchStore::serve_next(std::size_t index) {
  units_[index].serving = nullptr;
  if (!units_[index].queue.empty()) serve(index);
}

void PeFetchStore::collect_statistics(std::vector<elab::Statistic>& statistics) const {
  if (queue_full_time() > 0_fs) statistics.push_back({"queue_full", queue_full_time()});
  const char* const names[2][3] = {{"fetches", "fetch_bytes", "fetch_busy"}, {"stores", "store_bytes", "store_busy"}};
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const Unit& unit = units_[i];
    if (unit.commands == 0) continue;
    statistics.push_back({names[i][0], unit.commands, "1"});
    statistics.push_back({names[i][1], unit.bytes, "B"});
    statistics.push_back({names[i][2], unit.busy});
  }
}

}  // namespace kb::modules
