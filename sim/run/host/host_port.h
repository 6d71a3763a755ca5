// The host side of the machine: owns requests, injects them at the PCIE_EP of the destination SIP, and completes them.
#pragma once

#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/address/region_list.h"
#include "platform/contract/i_host.h"
#include "platform/elab/i_host_entry.h"
#include "platform/elab/i_queue_control.h"
#include "platform/elab/platform.h"
#include "platform/payload/messages.h"
#include "sim/result/launch_record.h"
#include "sim/run/host/host_threads.h"
#include "sim/run/host/mapping_registry.h"

namespace kb::sim {

struct HostPortOptions {
  contract::DataMode data_mode = contract::DataMode::off;
  bool embedded = false;         // part of another simulation, which is not run any further to unwind threads
  bool copies_take_time = true;  // false: reads and writes of the host complete at once, and move nothing
  // Contents of device memory; no value where they are not known. May be null.
  std::function<std::optional<std::vector<std::byte>>(std::uint64_t pa, std::uint64_t nbytes)> read_memory;
};

// Requests are checked before injection (H-15): program Errors SCHEMA_ERROR, ADDRESS_ERROR, KERNEL_ERROR with the field
// and the remedy. Memory requests travel pcie_ep -> HBM controller or SRAM (H-17), launches and mappings pcie_ep ->
// IO_CPU (H-18). A memory request that crosses a slice boundary is split into one transaction per slice and completes
// with the last one.
class HostPort final : public contract::IHost, private elab::IHostPort {
 public:
  HostPort(elab::Platform& platform, HostPortOptions options);
  ~HostPort() override;

  // contract::IHost
  const contract::MachineInfo& machine() const override { return machine_; }
  contract::DataMode data_mode() const override { return options_.data_mode; }
  TimeFs now() const override { return platform_.scheduler().present(); }
  contract::RequestId submit(const contract::MemoryWrite& request) override;
  contract::RequestId submit(const contract::MemoryRead& request) override;
  contract::RequestId submit(std::shared_ptr<const contract::KernelLaunch> request) override;
  contract::RequestId submit(const contract::MapRequest& request) override;
  void install_queues(const contract::QueuePlan& plan) override;
  contract::MessageRoute message_route(const PeCoord& from, const PeCoord& to) override;
  contract::PeCosts pe_costs(QueueMemory memory, Dtype dtype) override;
  std::optional<TimeFs> common_start(const std::vector<contract::KernelLaunch>& launches) const override;
  bool done(contract::RequestId request) const override;
  const contract::Completion& completion(contract::RequestId request) const override;
  void on_done(contract::RequestId request, std::function<void()> callback) override;
  std::unique_ptr<contract::ISignal> make_signal() override { return threads_.make_signal(); }
  void run_workers(int count, const std::string& name, std::function<void(int rank)> body) override;
  int current_worker() const override { return threads_.current_worker(); }
  std::vector<std::byte> read_memory(std::uint64_t pa, std::uint64_t nbytes) override;
  std::optional<std::vector<std::byte>> read_if_known(std::uint64_t pa, std::uint64_t nbytes) override;

  // Starts the workload as the main host thread; must be called once, before the simulation starts.
  void run_main(std::function<void(contract::IHost&)> program);
  std::size_t threads() const { return threads_.alive(); }  // main program and workers
  bool main_finished() const { return threads_.main_finished(); }
  // The exception that escaped the main program, or null.
  std::exception_ptr failure() const { return threads_.failure(); }

  std::size_t requests() const { return requests_.size(); }  // number of submitted requests (H-70)
  std::size_t open_requests() const { return open_; }
  const std::deque<LaunchRecord>& launches() const { return launches_; }
  std::size_t finished_launches() const { return finished_launches_; }
  // Must be called at the end of the run.
  std::deque<LaunchRecord> take_launches() { return std::move(launches_); }

  // Open requests and blocked host threads, for the table of waits.
  void collect_waits(std::vector<elab::WaitInfo>& waits) const;
  // True for a wait of a PCIE_EP for one of the open requests, which collect_waits() already lists.
  bool reports(const elab::WaitInfo& wait) const;
  // For a deadlocked run: completes every open request with TIMEOUT and `reason` (H-41), without callbacks, and unwinds
  // the host threads. For a launch, it also names the blocks in `waits` that block it.
  void abandon(const std::string& reason, const std::vector<elab::WaitInfo>& waits);

 private:
  enum class Kind { write, read, launch, map };
  struct Request {
    Kind kind = Kind::write;
    bool done = false;
    std::size_t parts = 0;  // transactions in flight
    std::size_t part_count = 0;
    std::size_t launch = 0;  // index in launches_
    std::uint64_t pa = 0;    // memory requests
    std::uint64_t nbytes = 0;
    SipId sip;                                           // destination
    NodeId target;                                       // destination of the (first) transaction
    std::unique_ptr<const contract::MemoryWrite> write;  // kept until completion, for the operation log
    std::string mapping;                                 // "map of tensor 'a' ..."
    contract::Completion completion;
    std::vector<std::function<void()>> callbacks;
  };

  void on_completed(payload::Transaction& transaction) override;
  contract::RequestId submit_memory(Kind kind, payload::Op op, const PeCoord& owner, std::uint64_t pa,
                                    std::uint64_t nbytes, std::unique_ptr<const contract::MemoryWrite> write);
  std::shared_ptr<const address::RegionList> map_entries(const contract::MapRequest& request,
                                                         const std::string& what) const;
  std::shared_ptr<const payload::Message> translation_message(const contract::MapRequest& request,
                                                              const std::shared_ptr<const address::RegionList>& entries,
                                                              contract::RequestId id) const;
  Request& open_request(Kind kind, SipId sip, std::size_t parts);
  void inject(const Request& request, payload::Transaction& transaction);
  void finish(Request& request, contract::RequestId id);
  void record_launch(Request& request);
  std::string describe(const Request& request, contract::RequestId id) const;
  const Request& find(contract::RequestId request) const;

  elab::Platform& platform_;
  HostPortOptions options_;
  contract::MachineInfo machine_;
  struct Entry {
    elab::IHostEntry* block = nullptr;
    NodeId node;
  };
  std::vector<Entry> entries_;  // indexed by SIP
  // index: request id - 1; elements never move, so that references to completions stay valid
  std::deque<Request> requests_;
  std::size_t open_ = 0;
  MappingRegistry mappings_;
  std::vector<elab::IQueueControl*> queues_;  // of PEs with message queues
  std::deque<LaunchRecord> launches_;
  std::size_t finished_launches_ = 0;  // number of launches that the machine has answered
  std::deque<Request*> with_results_;  // completed launches that still have the results of their PEs
  HostThreads threads_;
};

}  // namespace kb::sim
