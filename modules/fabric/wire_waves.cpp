#include "modules/fabric/wire_waves.h"

namespace kb::modules {

WireWaves::WireWaves(contract::ISignalObserver& observer, const std::string& node, const std::string& wire)
    : observer_(observer), flits_(observer.detail() == contract::WaveDetail::flit) {
  const auto declare = [&](Line& line, const contract::SignalInfo& info) {
    line.signal = observer.declare(info);
    wanted_ = wanted_ || line.signal != contract::kNoSignal;
  };
  if (!flits_) {
    declare(busy_, {node, "", wire + ".busy", 1, {}});
    declare(queue_, {node, "", wire + ".queue", kQueueBits, {}});
    return;
  }
  declare(busy_, {node, wire, "valid", 1, {}});
  declare(first_, {node, wire, "first", 1, {}});
  declare(last_, {node, wire, "last", 1, {}});
  declare(transaction_, {node, wire, "txn", kTransactionBits, {}});
  declare(flit_, {node, wire, "flit", kFlitBits, {}});
  declare(op_, {node, wire, "op", 2, {"read", "write", "message"}});
  declare(leg_, {node, wire, "leg", 1, {"request", "response"}});
  declare(queue_, {node, wire, "queue", kQueueBits, {}});
}

void WireWaves::add(const ShownFlit& flit) {
  if (flit.end == flit.start) return;
  if (flit.start != busy_until_) show_idle();
  busy_until_ = flit.end;
  set(busy_, flit.start, 1);
  if (flits_) show_flit(flit);
  show_starts(flit.ready);
  if (flit.start == flit.ready) return;
  starts_.push_back(flit.start);
  set(queue_, flit.ready, std::min(starts_.size(), kMaxShown));
}

void WireWaves::show_until(TimeFs until) {
  if (busy_until_ < until) show_idle();
  show_starts(until - 1_fs);
  report_before(until);
}

void WireWaves::finish() {
  show_idle();
  show_starts(kNever);
  report_before(kNever);
}

void WireWaves::report_before(TimeFs until) {
  for (Line* line : {&busy_, &queue_, &first_, &last_, &transaction_, &flit_, &op_, &leg_}) {
    if (line->at < until) report(*line);
  }
}

void WireWaves::show_idle() {
  set(busy_, busy_until_, 0);
  if (!flits_) return;
  set(first_, busy_until_, 0);
  set(last_, busy_until_, 0);
}

void WireWaves::show_flit(const ShownFlit& flit) {
  const TimeFs start = flit.start;
  set(first_, start, flit.index() == 0 ? 1 : 0);
  set(last_, start, flit.ends_leg() ? 1 : 0);
  set(transaction_, start, flit.transaction.id % (std::uint64_t{1} << kTransactionBits));
  set(flit_, start, flit.index() % (1u << kFlitBits));
  set(op_, start, static_cast<std::uint64_t>(flit.transaction.op));
  set(leg_, start, static_cast<std::uint64_t>(flit.stream.leg));
}

// Flits that have started by then no longer count as waiting.
void WireWaves::show_starts(TimeFs until) {
  while (!starts_.empty() && starts_.front() <= until) {
    const TimeFs start = starts_.front();
    starts_.pop_front();
    set(queue_, start, std::min(starts_.size(), kMaxShown));
  }
}

}  // namespace kb::modules
