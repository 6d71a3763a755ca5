#include "tests/block/io/command_machine.h"

#include <algorithm>

#include "modules/cube/catalog.h"
#include "modules/fabric/catalog.h"
#include "modules/io/catalog.h"
#include "platform/contract/kernel_arguments.h"
#include "platform/contract/kernel_launch.h"

namespace kb::test {
namespace {

std::string yaml(const MachineShape& shape) {
  std::string corners;
  for (const std::string& corner : shape.corners) corners += (corners.empty() ? "" : ", ") + corner;
  return "system: { sips: { count: " + std::to_string(shape.sips) +
         " } }\nsip: { cube_mesh: { w: " + std::to_string(shape.mesh_w) + ", h: " + std::to_string(shape.mesh_h) +
         " } }\ncube: { pe_layout: { corners: [" + corners +
         "], pe_per_corner: " + std::to_string(shape.pes_per_corner) + " } }\n";
}

// Stands for PE_CPU and PE_MMU on the fabric.
class ScriptedPe final : public modules::FabricEndpoint {
 public:
  ScriptedPe(const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context, Script& script)
      : FabricEndpoint(name, node, context.graph.node(node).overhead, context), script_(script) {}

  void bind_out(EdgeId edge, elab::Block& neighbour) override {
    if (context().graph.edge(edge).kind == topology::EdgeKind::pe_internal) return;
    FabricEndpoint::bind_out(edge, neighbour);
  }

 protected:
  void on_request(payload::Transaction& transaction, TimeFs) override {
    const PeCoord pe{node_record().sip, node_record().cube, node_record().pe};
    Arrival arrival{node_id(), pe, now(), now(), kNever, transaction.bytes, transaction.message};
    const auto* launch = std::get_if<payload::KernelLaunchMsg>(transaction.message.get());
    if (launch != nullptr && launch->target_start != kNever) {
      arrival.stamp = launch->target_start;
      arrival.start = std::max(now(), arrival.stamp);
    }
    script_.arrivals.push_back(arrival);
    Reaction reaction = script_.reaction(pe);
    if (!reaction.answer) return;
    transaction.status = reaction.status;
    if (launch != nullptr) {
      reaction.result.pe = pe;
      reaction.result.start = arrival.start;
      transaction.reply = payload::share(payload::LaunchReply({reaction.result}));
    }
    if (launch == nullptr || !reaction.barrier) return respond(transaction, arrival.start + reaction.after);
    payload::BarrierMsg message{launch->request, *reaction.barrier, launch->launch->pes.size(),
                                launch->launch->cubes.size(), pe};
    const NodeId m_cpu = context().routes.resolver().find_m_cpu(pe.sip, pe.cube);
    payload::Transaction& barrier =
        context().pool.acquire(payload::Op::message, context().routes.command(node(), m_cpu), 0, 0);
    barrier.message = payload::share(std::move(message));
    launch_ = &transaction;
    issue(barrier, arrival.start + reaction.after + overhead());
  }

  void on_response(payload::Transaction& barrier) override {
    const PeCoord pe{node_record().sip, node_record().cube, node_record().pe};
    script_.passes.push_back({pe, now(), barrier.status});
    launch_->status = barrier.status;
    context().pool.release(barrier);
    respond(*launch_, now());
  }

 private:
  payload::Transaction* launch_ = nullptr;  // under way while this PE is at a barrier
  Script& script_;
};

class IdleBlock final : public elab::Block {
 public:
  using Block::Block;
  void bind_out(EdgeId, elab::Block&) override {}
};

elab::BlockRegistry registry(Script& script) {
  elab::BlockRegistry blocks;
  modules::add_fabric_blocks(blocks);
  modules::add_cube_blocks(blocks);
  modules::add_io_blocks(blocks);
  for (const char* impl : {"builtin.pe_cpu", "builtin.pe_mmu", "builtin.pe_dma"}) {
    blocks[impl] = [&script](const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context) {
      return std::make_unique<ScriptedPe>(name, node, context, script);
    };
  }
  for (const char* impl : {"builtin.pe_scheduler", "builtin.pe_fetch_store", "builtin.pe_gemm", "builtin.pe_math",
                           "builtin.pe_tcm", "builtin.pe_ipcq"}) {
    blocks[impl] = elab::make_factory<IdleBlock>();
  }
  return blocks;
}

}  // namespace

Kernels::Kernels(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    kernels_[name].name = name;
    kernels_[name].parameters = {{"t", contract::ParameterKind::tensor, true}};
  }
}

const contract::Kernel* Kernels::find(const std::string& name) const {
  const auto found = kernels_.find(name);
  return found == kernels_.end() ? nullptr : &found->second;
}

std::vector<std::string> Kernels::names() const {
  std::vector<std::string> list;
  for (const auto& entry : kernels_) list.push_back(entry.first);
  return list;
}

CommandMachine::CommandMachine(const MachineShape& shape, const std::vector<std::pair<std::string, std::string>>& set)
    : topology(topology::load_text(yaml(shape), "test.yaml", set)) {
  elab::PlatformOptions options;
  options.operations = &writes;
  options.kernels = &kernels;
  platform = std::make_unique<elab::Platform>("machine", graph(), registry(script), options);
  for (int sip = 0; sip < shape.sips; ++sip) pcie_ep(sip).set_host(*this);
}

TimeFs CommandMachine::overhead(const std::string& id) const {
  return graph().node(node(id)).overhead;
}

TimeFs CommandMachine::formula(const std::string& from, const std::string& to) {
  return platform->routes().command(node(from), node(to)).formula_fs;
}

modules::PcieEp& CommandMachine::pcie_ep(int sip) {
  return platform->block_as<modules::PcieEp>(node("sip" + std::to_string(sip) + ".io0.pcie_ep"));
}

payload::Transaction& CommandMachine::send(int sip, const std::string& target, std::optional<payload::Message> message,
                                           std::uint64_t cookie) {
  const NodeId entry = pcie_ep(sip).node();
  payload::Transaction& transaction =
      platform->pool().acquire(payload::Op::message, platform->routes().command(entry, node(target)), 0, 0);
  if (message) transaction.message = std::make_shared<const payload::Message>(*std::move(message));
  transaction.cookie = cookie;
  pcie_ep(sip).submit(transaction);
  return transaction;
}

payload::KernelLaunchMsg CommandMachine::launch(std::vector<int> cubes, std::vector<int> pes,
                                                contract::FailurePolicy policy, std::uint64_t request) {
  auto launch = std::make_shared<contract::KernelLaunch>();
  launch->kernel = "nop";
  launch->sip = SipId(0);
  for (int cube : cubes) launch->cubes.emplace_back(static_cast<std::uint32_t>(cube));
  for (int pe : pes) launch->pes.emplace_back(static_cast<std::uint32_t>(pe));
  launch->failure_policy = policy;
  return {std::move(launch), request};
}

void CommandMachine::on_completed(payload::Transaction& transaction) {
  Answer answer{transaction.status, {}, transaction.issued, transaction.completed};
  if (const auto* reply = std::get_if<payload::LaunchReply>(transaction.reply.get())) answer.pes = reply->pes;
  answers[transaction.cookie] = answer;
  platform->pool().release(transaction);
}

std::vector<std::string> CommandMachine::wait_lines() const {
  std::vector<std::string> lines;
  for (const elab::WaitInfo& wait : platform->waits()) lines.push_back(wait.who + ": " + wait.what);
  return lines;
}

}  // namespace kb::test
