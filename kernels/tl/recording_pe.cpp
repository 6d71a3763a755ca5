#include "kernels/tl/recording_pe.h"

#include <utility>

#include "platform/contract/command.h"
#include "platform/engine/engine_row.h"

namespace kb::tl {

using contract::Command;
using contract::CommandKind;

contract::PeInfo RecordingPe::default_info() {
  contract::PeInfo info;
  info.coord = {SipId{0}, CubeId{0}, PeId{0}};
  info.scratch_pa = kScratchPa;
  info.scratch_bytes = std::uint64_t{1} << 20;
  info.message_base = kMessageBase;
  info.message_bytes = std::uint64_t{1} << 30;
  return info;
}

RecordingPe::RecordingPe(contract::PeInfo info) : info_(info) {}

void RecordingPe::execute(const Command& command) {
  commands_.push_back(command);
  if (on_execute) on_execute(commands_.back());
}

void RecordingPe::write_scratch(std::uint64_t pa, Dtype /*dtype*/, std::vector<std::byte> bytes) {
  scratch_writes_.push_back({pa, std::move(bytes), commands_.size()});
}

std::vector<std::byte> RecordingPe::read(const std::vector<Extent>& extents) {
  if (contents) return contents(extents);
  return std::vector<std::byte>(total_bytes(extents));
}

std::optional<std::vector<std::byte>> RecordingPe::read_if_known(const std::vector<Extent>& extents) {
  if (blind) return std::nullopt;
  return read(extents);
}

std::vector<std::string> RecordingPe::command_names() const {
  std::vector<std::string> names;
  for (const Command& command : commands_) {
    std::string name = contract::command_name(command.kind, command.engine);
    if (command.kind == CommandKind::engine && command.row->name != name) name += "." + command.row->name;
    names.push_back(std::move(name));
  }
  return names;
}

void RecordingPe::clear() {
  commands_.clear();
  scratch_writes_.clear();
}

}  // namespace kb::tl
