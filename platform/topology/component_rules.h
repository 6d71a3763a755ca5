// YAML rules of each block kind: implementation names and parameters.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platform/params/field_table.h"
#include "platform/topology/graph.h"
#include "platform/topology/implementations.h"
#include "platform/topology/machine_spec.h"
#include "platform/topology/spec_reader.h"

namespace kb::topology {

struct KindSchema {
  NodeKind kind{};
  std::string impl;                // default implementation
  std::vector<std::string> impls;  // built-in implementations of the kind
  params::FieldTable fields;
  // Parameters that a built-in implementation has besides those of the kind.
  std::map<std::string, params::FieldTable> own_fields{};
};

const KindSchema& kind_rule(NodeKind kind);

// Parameters of an implementation besides those of the kind; null when it has none.
const params::FieldTable* fields_of_impl(const Implementations& implementations, NodeKind kind,
                                         const std::string& impl);

// Parameters that may be a number or a mapping by dtype, with the entry that a single number sets.
const yaml::Openings& rate_openings();

// The nine blocks of a PE in node order (T-9).
const std::vector<NodeKind>& pe_block_kinds();
// The same for a machine with engines of plug-ins.
std::vector<NodeKind> pe_block_kinds(const MachineSpec& spec);

// The `impl` of an entry if it can implement `kind`. Otherwise the default, and the attributes of the entry are not
// checked.
struct ImplChoice {
  std::string impl;
  bool attrs_known = true;
};
ImplChoice read_impl(MapReader& entry, NodeKind kind);

// Parameters of a node: those of its kind, those of a custom implementation, and whether the implementation is foreign.
struct NodeParams {
  params::ParamSet kind, impl;
  bool foreign = false;
};
// The parameters of `node`, changed by `attrs`, for the implementation `impl`. `attrs_known`: as of ImplChoice.
NodeParams change_params(MapReader& attrs, const Node& node, const std::string& impl, bool attrs_known);

// Overhead of a header or a message; 0 for a kind without overhead.
TimeFs overhead_of(const params::ParamSet& params);

// Reads { kind, impl, attrs } from `component` (T-27).
ComponentSpec read_component(MapReader& component, NodeKind kind);
// Variant for defaults that follow from other keys; `defaults` is the parameter struct of the kind.
template <typename P>
ComponentSpec read_component(MapReader& component, NodeKind kind, const P& defaults);
ComponentSpec read_component(MapReader& component, NodeKind kind, const params::ParamSet& defaults);

template <typename P>
ComponentSpec read_component(MapReader& component, NodeKind kind, const P& defaults) {
  return read_component(component, kind, params::ParamSet(kind_rule(kind).fields, std::make_shared<const P>(defaults)));
}

}  // namespace kb::topology
