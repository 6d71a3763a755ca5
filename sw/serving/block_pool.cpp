#include "sw/serving/block_pool.h"

namespace kb::serving {

BlockPool::BlockPool(std::int64_t blocks) : blocks_(static_cast<std::size_t>(blocks) + 1) {
  const auto anchor = static_cast<std::int32_t>(blocks);
  blocks_.back().previous = blocks_.back().next = anchor;
  for (std::int32_t block = 0; block < anchor; ++block) enter_queue(block);
}

void BlockPool::leave_queue(Block& block) {
  blocks_[static_cast<std::size_t>(block.previous)].next = block.next;
  blocks_[static_cast<std::size_t>(block.next)].previous = block.previous;
  --free_;
}

void BlockPool::enter_queue(std::int32_t block) {
  const auto anchor = static_cast<std::int32_t>(size());
  Block& entering = blocks_[static_cast<std::size_t>(block)];
  entering.next = anchor;
  entering.previous = blocks_.back().previous;
  blocks_[static_cast<std::size_t>(entering.previous)].next = block;
  blocks_.back().previous = block;
  ++free_;
}

BlockId BlockPool::take() {
  const auto id = BlockId(blocks_.back().next);
  Block& block = at(id);
  leave_queue(block);
  if (block.content >= 0) {
    const auto found = index_.find(block.content);
    if (found != index_.end() && found->second == id) index_.erase(found);
    block.content = -1;
  }
  block.users = 1;
  return id;
}

void BlockPool::share(BlockId block) {
  if (at(block).users++ == 0) leave_queue(at(block));
}

void BlockPool::release(const std::vector<BlockId>& blocks) {
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    if (--at(*block).users == 0) enter_queue(static_cast<std::int32_t>(*block));
  }
}

void BlockPool::index(BlockId block, std::int64_t content) {
  at(block).content = content;
  index_[content] = block;
}

std::optional<BlockId> BlockPool::find(std::int64_t content) const {
  const auto found = index_.find(content);
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

}  // namespace kb::serving
