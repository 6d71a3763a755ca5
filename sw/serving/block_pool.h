// Blocks of keys and values, and the index of what they hold.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace kb::serving {

enum class BlockId : std::int32_t {};

// All blocks that nobody uses stand in one queue: the next one is taken from its head, and released ones go to its
// tail. A block keeps its content in the queue, so that a later request with the same text may use it again.
class BlockPool {
 public:
  explicit BlockPool(std::int64_t blocks);

  std::int64_t size() const { return static_cast<std::int64_t>(blocks_.size()) - 1; }
  std::int64_t free_blocks() const { return free_; }
  bool is_free(BlockId block) const { return at(block).users == 0; }

  // Takes the head of the queue, whose content is forgotten. There must be a free block.
  BlockId take();
  // One more user of a block that holds a content; takes it out of the queue if it is there.
  void share(BlockId block);
  // One user less of each. Free ones are queued in reverse order, so that the end of a text is overwritten first.
  void release(const std::vector<BlockId>& blocks);

  // Makes the content findable; a second block of the same content takes the place of the first one.
  void index(BlockId block, std::int64_t content);
  std::optional<BlockId> find(std::int64_t content) const;

 private:
  struct Block {
    std::int32_t users = 0;
    std::int32_t previous = 0, next = 0;  // in the queue of free blocks
    std::int64_t content = -1;            // -1: not indexed
  };
  Block& at(BlockId block) { return blocks_[static_cast<std::size_t>(block)]; }
  const Block& at(BlockId block) const { return blocks_[static_cast<std::size_t>(block)]; }
  void leave_queue(Block& block);
  void enter_queue(std::int32_t block);

  std::vector<Block> blocks_;  // the last one is the ring's anchor: its next is the head of the queue
  std::int64_t free_ = 0;
  std::unordered_map<std::int64_t, BlockId> index_;  // never iterated
};

}  // namespace kb::serving
