#include "platform/resource/resource_waves.h"

#include <algorithm>

namespace kb::resource {
namespace {

constexpr int kQueueBits = 16;
constexpr std::uint64_t kMostShown = (std::uint64_t{1} << kQueueBits) - 1;

std::vector<std::string> cause_words(const Declaration& declaration) {
  std::vector<std::string> words{"none"};
  for (const Cause& cause : declaration.causes) words.push_back(cause.name);
  return words;
}

int bits_for(std::size_t values) {
  int bits = 1;
  while (std::size_t{1} << bits < values) ++bits;
  return bits;
}

}  // namespace

ResourceWaves::ResourceWaves(contract::ISignalObserver& observer, const std::string& node,
                             const Declaration& declaration)
    : observer_(observer) {
  bool any = false;
  const auto declare = [&](contract::SignalId& signal, const contract::SignalInfo& info) {
    signal = observer.declare(info);
    any = any || signal != contract::kNoSignal;
  };
  const std::vector<std::string> words = cause_words(declaration);
  for (std::uint32_t i = 0; i < declaration.units; ++i) {
    const std::string label = declaration.label(i);
    Unit& unit = units_.emplace_back();
    declare(unit.busy, {node, "", label + ".busy", 1, {}});
    if (!declaration.causes.empty()) declare(unit.queue, {node, "", label + ".queue", kQueueBits, {}});
    if (declaration.causes.size() > 1) declare(unit.cause, {node, "", label + ".cause", bits_for(words.size()), words});
  }
  if (!any) units_.clear();
}

void ResourceWaves::add_use(std::uint32_t index, TimeFs begin, TimeFs end) {
  Unit& unit = units_[index];
  if (begin != unit.busy_until) {
    show_idle(unit);
    observer_.change(unit.busy, begin, 1);
  }
  unit.busy_until = end;
}

void ResourceWaves::add_wait(std::uint32_t index, TimeFs begin, TimeFs end, std::size_t cause, TimeFs turn) {
  Unit& unit = units_[index];
  const std::uint64_t wait = waits_++;
  unit.edges.push({begin, wait, static_cast<std::uint32_t>(cause), true, turn});
  unit.edges.push({end, wait, static_cast<std::uint32_t>(cause), false, turn});
}

void ResourceWaves::show_until(TimeFs until) {
  for (Unit& unit : units_) {
    if (unit.busy_until < until) show_idle(unit);
    show_waits(unit, until);
  }
}

void ResourceWaves::show_idle(Unit& unit) {
  if (unit.busy_until < 0_fs) return;
  observer_.change(unit.busy, unit.busy_until, 0);
  unit.busy_until = -1_fs;
}

void ResourceWaves::apply(Unit& unit, const Edge& edge) {
  edge.begins ? ++unit.waiting : --unit.waiting;
  if (unit.cause == contract::kNoSignal) return;
  if (edge.begins) {
    unit.causes.emplace(std::pair(edge.turn, edge.wait), edge.cause);
  } else {
    unit.causes.erase({edge.turn, edge.wait});
  }
}

void ResourceWaves::show_waits(Unit& unit, TimeFs until) {
  while (!unit.edges.empty() && unit.edges.top().at < until) {
    const TimeFs at = unit.edges.top().at;
    for (; !unit.edges.empty() && unit.edges.top().at == at; unit.edges.pop()) apply(unit, unit.edges.top());
    if (unit.queue != contract::kNoSignal) observer_.change(unit.queue, at, std::min(unit.waiting, kMostShown));
    if (unit.cause == contract::kNoSignal) continue;
    observer_.change(unit.cause, at, unit.causes.empty() ? 0 : 1 + std::uint64_t{unit.causes.begin()->second});
  }
}

}  // namespace kb::resource
