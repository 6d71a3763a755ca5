#include "platform/topology/component_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"
#include "platform/base/granularity.h"
#include "platform/base/nearest.h"
#include "platform/engine/built_in_engines.h"
#include "platform/engine/engine_catalog.h"
#include "platform/ops/engine_rates.h"
#include "platform/params/forwarding_params.h"
#include "platform/params/hbm_banked_params.h"
#include "platform/params/hbm_ctrl_params.h"
#include "platform/params/io_cpu_params.h"
#include "platform/params/m_cpu_params.h"
#include "platform/params/pcie_ep_params.h"
#include "platform/params/pe_cpu_params.h"
#include "platform/params/pe_dma_params.h"
#include "platform/params/pe_engine_params.h"
#include "platform/params/pe_fetch_store_params.h"
#include "platform/params/pe_ipcq_params.h"
#include "platform/params/pe_mmu_params.h"
#include "platform/params/pe_scheduler_params.h"
#include "platform/params/pe_tcm_params.h"
#include "platform/params/sram_params.h"
#include "platform/topology/key_record.h"

namespace kb::topology {

using params::Field;
using params::FieldTable;
using params::FieldType;
using params::ForwardingParams;
using params::RateMap;
using params::Value;

namespace {

const std::vector<std::string> kTransitImpls{"builtin.forwarding", "builtin.switch", "builtin.noc", "builtin.ucie"};

KindSchema transit(NodeKind kind, const char* impl, FieldTable fields) {
  return {kind, impl, kTransitImpls, std::move(fields)};
}
KindSchema block(NodeKind kind, FieldTable fields) {
  const std::string impl = "builtin." + std::string(node_kind_name(kind));
  return {kind, impl, {impl}, std::move(fields)};
}

KindSchema hbm_ctrl() {
  KindSchema rule = block(NodeKind::hbm_ctrl, params::HbmCtrlParams::fields());
  rule.impls.emplace_back(params::kHbmBanked);
  rule.own_fields.emplace(params::kHbmBanked, params::HbmBankedParams::fields());
  return rule;
}

// The parameters of an engine's block come with its row; engines of plug-ins have those of pe_engine.
KindSchema engine_block(engine::EngineId id) {
  return block(engine_kind(id), *engine::built_in_engines()->row(id).attributes);
}

std::vector<KindSchema> make_rules() {
  std::vector<KindSchema> rules{
      block(NodeKind::host, params::no_fields()),
      transit(NodeKind::switch_, "builtin.switch", ForwardingParams::fields(5.0)),
      block(NodeKind::pcie_ep, params::PcieEpParams::fields()),
      block(NodeKind::io_cpu, params::IoCpuParams::fields()),
      transit(NodeKind::io_noc, "builtin.forwarding", ForwardingParams::fields(0.0)),
      transit(NodeKind::ucie, "builtin.ucie", ForwardingParams::fields(8.0)),
      transit(NodeKind::ucie_conn, "builtin.forwarding", ForwardingParams::fields(0.0)),
      transit(NodeKind::noc_router, "builtin.forwarding", ForwardingParams::router_fields()),
      transit(NodeKind::channel_router, "builtin.forwarding", ForwardingParams::router_fields()),
      block(NodeKind::m_cpu, params::MCpuParams::fields()),
      block(NodeKind::sram, params::SramParams::fields()),
      hbm_ctrl(),
      block(NodeKind::pe_cpu, params::PeCpuParams::fields()),
      block(NodeKind::pe_scheduler, params::PeSchedulerParams::fields()),
      block(NodeKind::pe_dma, params::PeDmaParams::fields()),
      block(NodeKind::pe_fetch_store, params::PeFetchStoreParams::fields()),
      block(NodeKind::pe_tcm, params::PeTcmParams::fields()),
      block(NodeKind::pe_mmu, params::PeMmuParams::fields()),
      block(NodeKind::pe_ipcq, params::PeIpcqParams::fields()),
      {NodeKind::pe_engine, "builtin.pe_engine", {"builtin.pe_engine"}, params::PeEngineParams::fields()}};
  for (const engine::EngineId id : engine::built_in_engines()->ids()) rules.push_back(engine_block(id));
  return rules;
}

const std::vector<KindSchema>& all_rules() {
  static const std::vector<KindSchema> rules = make_rules();
  return rules;
}

bool starts_with(const std::string& text, const char* prefix) {
  return text.rfind(prefix, 0) == 0;
}

// Dtypes that a mapping omits follow f16's rate.
RateMap read_rates(MapReader& attrs, const Field& field, RateUnit unit) {
  MapReader by_dtype = attrs.map(field.name);
  const std::optional<double> f16 = by_dtype.given_real("f16", field.bounds);
  RateMap rates;
  std::vector<std::string> missing;
  for (const std::string& name : dtype_names()) {
    const std::optional<double> rate = by_dtype.given_real(name, field.bounds);
    if (!rate && is_storage(*parse_dtype(name))) continue;  // also follows f16 if it is one of seven
    if (!rate && !f16) missing.push_back(name);
    rates[name] = rate.value_or(f16.value_or(1.0) * rate_ratio(unit, *parse_dtype(name)));
  }
  by_dtype.done();
  if (!missing.empty()) {
    attrs.report(field.name, fmt::format("there is no rate for {}", join_words(missing)),
                 "add f16, which the others follow, or a rate for each of them");
  }
  return rates;
}

std::string read_granularity(MapReader& attrs, const Field& field, const std::string& fallback) {
  std::string text = attrs.text(field.name, fallback, {"none"});
  if (parse_granularity(text)) return text;
  attrs.report(field.name, fmt::format("'{}' is not a block of a product", text),
               fmt::format("write M x K x N as 32x64x32, each 1 to {}, or none", kMaxGranularity));
  return fallback;
}

Value read_field(MapReader& attrs, const Field& field, const Value& fallback) {
  switch (field.type) {
    case FieldType::real:
      return attrs.real(field.name, std::get<double>(fallback), field.bounds);
    case FieldType::whole:
      return attrs.whole(field.name, std::get<std::int64_t>(fallback), field.bounds, field.words);
    case FieldType::power_of_two: {
      const std::int64_t value = attrs.whole(field.name, std::get<std::int64_t>(fallback), field.bounds);
      if (attrs.has(field.name) && (value & (value - 1)) != 0) {
        attrs.report(field.name, fmt::format("{} is not a power of two", value), "write for example 8 or 256");
      }
      return value;
    }
    case FieldType::flag:
      return attrs.flag(field.name, std::get<bool>(fallback));
    case FieldType::word: {
      const auto& words = field.words;
      const auto first = std::find(words.begin(), words.end(), std::get<std::string>(fallback)) - words.begin();
      return words[attrs.choice(field.name, static_cast<std::size_t>(first), words)];
    }
    case FieldType::text:
      return attrs.text(field.name, std::get<std::string>(fallback), field.words);
    case FieldType::macs_per_ns:
    case FieldType::elements_per_ns: {
      const RateUnit unit = field.type == FieldType::macs_per_ns ? RateUnit::macs : RateUnit::elements;
      if (attrs.has_map(field.name)) return read_rates(attrs, field, unit);
      return attrs.real(field.name, std::get<double>(fallback), field.bounds);
    }
    case FieldType::granularity:
      return read_granularity(attrs, field, std::get<std::string>(fallback));
  }
  return fallback;
}

void report_misplaced(MapReader& attrs, const std::string& name, const std::string& remedy) {
  if (!attrs.has(name)) return;
  attrs.any_scalar(name);
  attrs.report(name, fmt::format("'{}' is not set here", name), remedy);
}

// Attributes that another implementation of the kind has, on a built-in one: others have names of their own. Those that
// every block of the kind has were read before.
void report_other_impls(MapReader& attrs, NodeKind kind, const std::string& impl) {
  if (attrs.context().record() != nullptr || impl.rfind("builtin.", 0) != 0) return;
  for (const auto& [other, table] : kind_rule(kind).own_fields) {
    if (other == impl) continue;
    for (const Field& field : table.fields()) {
      report_misplaced(attrs, field.name, fmt::format("it is an attribute of {}: add impl: {}", other, other));
    }
  }
}

// Identifies the position of the parameters of a kind.
std::string slot_of(NodeKind kind) {
  const std::string name(node_kind_name(kind));
  if (is_pe_block(kind)) return "cube.pe_template.components." + name;
  if (kind == NodeKind::switch_) return "system.components." + name;
  if (kind == NodeKind::pcie_ep || kind == NodeKind::io_cpu || kind == NodeKind::io_noc) {
    return "sip.io_chiplets[].components." + name;
  }
  if (kind == NodeKind::ucie) return "cube.ucie";
  return "cube.components." + std::string(kind == NodeKind::channel_router ? "noc_router" : name);
}

// Values that a field refuses, for example a text that names what the block does not have.
void set_field(MapReader& attrs, const Field& field, void* params, const Value& value) {
  try {
    field.set(params, value);
  } catch (const Error& error) {
    if (error.diagnostics().empty()) throw;
    for (const Diagnostic& problem : error.diagnostics()) attrs.report(field.name, problem.message, problem.remedy);
  }
}

// Applies `attrs` to `base`. `slot` is set for single nodes, whose defaults do not follow other keys.
params::ParamSet read_params(MapReader& attrs, const params::ParamSet& base, const std::string& slot = "") {
  const bool single = !slot.empty();
  const FieldTable& table = *base.table();
  const std::shared_ptr<void> params = table.copy(base.data());
  for (const Field& field : table.fields()) {
    if (single && !attrs.has(field.name)) {
      attrs.allow(field.name);
      continue;
    }
    if (!field.set_instead.empty() && !(single && field.by_node)) {
      report_misplaced(attrs, field.name, field.set_instead);
    } else if (single && field.machine_wide) {
      report_misplaced(attrs, field.name,
                       fmt::format("it is the same for all nodes of a kind: set {}.attrs.{}", slot, field.name));
    } else if (field.optional) {
      if (const auto value = attrs.given_real(field.name, field.bounds)) field.set(params.get(), *value);
    } else {
      const Field& source = field.follows.empty() || single ? field : *table.find(field.follows);
      set_field(attrs, field, params.get(), read_field(attrs, field, *source.get(params.get())));
    }
    attrs.context().describe(attrs.path(field.name), field.text);
  }
  for (const params::KnownElsewhere& other : table.misplaced()) report_misplaced(attrs, other.name, other.remedy);
  return {table, params};
}

// The parameters of an implementation besides those of its kind; empty for most built-in ones.
params::ParamSet read_impl_params(MapReader& attrs, NodeKind kind, const std::string& impl,
                                  const params::ParamSet& base, const std::string& slot = "") {
  const FieldTable* const table = fields_of_impl(attrs.context().implementations(), kind, impl);
  if (table == nullptr) return {};
  return read_params(attrs, base.table() == table ? base : params::ParamSet(*table), slot);
}

// Suggests only names with the same prefix: a user who writes custom.<name> does not mean rtl.<name>.
std::string nearest_impl(const std::string& impl, const std::vector<std::string>& known) {
  const std::size_t begin = impl.find('.') + 1;
  std::vector<std::string> names;
  for (const std::string& other : known) {
    if (other.compare(0, begin, impl, 0, begin) == 0) names.push_back(other.substr(begin));
  }
  const std::string near = nearest_name(std::string_view(impl).substr(begin), names);
  return near.empty() ? "" : fmt::format("did you mean '{}{}'?", impl.substr(0, begin), near);
}

}  // namespace

// All engines of plug-ins have one rule.
const KindSchema& kind_rule(NodeKind kind) {
  const auto& rules = all_rules();
  if (is_plugin_engine(kind)) kind = NodeKind::pe_engine;
  return *std::find_if(rules.begin(), rules.end(), [&](const KindSchema& rule) { return rule.kind == kind; });
}

const FieldTable* fields_of_impl(const Implementations& implementations, NodeKind kind, const std::string& impl) {
  const auto& own = kind_rule(kind).own_fields;
  const auto found = own.find(impl);
  return found != own.end() ? &found->second : implementations.find(kind, impl);
}

const yaml::Openings& rate_openings() {
  static const yaml::Openings openings = [] {
    yaml::Openings out;
    for (const KindSchema& rule : all_rules()) {
      for (const Field& field : rule.fields.fields()) {
        if (field.type == FieldType::macs_per_ns || field.type == FieldType::elements_per_ns) out[field.name] = "f16";
      }
    }
    return out;
  }();
  return openings;
}

const std::vector<NodeKind>& pe_block_kinds() {
  static const std::vector<NodeKind> kinds = [] {
    std::vector<NodeKind> out{NodeKind::pe_cpu, NodeKind::pe_scheduler, NodeKind::pe_dma, NodeKind::pe_fetch_store};
    for (const engine::EngineId id : engine::built_in_engines()->ids()) out.push_back(engine_kind(id));
    out.insert(out.end(), {NodeKind::pe_tcm, NodeKind::pe_mmu, NodeKind::pe_ipcq});
    return out;
  }();
  return kinds;
}

std::vector<NodeKind> pe_block_kinds(const MachineSpec& spec) {
  std::vector<NodeKind> kinds = pe_block_kinds();
  for (const engine::EngineId id : spec.engines->ids()) {
    if (is_plugin_engine(engine_kind(id))) kinds.push_back(engine_kind(id));
  }
  return kinds;
}

ImplChoice read_impl(MapReader& entry, NodeKind kind) {
  const KindSchema& rule = kind_rule(kind);
  const Implementations& others = entry.context().implementations();
  std::string impl = entry.text("impl", rule.impl);
  std::vector<std::string> known = rule.impls;
  for (std::string& name : others.names(kind)) known.push_back(std::move(name));
  const bool readable = !entry.context().is_bad(entry.path("impl"));
  if (std::find(known.begin(), known.end(), impl) != known.end()) return {impl, readable};
  const bool rtl = starts_with(impl, "rtl.");
  if (!starts_with(impl, "builtin.") && !starts_with(impl, "custom.") && !starts_with(impl, "tlm.") && !rtl) {
    entry.report("impl", fmt::format("'{}' names no implementation", impl),
                 fmt::format("write builtin.<name> or custom.<name>, e.g. {}", rule.impl));
    return {rule.impl, false};
  }
  std::vector<std::string> kinds;
  for (const KindSchema& other : all_rules()) {
    if (other.kind == NodeKind::host) continue;
    if (std::find(other.impls.begin(), other.impls.end(), impl) != other.impls.end()) {
      kinds.emplace_back(node_kind_name(other.kind));
    }
  }
  const std::string near = nearest_impl(impl, known);
  for (const NodeKind other : others.kinds_of(impl)) kinds.emplace_back(node_kind_name(other));
  if (!kinds.empty()) {
    entry.report("impl", fmt::format("'{}' cannot serve as {}", impl, node_kind_name(kind)),
                 fmt::format("write {}; this one is for {}", join_words(known), join_words(kinds)));
  } else if (rtl && !others.has_rtl()) {
    entry.report("impl", fmt::format("'{}' is simulated from RTL, for which this kernbench is not built", impl),
                 "install the Debian package verilator and build with cmake -DKB_RTL=ON");
  } else if (starts_with(impl, "custom.")) {
    entry.report(
        "impl", fmt::format("nobody has registered the implementation '{}' of {}", impl, node_kind_name(kind)),
        near.empty() ? "name the library that brings it with --plugin" : near + ", or name its library with --plugin");
  } else {
    entry.report("impl", fmt::format("unknown implementation '{}'", impl),
                 near.empty() ? "known: " + join_words(known) : near);
    return {rule.impl, starts_with(impl, "builtin.")};  // a misspelt name; the attributes are those of the kind
  }
  return {rule.impl, false};
}

NodeParams change_params(MapReader& attrs, const Node& node, const std::string& impl, bool attrs_known) {
  const std::string slot = slot_of(node.kind);
  NodeParams changed{read_params(attrs, node.params, slot),
                     read_impl_params(attrs, node.kind, impl, node.impl_params, slot),
                     is_plugin_engine(node.kind) || attrs.context().implementations().is_foreign(node.kind, impl)};
  if (attrs_known) report_other_impls(attrs, node.kind, impl);
  return changed;
}

TimeFs overhead_of(const params::ParamSet& params) {
  const std::optional<Value> overhead = params.find("overhead_ns");
  return overhead ? ns_to_fs(std::get<double>(*overhead)) : 0_fs;
}

ComponentSpec read_component(MapReader& component, NodeKind kind) {
  return read_component(component, kind, params::ParamSet(kind_rule(kind).fields));
}

ComponentSpec read_component(MapReader& component, NodeKind kind, const params::ParamSet& defaults) {
  if (component.context().record() != nullptr) {
    component.context().record()->note_component(component.path(), kind, defaults);
  }
  ComponentSpec spec;
  spec.kind = node_kind_name(kind);
  const std::string written_kind = component.text("kind", spec.kind);
  if (written_kind != spec.kind) {
    component.report("kind", fmt::format("this block is of kind '{}', not '{}'", spec.kind, written_kind),
                     fmt::format("write kind: {}, or leave the key out", spec.kind));
  }
  const ImplChoice chosen = read_impl(component, kind);
  spec.impl = chosen.impl;
  MapReader attrs = component.map("attrs");
  spec.params = read_params(attrs, defaults);
  spec.impl_params = read_impl_params(attrs, kind, spec.impl, {});
  if (chosen.attrs_known) report_other_impls(attrs, kind, spec.impl);
  // The functions of an engine's row are code of its plug-in.
  spec.foreign = is_plugin_engine(kind) || attrs.context().implementations().is_foreign(kind, spec.impl);
  if (chosen.attrs_known) attrs.done();  // else nobody knows what belongs there
  return spec;
}

}  // namespace kb::topology
