// Interface of an outside CPU to the device: registers, a queue of descriptors in memory, an interrupt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "modules/bridge/bridge_context.h"
#include "platform/contract/kernel_arguments.h"
#include "platform/contract/request_id.h"
#include "sim/ports/device/device.h"
#include "sim/ports/device/device_queue.h"
#include "sim/ports/device/host_dma.h"
#include "sim/ports/device/register_file.h"
#include "sim/run/host/host_port.h"

namespace kb::contract {
struct Completion;
class IKernelCatalog;
struct KernelLaunch;
}  // namespace kb::contract

namespace kb::sim {

// Fetches the descriptors after a doorbell write one by one, and starts them in order; they end in any order, except
// across a fence. Launches and copies travel like every host request, from PCIE_EP on; the time of a fetch depends on
// the memory at `host_memory`.
class ControlBlock final : public sc_core::sc_module, private elab::IInboundCall, private elab::IOutboundCall {
 public:
  ControlBlock(const sc_core::sc_module_name& name, Device& device, HostPort& host,
               const contract::IKernelCatalog& kernels, const modules::BridgeContext& context);

  RegisterFile registers;

  bool idle() const { return abandoned_ || idle_inside(); }
  // The device has failed: ends open descriptors with an error.
  void abandon();
  void collect_waits(std::vector<elab::WaitInfo>& waits) const;
  const HostDma& host_memory() const { return dma_; }
  // Handles a backward call of host memory.
  void host_memory_calls(const tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
    dma_.backward(payload, phase);
  }

 private:
  // A driver error: its code in the ERROR register, and a sentence.
  struct Mistake {
    std::uint32_t code;
    std::string text;
  };
  enum Step : std::uint64_t { kDoorbell, kSubmit, kInterrupt };

  void on_register(std::uint32_t offset);
  void on_inward(TimeFs entered, std::uint64_t step) override;
  void on_outward(std::uint64_t step) override;
  void run();
  void process(std::uint64_t index);
  void fetch(std::uint64_t address, void* bytes, std::uint64_t count);
  std::shared_ptr<const contract::KernelLaunch> read_launch(const kb_descriptor& descriptor);
  contract::KernelArg read_arg(const kb_arg& arg, const std::string& what);
  contract::KernelArg read_tensor(const kb_arg& arg, const std::string& what);
  PeCoord owner_of(std::uint64_t pa, std::uint64_t nbytes) const;
  void launch(const kb_descriptor& descriptor);
  void copy_to_device(const kb_descriptor& descriptor);
  void copy_to_host(const kb_descriptor& descriptor);
  // Calls `submit` in the engine's context; returns when it has made its request, or when that has ended.
  contract::RequestId submit(std::function<contract::RequestId()> submit);
  void wait_for(contract::RequestId request);
  void descriptor_ended(std::uint32_t flags, std::uint32_t line, const contract::Completion* completion);
  bool idle_inside() const { return open_ == 0 && fetched_ == registers.get(KB_REG_DOORBELL) && !busy_; }
  void fail(const Mistake& mistake, std::uint32_t line);  // fails the current descriptor
  void tell(const Mistake& mistake, std::uint32_t line);
  void update_status();
  void raise(std::uint32_t bits);

  Device& device_;
  HostPort& host_;
  const contract::IKernelCatalog& kernels_;
  modules::BridgeContext context_;
  HostDma dma_;
  std::uint32_t in_port_, out_port_;
  sc_core::sc_event work_, answered_;
  std::function<contract::RequestId()> to_submit_;
  contract::RequestId submitted_ = 0;
  std::exception_ptr refused_;
  bool answer_ = false;
  bool busy_ = false;                      // the thread is processing a descriptor
  std::uint32_t fetched_ = 0;              // number of fetched descriptors since reset
  std::size_t open_ = 0;                   // number of running launches
  std::uint32_t line_ = 0;                 // interrupt line of the current descriptor
  std::vector<std::uint32_t> interrupts_;  // per line: pending interrupts for IRQ_STATUS
  std::uint32_t ended_ = 0;
  bool abandoned_ = false;
};

}  // namespace kb::sim
