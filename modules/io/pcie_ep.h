#pragma once

#include "modules/fabric/fabric_endpoint.h"
#include "platform/elab/i_host_entry.h"
#include "platform/params/pcie_ep_params.h"

namespace kb::modules {

// Boundary between host side and device (C-PCIE-1).
// Models: PCIe protocol cost as time; store-and-forward in both directions (C-PCIE-6).
// Does not model: routing, address decode, MMIO, credits, retry, splitting, a limit on requests in flight (C-PCIE-9).
// Timing: a host request takes overhead_ns and is then offered to the first wire; its response takes overhead_ns after
// the arrival of its last flit, and so does a message in transit. All of these overlap (C-PCIE-4).
class PcieEp final : public FabricEndpoint, public elab::IHostEntry {
 public:
  PcieEp(const sc_core::sc_module_name& name, NodeId node, const params::PcieEpParams& params,
         elab::BlockContext& context)
      : FabricEndpoint(name, node, params.overhead.time(), context) {}

  void set_host(elab::IHostPort& host) override { host_ = &host; }
  // transaction.issued is now, because the injection overhead is part of the request's latency.
  void submit(payload::Transaction& transaction) override;

  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;

 protected:
  void on_response(payload::Transaction& transaction) override;

 private:
  elab::IHostPort* host_ = nullptr;
  std::int64_t submitted_ = 0;
  std::int64_t completed_ = 0;
};

}  // namespace kb::modules
