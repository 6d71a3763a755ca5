// A substitute for a memory that answers every request after a fixed time and records the requests.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "modules/fabric/fabric_endpoint.h"
#include "platform/elab/registry.h"

namespace kb::test {

// Configuration and record of a scripted memory.
struct MemoryScript {
  TimeFs delay = 100_ns;
  std::function<payload::Status(const payload::Transaction&)> status;
  struct Access {
    NodeId node;
    payload::Op op = payload::Op::message;
    std::uint64_t address = 0;
    std::uint64_t hbm_offset = 0;
    std::uint64_t bytes = 0;
    TimeFs arrived = 0_fs;
  };
  std::vector<Access> accesses;
};

class ScriptedMemory final : public modules::FabricEndpoint {
 public:
  ScriptedMemory(const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context, MemoryScript& script)
      : FabricEndpoint(name, node, context.graph.node(node).overhead, context), script_(script) {}

 protected:
  void on_request(payload::Transaction& t, TimeFs arrived) override {
    script_.accesses.push_back({node(), t.op, t.address, t.hbm_offset, t.bytes, arrived});
    if (script_.status) t.status = script_.status(t);
    respond(t, now() + script_.delay);
  }

 private:
  MemoryScript& script_;
};

// `script` must outlive the platform.
inline elab::BlockFactory scripted_memory(MemoryScript& script) {
  return [&script](const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context) {
    return std::make_unique<ScriptedMemory>(name, node, context, script);
  };
}

}  // namespace kb::test
