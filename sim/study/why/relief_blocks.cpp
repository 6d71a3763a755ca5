// Reliefs of blocks. Most follow from the declared parameters: a delay has the unit ns, a rate GB/s.
#include <fmt/format.h>

#include <algorithm>

#include "platform/params/hbm_banked_params.h"
#include "platform/params/memory_traits.h"
#include "sim/study/why/relief_parts.h"

namespace kb::why {
namespace {

using params::Field;
using params::FieldType;
using params::Value;
using topology::Graph;
using topology::Node;
using topology::NodeKind;

// Parameters that no unit shows to be a cost.
struct Special {
  const char* name;
  const char* relieved;
  const char* family;
  const char* text;
  Scope scope = Scope::kind;
};
constexpr Special kSpecial[] = {
    {"dispatch_cycles", "0", "delay", "no scalar work for a command"},
    {"decode", "pipelined", "mode", "headers decoded at once"},
    {"rd_outstanding", "64", "count", "64 reads under way"},
    {"wr_outstanding", "64", "count", "64 writes under way"},
    {"shared_resource", "none", "mode", "does not wait for another engine"},
    {"gemm_granularity", "none", "mode", "without padding", Scope::waste},
    {"charge_fetch_store", "false", "mode", "operands of commands moved for nothing"},
};

std::string text_of(const Value& value) {
  return params::value_text(value);
}

bool is_delay(const Field& field) {
  return field.type == FieldType::real && field.unit == "ns";
}
bool is_rate(const Field& field) {
  return field.type == FieldType::real && field.unit == "GB/s" && (field.set_instead.empty() || field.by_node);
}
bool is_engine_rate(const Field& field) {
  return field.type == FieldType::macs_per_ns || field.type == FieldType::elements_per_ns;
}

// The value of a block that is furthest from its relief: the largest delay, the smallest rate or count.
struct Worst {
  const Field* field = nullptr;
  Value value;
};

class KindReliefs {
 public:
  KindReliefs(const ReliefCase& relief_case, NodeKind kind, std::vector<Relief>& reliefs)
      : case_(relief_case),
        kind_(kind),
        name_(node_kind_name(kind)),
        patterns_(relief_case.patterns.of(kind)),
        reliefs_(reliefs) {
    for (const Node& node : case_.graph.nodes) {
      if (node.kind != kind) continue;
      if (node.impl == params::kHbmBanked) banked_ = params::memory_traits(node.params, node.impl_params);
      if (node.params.table() != nullptr) note(node.params);
      if (node.impl_params.table() != nullptr) note(node.impl_params);
    }
  }

  void add() {
    if (patterns_.empty()) return;
    std::vector<Worst> rates;
    for (const Worst& worst : worst_) {
      if (is_delay(*worst.field)) add_delay(worst);
      if (is_rate(*worst.field) && std::get<double>(worst.value) < worst.field->bounds.high) rates.push_back(worst);
      if (is_engine_rate(*worst.field)) add_engine(worst);
      for (const Special& special : kSpecial) {
        if (worst.field->name == special.name) add_special(worst, special);
      }
    }
    if (!rates.empty()) add_rates(rates);
    if (banked_)
      push("banks " + name_, "HBM whose banks never wait: no rows, refresh or turn-round", without_banks(patterns_));
  }

 private:
  static bool is_worse(const Field& field, const Value& a, const Value& b) {
    const auto* x = std::get_if<double>(&a);
    const auto* y = std::get_if<double>(&b);
    if (x != nullptr && y != nullptr) return is_delay(field) ? *x > *y : *x < *y;
    const auto* m = std::get_if<std::int64_t>(&a);
    const auto* n = std::get_if<std::int64_t>(&b);
    return m != nullptr && n != nullptr && *m < *n;
  }

  void note(const params::ParamSet& params) {
    for (const Field& field : params.table()->fields()) {
      const std::optional<Value> value = params.value(field);
      if (!value) continue;
      const auto found =
          std::find_if(worst_.begin(), worst_.end(), [&](const Worst& one) { return one.field->name == field.name; });
      if (found == worst_.end()) {
        worst_.push_back({&field, *value});
      } else if (is_worse(field, *value, found->value)) {
        found->value = *value;
      }
    }
  }

  std::vector<Change> of_all(const std::string& field, const std::string& value) const {
    std::vector<Change> changes;
    for (const std::string& pattern : patterns_) {
      changes.push_back({Change::Where::nodes, pattern, field, value});
    }
    return changes;
  }

  void push(const std::string& id, const std::string& text, std::vector<Change> changes, Scope scope = Scope::kind) {
    reliefs_.push_back({id, text, scope, case_.used(name_, false), std::move(changes)});
  }

  // The routers of a machine have one overhead, which has a key of its own.
  void add_delay(const Worst& worst) {
    const double value = std::get<double>(worst.value), least = std::max(0.0, worst.field->bounds.low);
    if (value <= least) return;
    const bool router = kind_ == NodeKind::noc_router || kind_ == NodeKind::channel_router;
    if (router && kind_ == NodeKind::channel_router) return;
    push("delay " + name_ + " " + worst.field->name,
         fmt::format("{}: {} {} ({})", words_of(kind_), worst.field->name, number(least), number(value)),
         router ? std::vector<Change>{{Change::Where::key, "cube.links.router_overhead_ns", "", "0"}}
                : of_all(worst.field->name, number(least)));
  }

