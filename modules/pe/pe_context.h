// Objects that the blocks of one PE share.
#pragma once

#include <cstdint>

#include "modules/pe/accel_slot.h"
#include "modules/pe/pe_activity.h"
#include "platform/address/channel_stripe.h"
#include "platform/base/reuse_a.h"
#include "platform/base/tile_shape.h"
#include "platform/contract/pe_rates.h"
#include "platform/elab/block.h"
#include "platform/plan/tile_capacity.h"

namespace kb::contract {
class IQueueEndpoint;
class ITranslator;
}  // namespace kb::contract

namespace kb::modules {

class IMessageReceiver;
class ITcmPort;
class VcComm;

// Created once per PE and passed to the constructors of its blocks. Blocks find each other through this context, never
// by concrete type; commands between them go over links.
struct PeContext final : elab::PeParts {
  PeContext(const PeCoord& pe, const elab::BlockContext& context);
  // Context of the PE that a node belongs to; model Error when the machine's registry creates none.
  static PeContext& of(NodeId node, const elab::BlockContext& context);
  // Context of another PE; null when there is no such PE.
  static PeContext* find(const PeCoord& pe, const elab::BlockContext& context);

  PeCoord coord;

  // Parameters that several blocks use.
  TileShape tile_shape;               // default tile shape of composites (P-20)
  plan::TileCapacity tile_capacity;   // TCM capacity that the tiles of composites must fit (P-43, P-46)
  ReuseA reuse_a;                     // default for composites that do not set it (P-102)
  contract::PeRates rates;            // for kernels
  std::uint64_t access_bytes;         // granularity of an access to the PE's own HBM slice
  address::ChannelStripe hbm_stripe;  // mapping of the slice's addresses to its channels

  std::uint64_t launch = 0;  // request number of the kernel that PE_CPU runs or ran last, for the log

  PeActivity activity;   // busy times of the blocks
  AccelSlot accel_slot;  // shared by the engines (P-39)

  // Interfaces that a block of the PE registers for the others in its constructor; null when no block does.
  const contract::ITranslator* translator = nullptr;  // PE_MMU, or PE_DMA for logical addresses
  VcComm* vc_comm = nullptr;                          // PE_DMA
  ITcmPort* tcm = nullptr;                            // PE_TCM
  IMessageReceiver* receiver = nullptr;               // PE_IPCQ: messages that arrive at vc_comm
  contract::IQueueEndpoint* queues = nullptr;         // PE_IPCQ: credits that have a separate path
};

}  // namespace kb::modules
