// What each block kind accepts in YAML: its implementation names and its closed set of attributes with defaults.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/topology/graph.h"
#include "platform/topology/machine_spec.h"
#include "platform/topology/spec_reader.h"

namespace kb::topology {

// macs_per_ns and elements_per_ns: the rate of f16, or a mapping of rates by dtype. granularity: "32x64x32" or "none".
enum class AttributeType { real, whole, power_of_two, flag, word, macs_per_ns, elements_per_ns, granularity };

struct AttributeRule {
  std::string name;
  AttributeType type = AttributeType::real;
  AttributeValue fallback;
  Bounds bounds;
  std::vector<std::string> words;  // word: the accepted ones
  std::string follows = {};        // the attribute before this one whose value is the default
};

// An attribute that users expect here but that has its one place elsewhere.
struct AttributeRedirect {
  std::string name;
  std::string remedy;
};

// Optional attributes <prefix><word>; one that is not written does not exist.
struct AttributeFamily {
  std::string prefix;
  std::vector<std::string> words;
  Bounds bounds;
};

struct KindRule {
  NodeKind kind{};
  std::string impl;                // default
  std::vector<std::string> impls;  // builtin names that can serve
  std::vector<AttributeRule> attrs;
  std::vector<AttributeRedirect> redirects;
  std::optional<AttributeFamily> family;
};

const KindRule& kind_rule(NodeKind kind);

// Attributes that may be a number or a mapping by dtype, and what the number is in such a mapping.
const yaml::Openings& rate_openings();

// The nine sub-blocks of a PE in the order of their nodes (T-9).
const std::vector<NodeKind>& pe_block_kinds();

// Reads { kind, impl, attrs } out of `component` (T-27). `defaults` replaces the kind's own attribute defaults where
// they follow from other keys.
ComponentSpec read_component(MapReader& component, NodeKind kind, const AttributeMap& defaults = {});

}  // namespace kb::topology
