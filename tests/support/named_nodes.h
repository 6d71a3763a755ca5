// Nodes that a test names, where they stand by the rule for names (T-40).
#pragma once

#include <regex>
#include <string>
#include <vector>

#include "platform/base/node_coord.h"

namespace kb::test {

inline NodeEntry named_node(const std::string& id) {
  static const std::regex rule(
      R"(sip(\d+)(?:\.cube(\d+)|\.(io\w*)(?=\.))?(?:\.pe(\d+)(?=\.)|(?=\.hbm_ctrl\.pe(\d+)$))?\.(.+))");
  static const std::regex router_rule(R"(r\d+c\d+)");
  std::smatch found;
  if (!std::regex_match(id, found, rule)) return {id, id, id, {}};
  const auto number = [&](std::size_t group) {
    return found[group].matched ? static_cast<std::uint32_t>(std::stoul(found[group])) : PeId::kNone;
  };
  const bool slice = found[5].matched;
  const std::string label = slice ? "hbm_ctrl" : found[6].str();
  const bool router = std::regex_match(label, router_rule);
  return {id,
          router ? "noc_router" : label,
          label,
          {SipId(number(1)), found[3], CubeId(number(2)), PeId(number(slice ? 5 : 4))}};
}

inline std::vector<NodeEntry> named_nodes(const std::vector<std::string>& ids) {
  std::vector<NodeEntry> nodes;
  for (const std::string& id : ids) nodes.push_back(named_node(id));
  return nodes;
}

}  // namespace kb::test
