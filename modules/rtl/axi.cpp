#include "modules/rtl/axi.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace kb::modules {

namespace {

constexpr std::uint8_t kOkay = 0;

[[noreturn]] void broken(const char* assertion, const std::string& what) {
  throw rtl_error(RtlFault::wrong, fmt::format("{}: {}", assertion, what));
}

}  // namespace

const char* difference(const AxiMemoryPins& one, const AxiMemoryPins& other) {
  if (one.arready != other.arready) return "arready";
  if (one.rvalid != other.rvalid) return "rvalid";
  if (one.awready != other.awready) return "awready";
  if (one.wready != other.wready) return "wready";
  if (one.bvalid != other.bvalid) return "bvalid";
  if (one.busy != other.busy) return "busy";
  if (one.rvalid && one.rid != other.rid) return "rid";
  if (one.rvalid && one.rresp != other.rresp) return "rresp";
  if (one.rvalid && one.rlast != other.rlast) return "rlast";
  if (one.bvalid && one.bid != other.bid) return "bid";
  if (one.bvalid && one.bresp != other.bresp) return "bresp";
  return nullptr;
}

void AxiRules::check(const AxiManagerPins& manager, const AxiMemoryPins& memory) {
  check_reads(manager, memory);
  check_writes(manager, memory);
  r_waits_ = memory.rvalid && !manager.rready;
  b_waits_ = memory.bvalid && !manager.bready;
  if (r_waits_ || b_waits_) before_ = memory;
}

void AxiRules::check_reads(const AxiManagerPins& manager, const AxiMemoryPins& memory) {
  if (r_waits_ && !memory.rvalid) broken("AXI4_ERRS_RVALID_STABLE", "rvalid falls before rready");
  if (r_waits_ &&
      std::tie(memory.rid, memory.rresp, memory.rlast) != std::tie(before_.rid, before_.rresp, before_.rlast)) {
    broken("AXI4_ERRS_RLAST_STABLE", "rid, rresp or rlast changes while rvalid waits for rready");
  }
  if (memory.rvalid) {
    const auto asked = std::find_if(reads_.begin(), reads_.end(), [&](const Read& r) { return r.id == memory.rid; });
    if (asked == reads_.end()) {
      broken("AXI4_ERRS_RID", fmt::format("rvalid with rid {}, of which no read is open", memory.rid));
    }
    if (memory.rlast != (asked->left == 1)) {
      broken("AXI4_ERRS_RDATA_NUM",
             fmt::format("rlast is {} with {} beats to come", memory.rlast ? 1 : 0, asked->left));
    }
    if (memory.rresp != kOkay) broken("AXI4_ERRS_RRESP", fmt::format("rresp is {}, not OKAY", memory.rresp));
    if (manager.rready && --asked->left == 0) reads_.erase(asked);
  }
  if (manager.arvalid && memory.arready) reads_.push_back({manager.arid, manager.arlen + 1u});
}

void AxiRules::check_writes(const AxiManagerPins& manager, const AxiMemoryPins& memory) {
  if (b_waits_ && !memory.bvalid) broken("AXI4_ERRS_BVALID_STABLE", "bvalid falls before bready");
  if (b_waits_ && std::tie(memory.bid, memory.bresp) != std::tie(before_.bid, before_.bresp)) {
    broken("AXI4_ERRS_BID_STABLE", "bid or bresp changes while bvalid waits for bready");
  }
  if (memory.bvalid) {
    const auto asked = std::find(writes_.begin(), writes_.end(), memory.bid);
    if (asked == writes_.end()) {
      broken("AXI4_ERRS_BRESP_ALL_DONE_EOS", fmt::format("bvalid with bid {}, of which no write is open", memory.bid));
    }
    if (static_cast<std::size_t>(asked - writes_.begin()) >= answerable_) {
      broken("AXI4_ERRS_BRESP_WLAST", "bvalid before the last beat of the data was taken");
    }
    if (memory.bresp != kOkay) broken("AXI4_ERRS_BRESP", fmt::format("bresp is {}, not OKAY", memory.bresp));
    if (manager.bready) {
      writes_.erase(asked);
      --answerable_;
    }
  }
  if (manager.awvalid && memory.awready) writes_.push_back(manager.awid);
  if (manager.wvalid && memory.wready && manager.wlast) ++answerable_;
}

}  // namespace kb::modules
