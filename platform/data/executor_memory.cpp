#include <fmt/format.h>

#include "platform/base/error.h"
#include "platform/data/executor.h"

namespace kb::data {

Executor::Executor(MemoryStore& memory) : memory_(memory) {}

void Executor::execute(const OpRecord& record) {
  std::visit([this](const auto& op) { run(op); }, record.op);
}

void check_extents(const OperandRef& operand) {
  const std::uint64_t held = total_bytes(operand.extents);
  if (held != operand.nbytes()) {
    throw Error::model(fmt::format("data engine: the extents of operand {} hold {} bytes instead of {}",
                                   format_operand(operand), held, operand.nbytes()));
  }
}

void Executor::run(const CopyOp& op) {
  const std::uint64_t from = total_bytes(op.source);
  const std::uint64_t to = total_bytes(op.destination);
  if (from != to) throw Error::model(fmt::format("data engine: a copy of {} bytes into {} bytes", from, to));
  memory_.gather(op.source, bytes_);
  if (op.added) return add_to(op.destination, *op.added);
  memory_.scatter(op.destination, bytes_.data());
}

void Executor::run(const WriteOp& op) {
  if (!op.buffer) {
    contract::Pattern pattern = op.pattern;
    for (const Extent& extent : op.destination) {
      memory_.fill(extent.pa, extent.nbytes, pattern);
      // The pattern continues from the previous extent.
      const unsigned bits = static_cast<unsigned>(extent.nbytes % pattern.width) * 8;
      const unsigned width = pattern.width * 8u;
      if (bits != 0) pattern.value = pattern.value >> bits | pattern.value << (width - bits);
    }
    return;
  }
  const std::uint64_t nbytes = total_bytes(op.destination);
  if (op.buffer_offset > op.buffer->size() || op.buffer->size() - op.buffer_offset < nbytes) {
    throw Error::model(fmt::format("data engine: a write of {} bytes from offset {} of a host buffer of {} bytes",
                                   nbytes, op.buffer_offset, op.buffer->size()));
  }
  memory_.scatter(op.destination, op.buffer->data() + op.buffer_offset);
}

}  // namespace kb::data
