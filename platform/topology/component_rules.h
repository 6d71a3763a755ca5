// What each block kind accepts in YAML: its implementation names and its parameters.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platform/params/field_table.h"
#include "platform/topology/graph.h"
#include "platform/topology/machine_spec.h"
#include "platform/topology/spec_reader.h"

namespace kb::topology {

struct KindRule {
  NodeKind kind{};
  std::string impl;                // default
  std::vector<std::string> impls;  // builtin names that can serve
  params::FieldTable fields;
};

const KindRule& kind_rule(NodeKind kind);

// Parameters that may be a number or a mapping by dtype, and what the number is in such a mapping.
const yaml::Openings& rate_openings();

// The nine sub-blocks of a PE in the order of their nodes (T-9).
const std::vector<NodeKind>& pe_block_kinds();

// The `impl` of an entry, which has to be able to serve as `kind`; else the default, and nobody may know its
// attributes.
struct ImplChoice {
  std::string impl;
  bool attrs_known = true;
};
ImplChoice read_impl(MapReader& entry, NodeKind kind);

// The parameters of a node: of its kind, and what a custom implementation has besides; whether that one is foreign.
struct NodeParams {
  params::ParamSet kind, impl;
  bool foreign = false;
};
// The parameters of `node` with what `attrs` gives changed, for another implementation if `impl` is one.
NodeParams change_params(MapReader& attrs, const Node& node, const std::string& impl);

// What a header or a message takes, in femtoseconds; 0 where the kind has no overhead.
TimeFs overhead_of(const params::ParamSet& params);

// Reads { kind, impl, attrs } out of `component` (T-27).
ComponentSpec read_component(MapReader& component, NodeKind kind);
// Where defaults follow from other keys: `defaults` is the parameter struct of the kind.
template <typename P>
ComponentSpec read_component(MapReader& component, NodeKind kind, const P& defaults);
ComponentSpec read_component(MapReader& component, NodeKind kind, const params::ParamSet& defaults);

template <typename P>
ComponentSpec read_component(MapReader& component, NodeKind kind, const P& defaults) {
  return read_component(component, kind, params::ParamSet(kind_rule(kind).fields, std::make_shared<const P>(defaults)));
}

}  // namespace kb::topology
