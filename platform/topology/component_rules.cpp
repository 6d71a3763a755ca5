#include "platform/topology/component_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/engine_rates.h"
#include "platform/base/granularity.h"
#include "platform/base/nearest.h"
#include "platform/base/op_types.h"

namespace kb::topology {
namespace {

const std::vector<std::string> kTransitImpls{"builtin.forwarding", "builtin.switch", "builtin.noc", "builtin.ucie"};

AttributeRule overhead(double ns) {
  return {"overhead_ns", AttributeType::real, ns, duration_ns(), {}};
}
AttributeRule real(const char* name, double fallback, const Bounds& bounds) {
  return {name, AttributeType::real, fallback, bounds, {}};
}
AttributeRule whole(const char* name, std::int64_t fallback, const Bounds& bounds) {
  return {name, AttributeType::whole, fallback, bounds, {}};
}
AttributeRule power_of_two(const char* name, std::int64_t fallback, const Bounds& bounds) {
  return {name, AttributeType::power_of_two, fallback, bounds, {}};
}
AttributeRule accel_slot() {
  return {"shared_resource", AttributeType::word, std::string("accel_slot"), {}, {"accel_slot"}};
}

AttributeRule following(AttributeRule rule, const char* other) {
  rule.follows = other;
  return rule;
}
// The first word is the default.
AttributeRule word(const char* name, const std::vector<std::string>& words) {
  return {name, AttributeType::word, words.front(), {}, words};
}
AttributeRule decode() {
  return word("decode", {"pipelined", "serial"});
}

AttributeFamily operation_weights() {
  AttributeFamily family{"weight_", {}, at_least(0.0, 1e6)};
  for (int op = 0; op < kMathOps; ++op) family.words.emplace_back(math_op_name(static_cast<MathOp>(op)));
  return family;
}

KindRule transit(NodeKind kind, const char* impl, double overhead_ns) {
  return {kind, impl, kTransitImpls, {decode(), overhead(overhead_ns)}, {}, {}};
}
KindRule block(NodeKind kind, std::vector<AttributeRule> attrs) {
  const std::string impl = "builtin." + std::string(node_kind_name(kind));
  return {kind, impl, {impl}, std::move(attrs), {}, {}};
}

std::vector<KindRule> system_rules() {
  std::vector<KindRule> rules;
  rules.push_back(block(NodeKind::host, {}));
  rules.push_back(transit(NodeKind::switch_, "builtin.switch", 5.0));
  rules.push_back(block(NodeKind::pcie_ep, {overhead(5.0)}));
  rules.push_back(block(NodeKind::io_cpu, {overhead(10.0)}));
  rules.push_back(transit(NodeKind::io_noc, "builtin.forwarding", 0.0));
  rules.push_back(transit(NodeKind::ucie, "builtin.ucie", 8.0));
  rules.push_back(transit(NodeKind::ucie_conn, "builtin.forwarding", 0.0));
  KindRule router = transit(NodeKind::noc_router, "builtin.forwarding", 0.0);
  router.attrs = {decode()};
  router.redirects = {{"overhead_ns", "set cube.links.router_overhead_ns"}};
  rules.push_back(router);
  rules.push_back(block(NodeKind::m_cpu, {overhead(5.0)}));
  rules.push_back(block(NodeKind::sram, {overhead(2.0), real("size_mb", 32.0, positive(32.0))}));
  KindRule hbm =
      block(NodeKind::hbm_ctrl, {overhead(0.0), power_of_two("num_pcs", 8, at_least(1, 1024)),
                                 power_of_two("burst_bytes", 256, at_least(1, 65536)),
                                 real("switch_penalty_ns", 0.0, duration_ns()), real("efficiency", 1.0, rate(1.0)),
                                 word("read_order", {"fair", "arrival"}), real("access_ns", 0.0, duration_ns()),
                                 following(power_of_two("access_bytes", 256, at_least(1, 65536)), "burst_bytes"),
                                 word("channel_hash", {"none", "xor"})});
  hbm.redirects = {{"pc_bw_gbs", "remove it: it is derived as hbm_to_router_bw_gbs / num_pcs"}};
  rules.push_back(hbm);
  return rules;
}

std::vector<KindRule> pe_rules() {
  const Bounds tile = at_least(1, 65536);
  const Bounds clock = rate(1000.0);
  const Bounds tcm_size = positive(32.0);
  std::vector<KindRule> rules;
  rules.push_back(block(NodeKind::pe_cpu,
                        {overhead(0.0), whole("dispatch_cycles", 0, at_least(0, 1e6)), real("clock_ghz", 1.0, clock)}));
  rules.push_back(block(NodeKind::pe_scheduler, {overhead(0.0),
                                                 whole("tile_m", 32, tile),
                                                 whole("tile_k", 64, tile),
                                                 whole("tile_n", 32, tile),
                                                 {"charge_fetch_store", AttributeType::flag, false, {}, {}}}));
  const auto queue = [] { return whole("queue_depth", 0, at_least(0, 1e6)); };  // P-34; 0 = no limit
  rules.push_back(
      block(NodeKind::pe_dma,
            {overhead(0.0), whole("rd_engines", 1, at_least(1, 64)), whole("rd_outstanding", 1, at_least(1, 1024)),
             whole("wr_engines", 1, at_least(1, 64)), queue(), real("baaw_overhead_ns", 0.0, duration_ns())}));
  rules.push_back(
      block(NodeKind::pe_fetch_store, {overhead(0.0), whole("register_file_kb", 64, at_least(1, 1e6)), queue()}));
  rules.push_back(
      block(NodeKind::pe_gemm, {overhead(0.0),
                                {"mac_per_ns", AttributeType::macs_per_ns, 4096.0, rate(1e9), {}},
                                {"gemm_granularity", AttributeType::granularity, std::string("32x64x32"), {}, {}},
                                queue(),
                                accel_slot()}));
  KindRule math = block(NodeKind::pe_math, {overhead(0.0),
                                            {"elements_per_ns", AttributeType::elements_per_ns, 256.0, rate(1e9), {}},
                                            queue(),
                                            accel_slot()});
  math.family = operation_weights();
  const char* const per_ns = "write elements_per_ns, which is elements_per_cycle times clock_ghz";
  math.redirects = {{"elements_per_cycle", per_ns}, {"clock_ghz", per_ns}};
  rules.push_back(math);
  rules.push_back(
      block(NodeKind::pe_tcm, {overhead(0.0), real("size_mb", 2.0, tcm_size), real("read_bw_gbs", 512.0, bandwidth()),
                               real("write_bw_gbs", 512.0, bandwidth())}));
  rules.push_back(block(NodeKind::pe_mmu,
                        {overhead(0.0), power_of_two("page_size", 4096, at_least(256, 1u << 30)),
                         real("tlb_overhead_ns", 0.0, duration_ns()), real("update_overhead_ns", 0.0, duration_ns())}));
  rules.push_back(
      block(NodeKind::pe_ipcq,
            {overhead(0.0), real("tcm_slot_bw_gbs", 512.0, bandwidth()), real("tcm_slot_setup_ns", 0.0, duration_ns()),
             real("sram_slot_bw_gbs", 512.0, bandwidth()), real("sram_slot_setup_ns", 2.0, duration_ns()),
             real("hbm_slot_bw_gbs", 256.0, bandwidth()), real("hbm_slot_setup_ns", 6.0, duration_ns())}));
  return rules;
}

const std::vector<KindRule>& all_rules() {
  static const std::vector<KindRule> rules = [] {
    std::vector<KindRule> out = system_rules();
    for (KindRule& rule : pe_rules()) out.push_back(rule);
    return out;
  }();
  return rules;
}

bool starts_with(const std::string& text, const char* prefix) {
  return text.rfind(prefix, 0) == 0;
}

std::string read_impl(MapReader& component, const KindRule& rule) {
  std::string impl = component.text("impl", rule.impl);
  if (starts_with(impl, "custom.") && impl.size() > 7) return impl;
  if (std::find(rule.impls.begin(), rule.impls.end(), impl) != rule.impls.end()) return impl;
  if (!starts_with(impl, "builtin.")) {
    component.report("impl", fmt::format("'{}' names no implementation", impl),
                     fmt::format("write builtin.<name> or custom.<name>, e.g. {}", rule.impl));
    return rule.impl;
  }
  bool known = false;
  for (const KindRule& other : all_rules()) {
    if (other.kind == NodeKind::host) continue;
    known = known || std::find(other.impls.begin(), other.impls.end(), impl) != other.impls.end();
  }
  if (known) {
    component.report("impl", fmt::format("'{}' cannot serve as {}", impl, node_kind_name(rule.kind)),
                     fmt::format("write {} or a custom implementation", rule.impl));
  } else {
    component.report("impl", fmt::format("unknown implementation '{}'", impl), suggest(impl, rule.impls));
  }
  return rule.impl;
}

// The dtypes that a mapping leaves out follow f16's rate.
RateMap read_rates(MapReader& attrs, const AttributeRule& rule, RateUnit unit) {
  MapReader by_dtype = attrs.map(rule.name);
  const std::optional<double> f16 = by_dtype.given_real("f16", rule.bounds);
  RateMap rates;
  std::vector<std::string> missing;
  for (const std::string& name : dtype_names()) {
    const std::optional<double> rate = by_dtype.given_real(name, rule.bounds);
    if (!rate && !f16) missing.push_back(name);
    rates[name] = rate.value_or(f16.value_or(1.0) * rate_ratio(unit, *parse_dtype(name)));
  }
  by_dtype.done();
  if (!missing.empty()) {
    attrs.report(rule.name, fmt::format("there is no rate for {}", join_words(missing)),
                 "add f16, which the others follow, or a rate for each of them");
  }
  return rates;
}

std::string read_granularity(MapReader& attrs, const AttributeRule& rule, const std::string& fallback) {
  std::string text = attrs.text(rule.name, fallback);
  if (parse_granularity(text)) return text;
  attrs.report(rule.name, fmt::format("'{}' is not a block of a product", text),
               fmt::format("write M x K x N as 32x64x32, each 1 to {}, or none", kMostGranularity));
  return fallback;
}

AttributeValue read_attribute(MapReader& attrs, const AttributeRule& rule, const AttributeValue& fallback) {
  switch (rule.type) {
    case AttributeType::real:
      return attrs.real(rule.name, std::get<double>(fallback), rule.bounds);
    case AttributeType::whole:
      return attrs.whole(rule.name, std::get<std::int64_t>(fallback), rule.bounds);
    case AttributeType::power_of_two: {
      const std::int64_t value = attrs.whole(rule.name, std::get<std::int64_t>(fallback), rule.bounds);
      if (attrs.has(rule.name) && (value & (value - 1)) != 0) {
        attrs.report(rule.name, fmt::format("{} is not a power of two", value), "write for example 8 or 256");
      }
      return value;
    }
    case AttributeType::flag:
      return attrs.flag(rule.name, std::get<bool>(fallback));
    case AttributeType::word:
      return rule.words[attrs.choice(rule.name, 0, rule.words)];
    case AttributeType::macs_per_ns:
    case AttributeType::elements_per_ns: {
      const RateUnit unit = rule.type == AttributeType::macs_per_ns ? RateUnit::macs : RateUnit::elements;
      if (attrs.has_map(rule.name)) return read_rates(attrs, rule, unit);
      return attrs.real(rule.name, std::get<double>(fallback), rule.bounds);
    }
    case AttributeType::granularity:
      return read_granularity(attrs, rule, std::get<std::string>(fallback));
  }
  return fallback;
}

void read_family(MapReader& attrs, const AttributeFamily& family, AttributeMap& values) {
  for (const std::string& name : attrs.keys()) {
    if (!starts_with(name, family.prefix.c_str())) continue;
    const std::string word = name.substr(family.prefix.size());
    if (std::find(family.words.begin(), family.words.end(), word) != family.words.end()) {
      values[name] = attrs.real(name, std::nullopt, family.bounds);
      continue;
    }
    attrs.any_scalar(name);
    attrs.report(name, fmt::format("'{}' is no operation of this block", word), suggest(word, family.words));
  }
}

}  // namespace

const KindRule& kind_rule(NodeKind kind) {
  const auto& rules = all_rules();
  return *std::find_if(rules.begin(), rules.end(), [&](const KindRule& rule) { return rule.kind == kind; });
}

const yaml::Openings& rate_openings() {
  static const yaml::Openings openings{{"mac_per_ns", "f16"}, {"elements_per_ns", "f16"}};
  return openings;
}

const std::vector<NodeKind>& pe_block_kinds() {
  static const std::vector<NodeKind> kinds{NodeKind::pe_cpu,         NodeKind::pe_scheduler, NodeKind::pe_dma,
                                           NodeKind::pe_fetch_store, NodeKind::pe_gemm,      NodeKind::pe_math,
                                           NodeKind::pe_tcm,         NodeKind::pe_mmu,       NodeKind::pe_ipcq};
  return kinds;
}

ComponentSpec read_component(MapReader& component, NodeKind kind, const AttributeMap& defaults) {
  const KindRule& rule = kind_rule(kind);
  ComponentSpec spec;
  spec.kind = node_kind_name(kind);
  const std::string written_kind = component.text("kind", spec.kind);
  if (written_kind != spec.kind) {
    component.report("kind", fmt::format("this block is of kind '{}', not '{}'", spec.kind, written_kind),
                     fmt::format("write kind: {}, or leave the key out", spec.kind));
  }
  spec.impl = read_impl(component, rule);

  MapReader attrs = component.map("attrs");
  for (const AttributeRule& attribute : rule.attrs) {
    const auto it = defaults.find(attribute.name);
    AttributeValue fallback = it == defaults.end() ? attribute.fallback : it->second;
    if (!attribute.follows.empty()) fallback = spec.attrs.at(attribute.follows);
    spec.attrs[attribute.name] = read_attribute(attrs, attribute, fallback);
  }
  for (const AttributeRedirect& redirect : rule.redirects) {
    if (!attrs.has(redirect.name)) continue;
    attrs.any_scalar(redirect.name);
    attrs.report(redirect.name, fmt::format("'{}' is not set here", redirect.name), redirect.remedy);
  }
  const bool custom = starts_with(spec.impl, "custom.");
  if (rule.family && !custom) read_family(attrs, *rule.family, spec.attrs);
  if (custom) {
    for (const std::string& name : attrs.keys()) {
      if (spec.attrs.count(name) == 0) spec.attrs[name] = attrs.any_scalar(name);
    }
  }
  attrs.done();
  return spec;
}

}  // namespace kb::topology
