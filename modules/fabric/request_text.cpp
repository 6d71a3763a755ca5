#include "modules/fabric/request_text.h"

#include <fmt/format.h>

#include "platform/payload/messages.h"
#include "platform/topology/graph.h"

namespace kb::modules {

using payload::Op;

std::string request_text(const payload::Transaction& transaction) {
  if (transaction.op != Op::message) {
    return fmt::format("{} of {} at {:#x}", transaction.op == Op::read ? "read" : "write",
                       format_bytes(transaction.bytes), transaction.address);
  }
  const payload::Message* const message = transaction.message.get();
  if (const auto* launch = std::get_if<payload::KernelLaunchMsg>(message)) {
    return fmt::format("launch #{}", launch->request);
  }
  if (const payload::TranslationMsg* const mapping = payload::translation(message)) {
    return fmt::format("{} request #{}", payload::translation_verb(*message), mapping->request);
  }
  return "control message";
}

std::string request_text(const payload::Transaction& transaction, const topology::Graph& graph) {
  return request_text(transaction) + " by " + graph.node(transaction.route->nodes.front()).id;
}

}  // namespace kb::modules
