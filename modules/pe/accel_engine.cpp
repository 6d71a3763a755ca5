#include "modules/pe/accel_engine.h"

#include <algorithm>
#include <utility>

#include "platform/base/error.h"
#include "platform/elab/foreign_call.h"

namespace kb::modules {
namespace {

engine::EngineId engine_of_node(const topology::Node& node) {
  if (const auto engine = topology::engine_of(node.kind)) return *engine;
  throw Error::model(node.id + " derives from AccelEngine, but its kind is that of no engine");
}

}  // namespace

AccelEngine::AccelEngine(const sc_core::sc_module_name& name, NodeId node, TimeFs overhead, std::int64_t queue_depth,
                         params::SharedResource shared, PeContext& pe, elab::BlockContext& context)
    : PeBlock(name, node, pe, context),
      overhead_(overhead),
      foreign_(node_record().foreign),
      engine_(engine_of_node(node_record())),
      queue_depth_(queue_limit(queue_depth)),
      slot_(shared == params::SharedResource::accel_slot ? pe.accel_slot : own_slot_),
      busy_probe_(*this, context.observer, "busy", 1) {}

void AccelEngine::on_task(CommandTask& task) {
  if (task.held_slot == &slot_) {
    if (stalled_) {
      deferred_ = &task;
    } else {
      start(task);
    }
    return;
  }
  arrivals_.push_back(now());
  slot_.request(*this, task);
}

void AccelEngine::on_grant(CommandTask& task) {
  accumulate(slot_wait_, now() - arrivals_.front());
  arrivals_.pop_front();
  start(task);
  admit_waiting();
}

void AccelEngine::start(CommandTask& task) {
  running_ = &task;
  begin_activity(engine_, task.place());
  task.start = now();
  log_stage("begins", task);
  busy_probe_.set(now(), 1);
  scheduler().schedule(now() + std::max(overhead_, foreign_ ? foreign_work(task) : work(task)), *this);
}

TimeFs AccelEngine::foreign_work(CommandTask& task) {
  TimeFs time;
  elab::call_block(node_record(), scheduler(), [&] { time = work(task); });
  return time;
}

void AccelEngine::on_event(TimeFs now, std::uint64_t) {
  CommandTask& task = *running_;
  running_ = nullptr;
  end_activity(engine_);
  ++commands_;
  busy_ += now - task.start;
  busy_probe_.set(now, 0);
  AccelSlot* const kept = std::exchange(task.held_slot, task.stage.keeps_slot ? task.held_slot : nullptr);
  const bool keeps = task.stage.keeps_slot;
  if (keeps && kept == nullptr) task.held_slot = &slot_;
  const bool keeps_this = task.held_slot == &slot_;
  stalled_ = !finish(task);
  if (stalled_) begin_activity(PeActivity::Kind::queue_full);
  if (!keeps_this) slot_.release();
  if (!keeps && kept != nullptr && kept != &slot_) kept->release();
}

// The slot holder always has room, because no other command can be running.
bool AccelEngine::has_room(const CommandTask& task) const {
  return task.held_slot == &slot_ || arrivals_.size() < queue_depth_;
}

void AccelEngine::on_accepted(CommandTask&) {
  stalled_ = false;
  end_activity(PeActivity::Kind::queue_full);
  if (deferred_ != nullptr) {
    start(*std::exchange(deferred_, nullptr));
  } else {
    slot_.offer();
  }
}

void AccelEngine::collect_statistics(std::vector<elab::Statistic>& statistics) const {
  if (commands_ == 0) return;
  statistics.push_back({"commands", commands_, "1"});
  statistics.push_back({"busy", busy_});
  statistics.push_back({"slot_wait", slot_wait_});
  if (queue_full_time() > 0_fs) statistics.push_back({"queue_full", queue_full_time()});
}

}  // namespace kb::modules
