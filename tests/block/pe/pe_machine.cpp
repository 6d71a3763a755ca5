#include "tests/block/pe/pe_machine.h"

#include <algorithm>
#include <utility>

#include "modules/cube/catalog.h"
#include "modules/fabric/catalog.h"
#include "modules/io/catalog.h"
#include "modules/kit/params.h"
#include "modules/pe/catalog.h"
#include "platform/address/phys_addr.h"
#include "platform/contract/completion.h"
#include "platform/contract/kernel_arguments.h"
#include "platform/contract/kernel_launch.h"

namespace kb::test {
namespace {

using topology::NodeKind;

topology::LoadedTopology load(const MachineOptions& options) {
  const std::string corners = options.pes == 1 ? "NW" : options.pes == 2 ? "NW, SE" : "NW, NE, SW, SE";
  topology::LoadedTopology loaded =
      topology::load_text("system: { sips: { count: 1 } }\nsip: { cube_mesh: { w: " + std::to_string(options.cubes) +
                              ", h: 1 } }\ncube: { pe_layout: { corners: [" + corners + "], pe_per_corner: 1 } }\n",
                          "test.yaml", options.set,
                          options.blocks == nullptr ? topology::builtin_only() : options.blocks->implementations());
  for (topology::Node& node : loaded.graph.nodes) {
    if (node.kind != NodeKind::pe_math || options.math_attrs.empty()) continue;
    node.params = with_values(node.params, options.math_attrs);
  }
  return loaded;
}

}  // namespace

void Kernels::add(const std::string& name, std::function<void(contract::IPe&)> body) {
  contract::Kernel& kernel = kernels_[name];
  kernel.name = name;
  kernel.body = [body = std::move(body)](contract::IPe& pe, const std::vector<contract::KernelArg>&) { body(pe); };
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

void OperationLog::on_command(NodeId component, const contract::Command& command,
                              const contract::ITranslator* translator, TimeFs start, TimeFs end) {
  std::vector<Extent> memory = command.memory;
  if (translator != nullptr) {
    memory.clear();
    for (const Extent& extent : command.memory) translator->translate(extent, memory);
  }
  commands.push_back({component, command.kind, command.call, start, end, std::move(memory)});
}
void OperationLog::on_stage(NodeId component, const TileStage& tile, TimeFs start, TimeFs end) {
  stages.push_back({component, tile.stage.type, tile.tile, start, end});
}

void OperationLog::on_message(NodeId component, const MessageCopy& copy, const contract::ITranslator*, TimeFs start,
                              TimeFs end) {
  messages.push_back({component, copy.step, copy.source.front().pa, copy.destination.front().pa,
                      std::string(copy.direction), copy.sequence, start, end});
}
void OperationLog::on_scratch_write(NodeId component, std::uint64_t pa, Dtype /*dtype*/, std::vector<std::byte> bytes,
                                    TimeFs at) {
  writes.push_back({component, pa, std::move(bytes), at});
}
std::vector<std::byte> OperationLog::kernel_read(const std::vector<Extent>& extents) {
  return std::vector<std::byte>(total_bytes(extents), std::byte{7});
}

struct PeMachine::Script {
  elab::BlockRegistry blocks;
  std::vector<IScriptedRequester*> requesters;

  Script(const MachineOptions& options, MemoryScript& memory) {
    modules::add_fabric_blocks(blocks);
    modules::add_cube_blocks(blocks);
    modules::add_io_blocks(blocks);
    modules::add_pe_blocks(blocks);
    if (options.blocks != nullptr) blocks = options.blocks->with(std::move(blocks));
    for (NodeKind kind : options.requesters) {
      blocks["builtin." + std::string(topology::node_kind_name(kind))] =
          kind == NodeKind::pe_cpu ? scripted_requester<modules::PeFabricBlock>(requesters)
                                   : scripted_requester<modules::PeBlock>(requesters);
    }
    if (!options.scripted_memory) return;
    for (const char* impl : {"builtin.hbm_ctrl", "builtin.sram"}) {
      blocks[impl] = scripted_memory(memory);
    }
  }
};

PeMachine::PeMachine(const MachineOptions& options)
    : topology(load(options)), script_(std::make_unique<Script>(options, memory)) {
  elab::PlatformOptions platform_options;
  platform_options.operations = &log;
  platform_options.kernels = &kernels;
  platform_options.observer = &waves;
  platform = std::make_unique<elab::Platform>("machine", graph(), script_->blocks, platform_options);
}

PeMachine::~PeMachine() = default;

std::uint64_t PeMachine::tcm(std::uint64_t offset, int pe) const {
  return address::PhysAddr::pe_tcm_addr(SipId(0), CubeId(0), PeId(static_cast<std::uint32_t>(pe)), offset).value();
}

std::vector<Outcome> PeMachine::run(const std::vector<Request>& requests) {
  IScriptedRequester& requester = *script_->requesters.front();
  requester.plan(requests);
  run();
  return requester.outcomes;
}

std::size_t PeMachine::launch(const std::string& kernel, TimeFs ready, std::optional<TimeFs> target_start, int pe) {
  auto launch = std::make_shared<contract::KernelLaunch>();
  launch->kernel = kernel;
  launch->sip = SipId(0);
  launch->cubes = {CubeId(0)};
  launch->pes = {PeId(static_cast<std::uint32_t>(pe))};
  payload::KernelLaunchMsg message{launch, answers.size(), target_start.value_or(kNever)};
  return send("sip0.cube0.pe" + std::to_string(pe) + ".pe_cpu", ready, payload::Op::message, std::move(message));
}

std::size_t PeMachine::send(const std::string& target, TimeFs ready, payload::Op op,
                            std::optional<payload::Message> message, std::uint64_t bytes) {
  const NodeId m_cpu = node("sip0.cube0.m_cpu");
  const NodeId to = node(target);
  const payload::FabricRoute& route =
      op == payload::Op::message ? platform->routes().command(m_cpu, to) : platform->routes().mcpu_dma(m_cpu, to);
  auto& endpoint = platform->block_as<modules::FabricEndpoint>(m_cpu);
  payload::Transaction& transaction = platform->pool().acquire(op, route, 0, bytes);
  if (message) transaction.message = std::make_shared<const payload::Message>(*std::move(message));
  transaction.initiator = this;
  transaction.cookie = answers.size();
  answers.emplace_back();
  endpoint.issue(transaction, ready - (route.formula_fs - endpoint.overhead()));
  return transaction.cookie;
}

void PeMachine::on_response(payload::Transaction& transaction) {
  Answer& answer = answers[transaction.cookie];
  answer.arrived = true;
  answer.completed = transaction.completed;
  answer.status = transaction.status;
  if (const auto* reply = std::get_if<payload::LaunchReply>(transaction.reply.get())) {
    answer.result = std::make_shared<const contract::PeResult>(reply->pes.at(0));
  }
  platform->pool().release(transaction);
}

std::vector<std::string> PeMachine::wait_lines(const std::string& id) const {
  std::vector<elab::WaitInfo> waits;
  platform->block(id).collect_waits(waits);
  std::vector<std::string> lines;
  for (const elab::WaitInfo& wait : waits) lines.push_back(wait.who + ": " + wait.what + " @" + format_ns(wait.since));
  return lines;
}

std::map<std::string, std::int64_t> PeMachine::statistics(const std::string& id) const {
  std::vector<elab::Statistic> list;
  platform->block(id).collect_statistics(list);
  std::map<std::string, std::int64_t> values;
  for (const elab::Statistic& statistic : list) values[statistic.name] = statistic.value;
  return values;
}

TimeFs PeMachine::time(const std::string& node, const std::string& statistic) const {
  return TimeFs(statistics(node)[statistic]);
}

OperandRef matrix(std::uint64_t offset, std::int64_t rows, std::int64_t columns) {
  const auto nbytes = static_cast<std::uint64_t>(rows * columns) * 2;
  return OperandRef::tensor({{hbm(offset), nbytes}}, {rows, columns}, Dtype::f16);
}

contract::Command composite(std::int64_t m, std::int64_t k, std::int64_t n) {
  contract::Command command = gemm(m, k, n);
  command.kind = contract::CommandKind::composite;
  command.inputs = {matrix(0, m, k), matrix(1u << 20, k, n)};
  command.out = matrix(2u << 20, m, n);
  return command;
}

}  // namespace kb::test
