#include "modules/kit/pe_fixture.h"

#include <exception>
#include <string>
#include <utility>

#include "modules/catalog.h"
#include "modules/pe/pe_protocol_checker.h"
#include "platform/base/error.h"
#include "platform/contract/command.h"

namespace kb::test {
namespace {

using topology::NodeKind;

constexpr const char* kMachine =
    "system: { sips: { count: 1 } }\nsip: { cube_mesh: { w: 1, h: 1 } }\n"
    "cube: { pe_layout: { corners: [NW], pe_per_corner: 1 } }\n";

}  // namespace

PeFixture::PeFixture(NodeKind script, const std::vector<std::pair<std::string, std::string>>& set)
    : topology_(topology::load_text(kMachine, "pe_fixture.yaml", set)), registry_(modules::builtin_registry()) {
  const std::string impl = "builtin." + std::string(topology::node_kind_name(script));
  registry_[impl] = script == NodeKind::pe_cpu ? scripted_requester<modules::PeFabricBlock>(scripts_)
                                               : scripted_requester<modules::PeBlock>(scripts_);
  for (const char* name : {"builtin.hbm_ctrl", "builtin.sram"}) registry_[name] = scripted_memory(memory);
}

PeFixture::~PeFixture() = default;

NodeId PeFixture::node(NodeKind kind) const {
  return *topology_.graph.find_node("sip0.cube0.pe0." + std::string(topology::node_kind_name(kind)));
}

NodeId PeFixture::add_block(elab::BlockDefinition definition, const Values& params, const Values& own) {
  blocks_.push_back(std::move(definition));
  const elab::BlockDefinition& block = blocks_.back();
  const NodeId id = node(block.kind);
  topology::Node& node = topology_.graph.nodes[id.value];
  node.impl = block.impl;
  node.params = with_values(node.params, params);
  node.overhead = topology::overhead_of(node.params);
  node.impl_params = with_values(params::ParamSet(block.fields), own);
  node.foreign = block.origin == topology::Origin::foreign;
  registry_[block.impl] = block.factory;
  return id;
}

void PeFixture::start() {
  elab::PlatformOptions options;
  options.observer = &waves_;
  platform_ = std::make_unique<elab::Platform>("fixture", topology_.graph, registry_, options);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

std::size_t PeFixture::give(TimeFs at, NodeKind to, contract::Command command) {
  return give({at, to, std::move(command), {}, {}});
}

std::size_t PeFixture::give(Request request) {
  requests_.push_back(std::move(request));
  return requests_.size() - 1;
}

std::vector<std::string> PeFixture::run() {
  scripts_.front()->plan(requests_);
  try {
    sc_core::sc_start();
    modules::throw_if_a_pe_block_stalls(platform_->context());
  } catch (const std::exception& error) {
    return {error.what()};
  }
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (outcomes()[i].answered < 0_fs) problems.push_back("command " + std::to_string(i) + " was never answered");
  }
  return problems;
}

const std::vector<Outcome>& PeFixture::outcomes() const {
  return scripts_.front()->outcomes;
}

std::map<std::string, std::int64_t> PeFixture::statistics(NodeKind kind) const {
  std::vector<elab::Statistic> list;
  platform_->block(node(kind)).collect_statistics(list);
  std::map<std::string, std::int64_t> values;
  for (const elab::Statistic& statistic : list) values[statistic.name] = statistic.value;
  return values;
}

}  // namespace kb::test
