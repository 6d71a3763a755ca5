#include "modules/fabric/foreign_links.h"

#include <memory>

#include "modules/fabric/protocol_checker.h"

namespace kb::modules {

namespace {
struct ForeignLinks {  // per platform
  std::unique_ptr<ProtocolChecker> checker;
};
}  // namespace

void watch_foreign_links(FabricNode& node, elab::BlockContext& context) {
  const topology::Graph& graph = context.graph;
  for (std::uint16_t p = 0; p < node.port_count(); ++p) {
    if (!node.node_record().foreign && !graph.node(node.link(p).neighbour).foreign) continue;
    std::unique_ptr<ProtocolChecker>& checker = context.shared<ForeignLinks>().checker;
    if (checker == nullptr) checker = std::make_unique<ProtocolChecker>(context, ProtocolChecker::Mode::enforce);
    checker->watch(node, p);
  }
}

void throw_if_a_block_stalls(elab::BlockContext& context) {
  const ForeignLinks& links = context.shared<ForeignLinks>();
  if (links.checker != nullptr) links.checker->throw_if_a_block_stalls();
}

}  // namespace kb::modules