  void add_engine(const Worst& worst) {
    std::string twice;
    if (const auto* rate = std::get_if<double>(&worst.value)) {
      twice = number(2 * *rate);
    } else {
      for (const auto& [dtype, each] : std::get<params::RateMap>(worst.value)) {
        twice += fmt::format("{}{}: {}", twice.empty() ? "{" : ", ", dtype, number(2 * each));
      }
      twice += "}";
    }
    push("engine " + name_, words_of(kind_) + " twice as fast", of_all(worst.field->name, twice));
  }

  void add_special(const Worst& worst, const Special& special) {
    const std::string value = text_of(worst.value);
    const auto* count = std::get_if<std::int64_t>(&worst.value);
    if (value == special.relieved ||
        (count != nullptr && std::string(special.family) == "count" && *count >= std::stoll(special.relieved))) {
      return;
    }
    push(fmt::format("{} {} {}", special.family, name_, special.name),
         fmt::format("{}: {} ({} {})", words_of(kind_), special.text, special.name, value),
         of_all(special.name, special.relieved), special.scope);
  }

  // The controller without banks, of the same rate and idle latency.
  std::vector<Change> without_banks(const std::vector<std::string>& patterns) const {
    std::vector<Change> changes;
    for (const std::string& pattern : patterns) {
      changes.push_back({Change::Where::nodes, pattern, "impl", "builtin.hbm_ctrl"});
      changes.push_back({Change::Where::nodes, pattern, "access_ns", number(fs_to_ns(banked_->access))});
      changes.push_back({Change::Where::nodes, pattern, "access_bytes", std::to_string(banked_->access_bytes)});
    }
    return changes;
  }

  // Banks have their preset's rate.
  std::vector<Change> rate_changes(const std::vector<Worst>& rates, const std::vector<std::string>& patterns) const {
    std::vector<Change> changes;
    if (banked_) changes = without_banks(patterns);
    for (const Worst& rate : rates) {
      for (const std::string& pattern : patterns) {
        changes.push_back({Change::Where::nodes, pattern, rate.field->name, number(rate.field->bounds.high)});
      }
    }
    return changes;
  }

  // A memory's wires carry what it gives, so that they are relieved with it.
  std::vector<Change> wires_of(const std::string& node) const {
    return {{Change::Where::links, node + " -> *", "bw_gbs", number(kMaxBandwidth)},
            {Change::Where::links, "* -> " + node, "bw_gbs", number(kMaxBandwidth)}};
  }

  void add_rates(const std::vector<Worst>& rates) {
    push("rate " + name_, words_of(kind_) + " without limit", rate_changes(rates, patterns_));
    const ClassUse* const use = case_.use_of(name_, false);
    if (kind_ != NodeKind::hbm_ctrl || use == nullptr) return;
    Relief with_wires{"rate memory", "HBM and its wires without limit", Scope::path, use->busy,
                      rate_changes(rates, patterns_)};
    for (const topology::EdgeKind wires : {topology::EdgeKind::router_to_hbm, topology::EdgeKind::hbm_to_router}) {
      for (const std::string& pattern : case_.patterns.of(wires)) {
        with_wires.changes.push_back({Change::Where::links, pattern, "bw_gbs", number(kMaxBandwidth)});
      }
    }
    reliefs_.push_back(std::move(with_wires));
    for (const MemberUse& member : use->members) {
      std::vector<Change> changes = rate_changes(rates, {member.name});
      for (Change& change : wires_of(member.name)) changes.push_back(std::move(change));
      reliefs_.push_back({"rate " + member.name, fmt::format("the slice {} and its wires without limit", member.name),
                          Scope::member, time_sum(member.busy, member.wait), std::move(changes)});
    }
  }

  const ReliefCase& case_;
  NodeKind kind_;
  std::string name_;
  std::vector<std::string> patterns_;
  std::vector<Relief>& reliefs_;
  std::vector<Worst> worst_;
  std::optional<params::MemoryTraits> banked_;  // of controllers with banks
};

// The delays on the way of a transfer together: singly, each may hide behind another.
void add_path_delays(std::vector<Relief>& reliefs) {
  Relief path{"delay path", "routers and ports take no time for a header", Scope::path, 0_fs, {}};
  std::size_t count = 0;
  for (const Relief& relief : reliefs) {
    for (const char* kind : {"noc_router", "ucie", "io_noc", "switch", "pcie_ep"}) {
      if (relief.id != std::string("delay ") + kind + " overhead_ns") continue;
      path.changes.insert(path.changes.end(), relief.changes.begin(), relief.changes.end());
      ++count;
    }
  }
  if (count > 1) reliefs.push_back(std::move(path));
}

}  // namespace

void add_block_reliefs(const ReliefCase& relief_case, std::vector<Relief>& reliefs) {
  for (const NodeKind kind : relief_case.kinds) {
    if (kind != NodeKind::host) KindReliefs(relief_case, kind, reliefs).add();
  }
  add_path_delays(reliefs);
}

}  // namespace kb::why
