#include "kernels/copy/pe_to_pe.h"

#include <fmt/format.h>

#include <string>

#include "kernels/tl/tl.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

bool holds(const tl::LocalShard& shard, std::int64_t element) {
  return shard.first <= element && element < shard.first + shard.elements;
}

struct PeToPeArguments {
  tl::Ptr src, dst;
  std::int64_t elements = 0, src_offset = 0, dst_offset = 0;
  // "dma": a store that the other side does not wait for; "ipcq": a message whose slot is not read; "ipcq_read":
  // a message whose slot is read.
  std::string method;
  std::int64_t keep = 0;  // not 0: the received data is also stored to dst
};

// PEs that own neither end return at once.
void pe_to_pe(tl::Context& tl, const PeToPeArguments& args) {
  const tl::Ptr src = args.src, dst = args.dst;
  const std::int64_t elements = args.elements;
  const std::string& method = args.method;
  if (method != "dma" && method != "ipcq" && method != "ipcq_read") {
    tl.fail(fmt::format("there is no method '{}'; it is dma, ipcq or ipcq_read", method));
  }
  tl.require(elements > 0, "elements must be at least 1");
  tl.require(src.dtype() == dst.dtype(), "source and destination must have one dtype");
  const bool sender = holds(tl.shard(src), args.src_offset), receiver = holds(tl.shard(dst), args.dst_offset);
  tl.require(!sender || !receiver, "source and destination must lie at two PEs");
  if (sender) {
    const tl::TensorHandle value = tl.load(src + args.src_offset, {elements});
    if (method == "dma") {
      tl.store(dst + args.dst_offset, value);
    } else {
      tl.send("E", value);
    }
  } else if (receiver && method != "dma") {
    const tl::TensorHandle value =
        method == "ipcq" ? tl.recv_no_consume("W", {elements}, dst.dtype()) : tl.recv("W", {elements}, dst.dtype());
    if (args.keep != 0) tl.store(dst + args.dst_offset, value);
  }
}

}  // namespace

contract::Kernel pe_to_pe_kernel() {
  return tl::make_kernel("pe_to_pe", "one PE moves elements to another, as a store or as a message",
                         tl::Parameters<PeToPeArguments>{{"src", &PeToPeArguments::src},
                                                         {"dst", &PeToPeArguments::dst},
                                                         {"elements", &PeToPeArguments::elements},
                                                         {"src_offset", &PeToPeArguments::src_offset},
                                                         {"dst_offset", &PeToPeArguments::dst_offset},
                                                         {"method", &PeToPeArguments::method},
                                                         {"keep", &PeToPeArguments::keep}},
                         pe_to_pe);
}

}  // namespace kb::kernels
