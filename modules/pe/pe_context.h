// What the blocks of one PE share.
#pragma once

#include <cstdint>

#include "modules/pe/accel_slot.h"
#include "modules/pe/pe_activity.h"
#include "platform/address/channel_stripe.h"
#include "platform/base/reuse_a.h"
#include "platform/base/tile_shape.h"
#include "platform/elab/block.h"
#include "platform/plan/tile_room.h"

namespace kb::contract {
class IQueueEndpoint;
class ITranslator;
}  // namespace kb::contract

namespace kb::modules {

class IMessageReceiver;
class ITcmPort;
class VcComm;

// One for each PE, made with the PE and handed to its blocks when they are constructed. Blocks find each other here,
// never by their concrete type; commands between them go over links.
struct PeContext final : elab::PeParts {
  PeContext(const PeCoord& pe, const elab::BlockContext& context);
  // The context of the PE that a node belongs to; model Error when the machine's registry makes none.
  static PeContext& of(NodeId node, const elab::BlockContext& context);
  // The context of another PE; null when there is no such PE.
  static PeContext* find(const PeCoord& pe, const elab::BlockContext& context);

  PeCoord coord;

  // Parameters that several blocks use.
  TileShape tile_shape;               // default tile shape of composites (P-20)
  plan::TileRoom tile_room;           // capacity that tiles of composites must fit (P-43, P-46)
  ReuseA reuse_a;                     // of composites that do not say it (P-102)
  std::uint64_t access_bytes;         // granularity of an access to the PE's own HBM slice
  address::ChannelStripe hbm_stripe;  // how that slice is spread over its channels

  std::uint64_t launch = 0;  // the host's request for the kernel that PE_CPU runs or ran last, for the log

  PeActivity activity;   // what the blocks are busy with
  AccelSlot accel_slot;  // what PE_GEMM and PE_MATH share (P-39)

  // Seams that a block of the PE offers to the others in its constructor; null where none does.
  const contract::ITranslator* translator = nullptr;  // PE_MMU, or PE_DMA for logical addresses
  VcComm* vc_comm = nullptr;                          // PE_DMA
  ITcmPort* tcm = nullptr;                            // PE_TCM
  IMessageReceiver* receiver = nullptr;               // PE_IPCQ, of what arrives at vc_comm
  contract::IQueueEndpoint* queues = nullptr;         // PE_IPCQ, of credits that take a path of their own
};

}  // namespace kb::modules
