// What the blocks of one PE share.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "modules/pe/accel_slot.h"
#include "modules/pe/pe_activity.h"
#include "platform/address/channel_stripe.h"
#include "platform/contract/i_queue_endpoint.h"
#include "platform/contract/i_translator.h"
#include "platform/elab/block.h"
#include "platform/params/hbm_ctrl_params.h"
#include "platform/params/pe_fetch_store_params.h"
#include "platform/params/pe_scheduler_params.h"
#include "platform/plan/tile_room.h"

namespace kb::modules {

class IMessageReceiver;
class ITcmPort;
class PeContexts;
class VcComm;

// One for each PE, handed to its blocks when they are constructed. Blocks find each other here, never by their concrete
// type; commands between them go over links.
struct PeContext {
  PeContext(const PeCoord& pe, elab::BlockContext& context, PeContexts& pes);
  // That of the PE which a node belongs to.
  static PeContext& of(NodeId node, elab::BlockContext& context);
  PeContext(const PeContext&) = delete;
  PeContext& operator=(const PeContext&) = delete;

  PeCoord coord;
  PeContexts& all;  // the other PEs

  // Parameters of one block that others work by.
  const params::PeSchedulerParams& scheduler;
  const params::PeFetchStoreParams& fetch_store;
  const params::HbmCtrlParams& hbm_ctrl;  // of the PE's own slice
  plan::TileRoom tile_room;               // where tiles of composites have to fit

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

// Those of a machine, made when the first block of a PE asks.
class PeContexts {
 public:
  PeContext& of(const PeCoord& pe, elab::BlockContext& context);
  // Null when no block of such a PE exists.
  const PeContext* find(const PeCoord& pe) const;

 private:
  std::map<PeCoord, std::unique_ptr<PeContext>> contexts_;
};

}  // namespace kb::modules
