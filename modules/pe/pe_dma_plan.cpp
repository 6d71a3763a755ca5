// The requests of a command of PE_DMA: extents translated, split by slice and channel, and routed.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "modules/pe/pe_dma.h"
#include "platform/address/address_space.h"
#include "platform/address/phys_addr.h"
#include "platform/base/error.h"
#include "platform/contract/command.h"
#include "platform/elab/route_table.h"

namespace kb::modules {
namespace {

// The generic payload counts bytes in 32 bits.
constexpr std::uint64_t kMaxRequestBytes = std::uint64_t{1} << 31;

// The operand that the DMA stage of a tile transfers.
const OperandRef& operand_of(const contract::Command& command, const plan::Stage& stage) {
  switch (stage.operand) {
    case plan::TileOperand::out:
      return command.out;
    case plan::TileOperand::epilogue:
      return *command.epilogues.at(stage.epilogue).input(stage.input);
    case plan::TileOperand::a:
    case plan::TileOperand::b:
      break;
  }
  return command.inputs.at(static_cast<std::size_t>(stage.operand));
}

}  // namespace

void PeDma::plan(const CommandTask& task) {
  requests_.clear();
  copied_bytes_ = 0;
  translated_ = false;
  fault_ = 0;
  const contract::Command& command = *task.command;
  if (task.pipeline() != nullptr) {
    plan_pieces(operand_of(command, task.stage).extents, task.stage);
    return;
  }
  check_local(command);
  for (const Extent& extent : command.memory) plan_extent(extent);
}

// Plans the stage's byte range of the concatenated extents.
void PeDma::plan_pieces(const std::vector<Extent>& extents, const plan::Stage& stage) {
  const std::uint64_t piece_bytes = stage.nbytes / static_cast<std::uint64_t>(stage.pieces);
  std::uint64_t before = 0;  // bytes in the extents before this one
  auto extent = extents.begin();
  for (std::int64_t piece = 0; piece < stage.pieces; ++piece) {
    std::uint64_t at = stage.offset + static_cast<std::uint64_t>(piece) * stage.piece_step;
    const std::uint64_t end = at + piece_bytes;
    while (at < end) {
      if (extent == extents.end()) throw Error::model(node_id() + " was given a tile beyond the end of its operand");
      if (at >= before + extent->nbytes) {
        before += extent->nbytes;
        ++extent;
        continue;
      }
      const std::uint64_t part = std::min(end, before + extent->nbytes) - at;
      plan_extent({extent->pa + (at - before), part});
      at += part;
    }
  }
}

void PeDma::plan_extent(const Extent& extent) {
  if (address::space_of(extent.pa) == address::AddressSpace::pa) {
    plan_physical(extent);
    return;
  }
  if (translator() == nullptr) {
    throw Error::program("ADDRESS_ERROR", fmt::format("{} needs a translation, but this machine's tensors have "
                                                      "physical addresses (cube.memory_map.address_model)",
                                                      address::encoded_text(extent.pa)));
  }
  translated_ = true;
  physical_.clear();
  if (const auto fault = translator()->translate(extent, physical_)) {
    fault_ = *fault;
    const bool segments = translator() == &baaw_;
    throw Error::program(
        segments ? "SEGMENT_FAULT" : "PAGE_FAULT",
        fmt::format("{} is {} at this PE (in an access to {} bytes at {})", address::encoded_text(fault_),
                    segments ? "in no segment" : "not mapped", extent.nbytes, address::encoded_text(extent.pa)));
  }
  for (const Extent& piece : physical_) {
    if (has_channels(piece)) {
      plan_channels(piece);
    } else {
      plan_physical(piece);
    }
  }
}

void PeDma::plan_physical(const Extent& extent) {
  for (std::uint64_t done = 0; done < extent.nbytes;) {
    const std::uint64_t pa = extent.pa + done;
    if (const Slice* const slice = recent_slice(pa)) {
      const std::uint64_t offset = pa - slice->begin;
      const std::uint64_t nbytes = std::min({extent.nbytes - done, kMaxRequestBytes, slice_bytes_ - offset});
      requests_.push_back({slice->route, pa, slice->hbm_offset + offset, nbytes});
      done += nbytes;
      continue;
    }
    const address::PhysAddr at = address::PhysAddr::decode(pa);
    const std::uint64_t hbm_offset = at.is_hbm() ? at.hbm_offset() : 0;
    std::uint64_t nbytes = std::min(extent.nbytes - done, kMaxRequestBytes);
    if (at.is_hbm()) nbytes = std::min(nbytes, slice_bytes_ - hbm_offset % slice_bytes_);
    const NodeId memory = context().routes.resolver().resolve_memory(at, nbytes);
    if (memory == node()) {
      tcm_access_.require_port();
      copied_bytes_ += nbytes;
      done += nbytes;
      continue;
    }
    const payload::FabricRoute& route = route_to(memory);
    requests_.push_back({&route, at.value(), hbm_offset, nbytes});
    done += nbytes;
    if (!at.is_hbm()) continue;
    const std::uint64_t in_slice = hbm_offset % slice_bytes_;
    slices_[next_slice_++ % slices_.size()] = {at.value() - in_slice, hbm_offset - in_slice, &route};
  }
}

void PeDma::plan_copies() {
  const std::vector<Request> planned = std::exchange(requests_, {});
  for (const Request& request : planned) {
    if (!address::PhysAddr::decode(request.pa).is_hbm()) {
      requests_.push_back(request);
      continue;
    }
    const Extent own{hbm_begin_ + request.hbm_offset % slice_bytes_, request.nbytes};
    has_channels(own) ? plan_channels(own) : plan_physical(own);
  }
}

bool PeDma::has_channels(const Extent& extent) const {
  const std::uint64_t offset = extent.pa - hbm_begin_;
  return !channel_routes_.empty() && offset < slice_bytes_ && extent.nbytes <= slice_bytes_ - offset;
}

void PeDma::plan_channels(const Extent& extent) {
  const std::uint64_t offset = hbm_begin_offset_ + (extent.pa - hbm_begin_);
  parts_.clear();
  stripe_.split(offset, extent.nbytes, parts_);
  for (const address::ChannelPart& part : parts_) {
    requests_.push_back({channel_routes_[part.channel], extent.pa + (part.offset - offset), part.offset, part.nbytes});
  }
}

const PeDma::Slice* PeDma::recent_slice(std::uint64_t pa) const {
  for (const Slice& slice : slices_) {
    if (slice.route != nullptr && pa - slice.begin < slice_bytes_) return &slice;
  }
  return nullptr;
}

const payload::FabricRoute& PeDma::route_to(NodeId destination) {
  const payload::FabricRoute*& route = routes_[destination];
  if (route == nullptr) route = &context().routes.pe_dma(node(), destination);
  return *route;
}

}  // namespace kb::modules
