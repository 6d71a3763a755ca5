// Maps an `impl` name of the topology to its module type (T-27). modules/catalog.cpp has the built-in table.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platform/elab/block.h"
#include "platform/params/field_table.h"
#include "platform/topology/implementations.h"

namespace kb::elab {

using BlockFactory =
    std::function<std::unique_ptr<Block>(const sc_core::sc_module_name& name, NodeId node, BlockContext& context)>;

// Maps impl names to factories; ordered, so that listings are stable.
class BlockRegistry {
 public:
  using Factories = std::map<std::string, BlockFactory>;
  using PePartsFactory = std::function<std::unique_ptr<PeParts>(const PeCoord& pe, const BlockContext& context)>;

  BlockFactory& operator[](const std::string& impl) { return factories_[impl]; }
  Factories::const_iterator find(const std::string& impl) const { return factories_.find(impl); }
  Factories::const_iterator begin() const { return factories_.begin(); }
  Factories::const_iterator end() const { return factories_.end(); }

  PePartsFactory pe_parts;  // called for each PE before its blocks are created; empty = PEs have no shared parts

 private:
  Factories factories_;
};

// Factory of a block without parameters.
template <typename BlockType>
BlockFactory make_factory() {
  return [](const sc_core::sc_module_name& name, NodeId node, BlockContext& context) -> std::unique_ptr<Block> {
    return std::make_unique<BlockType>(name, node, context);
  };
}
// Factory of a block whose constructor takes the parameters of its kind.
template <typename BlockType, typename Params>
BlockFactory make_factory() {
  return [](const sc_core::sc_module_name& name, NodeId node, BlockContext& context) -> std::unique_ptr<Block> {
    return std::make_unique<BlockType>(name, node, context.graph.node(node).params.template as<Params>(), context);
  };
}
// Factory of a plug-in block whose constructor takes the parameters of its kind and its own.
template <typename BlockType, typename KindParams, typename Params>
BlockFactory make_custom_factory() {
  return [](const sc_core::sc_module_name& name, NodeId node, BlockContext& context) -> std::unique_ptr<Block> {
    const topology::Node& record = context.graph.node(node);
    return std::make_unique<BlockType>(name, node, record.params.template as<KindParams>(),
                                       record.impl_params.template as<Params>(), context);
  };
}

// A block from a plug-in: its node kind (one name may serve several kinds, with one definition each), its name, and its
// own parameters.
struct BlockDefinition {
  topology::NodeKind kind{};
  std::string impl;  // "custom.<name>", or "rtl.<name>" of modules/rtl
  params::FieldTable fields;
  BlockFactory factory;
  topology::Origin origin = topology::Origin::foreign;
};

// The blocks of plug-ins or of a user's program: names for the topology, factories for the platform.
class BlockCatalog {
 public:
  // Configuration Error when the definition conflicts with others (Implementations::add) or has no factory.
  void add_block(BlockDefinition definition);

  // Adds an engine with its commands to every PE of machines whose file names it (P-105). Its block is the built-in
  // builtin.pe_engine unless add_block() registers another one, derived from modules::AccelEngine, for the returned
  // kind. Configuration Error when the row is incomplete or repeats a name.
  topology::NodeKind add_engine(engine::EngineRow row) { return implementations_.add_engine(std::move(row)); }

  const topology::Implementations& implementations() const { return implementations_; }
  // Returns `builtin` extended by these blocks.
  BlockRegistry with(BlockRegistry builtin) const;

 private:
  topology::Implementations implementations_;
  std::map<std::string, std::map<topology::NodeKind, BlockFactory>> factories_;
};

}  // namespace kb::elab
