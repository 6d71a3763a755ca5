// The parts of Context; included only by its sources.
#pragma once

#include <string>
#include <utility>

#include "kernels/tl/addressing.h"
#include "kernels/tl/call.h"
#include "kernels/tl/composite_commands.h"
#include "kernels/tl/compute_commands.h"
#include "kernels/tl/context.h"
#include "kernels/tl/dispatch.h"
#include "kernels/tl/dma_commands.h"
#include "kernels/tl/engine_commands.h"
#include "kernels/tl/message_commands.h"
#include "kernels/tl/prefetches.h"
#include "kernels/tl/selection.h"
#include "kernels/tl/tensors.h"
#include "platform/contract/i_pe.h"

namespace kb::tl {

// A call of Context begins in `call` or `dispatch`, creates its command with one of the other parts, and passes it to
// `dispatch`.
struct Context::Parts {
  Parts(Context& context, contract::IPe& owner, std::string kernel)
      : pe(owner.info()),
        call(owner, std::move(kernel)),
        prefetches(owner),
        dispatch(owner, call, prefetches),
        tensors(context, owner, call, dispatch),
        addressing(call),
        selection(call, tensors, addressing),
        dma(call, tensors, addressing, selection),
        messages(call, tensors, addressing),
        compute(call, tensors),
        composites(pe, call, tensors, addressing),
        engines(pe, call, tensors) {}

  const contract::PeInfo& pe;
  Call call;
  Prefetches prefetches;
  Dispatch dispatch;
  Tensors tensors;
  Addressing addressing;
  Selection selection;
  DmaCommands dma;
  MessageCommands messages;
  ComputeCommands compute;
  CompositeCommands composites;
  EngineCommands engines;
};

}  // namespace kb::tl
