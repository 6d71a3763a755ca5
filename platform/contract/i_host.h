// Operations that the simulated machine offers to a host program. Implemented by sim/run/host/host_port.h. Blocking
// calls may only be made from a host thread (the workload or a worker), never from the event engine.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/dtype.h"
#include "platform/base/ids.h"
#include "platform/base/machine_choices.h"
#include "platform/base/units.h"
#include "platform/contract/data_mode.h"
#include "platform/contract/machine_info.h"
#include "platform/contract/message_costs.h"
#include "platform/contract/request_id.h"

namespace kb::contract {

struct Completion;
struct KernelLaunch;
struct MapRequest;
struct MemoryRead;
struct MemoryWrite;
struct QueuePlan;

// A wait queue of host threads. wait() returns after a later notify_all(), at the simulated time of that call.
class ISignal {
 public:
  virtual ~ISignal() = default;
  virtual void wait(const std::string& reason) = 0;  // `reason` appears in the table of waits of a deadlock report
  virtual void notify_all() = 0;
};

class IHost {
 public:
  virtual ~IHost() = default;
  virtual const MachineInfo& machine() const = 0;
  virtual DataMode data_mode() const = 0;
  virtual TimeFs now() const = 0;

  // Submission takes no simulated time (K-32). Throws program Error SCHEMA_ERROR / ADDRESS_ERROR on a bad request.
  virtual RequestId submit(const MemoryWrite& request) = 0;
  virtual RequestId submit(const MemoryRead& request) = 0;
  virtual RequestId submit(std::shared_ptr<const KernelLaunch> request) = 0;
  virtual RequestId submit(const MapRequest& request) = 0;

  // Installs the message queues of the PEs in place of all earlier ones; takes no simulated time. Program
  // Errors: ADDRESS_ERROR for a PE or ring that does not exist, QUEUE_ERROR for queues that break the invariants or are
  // in use.
  virtual void install_queues(const QueuePlan& plan) = 0;

  // Costs on the idle machine: the route of a message between two PEs, and the share of a PE whose rings are in
  // `memory` and whose tiles have this dtype.
  virtual MessageRoute message_route(const PeCoord& from, const PeCoord& to) {
    (void)from, (void)to;
    return {};
  }
  virtual PeCosts pe_costs(QueueMemory memory, Dtype dtype) {
    (void)memory, (void)dtype;
    return {};
  }

  // Absolute start stamp for launches on several SIPs that are all submitted at now(): the time at which the last
  // targeted PE of all of them is ready (H-49). Put it into KernelLaunch::target_start. Without a value every IO_CPU
  // stamps its own launch. Throws like submit().
  virtual std::optional<TimeFs> common_start(const std::vector<KernelLaunch>& launches) const {
    (void)launches;
    return std::nullopt;
  }

  virtual bool done(RequestId request) const = 0;
  // Result of a completed request, valid for the whole run; the results of single PEs are kept only for the last
  // kKeptPeResults launches. Model Error when the request is not done.
  static constexpr std::size_t kKeptPeResults = 256;
  virtual const Completion& completion(RequestId request) const = 0;
  // The callback runs once, in completion order, at the completion time and outside any host thread; it may notify
  // signals and must not block. It runs immediately when the request is already done.
  virtual void on_done(RequestId request, std::function<void()> callback) = 0;

  virtual std::unique_ptr<ISignal> make_signal() = 0;
  // Starts `count` host threads that run body(rank) and blocks the caller until all have returned. Bodies must not
  // throw.
  virtual void run_workers(int count, const std::string& name, std::function<void(int rank)> body) = 0;
  // Rank of the calling host thread in the innermost run_workers(), or -1 in the main program.
  virtual int current_worker() const = 0;

  // Contents of device memory after all operations completed so far (K-40); takes no simulated time. In data mode off
  // the result is all zeros when one of the bytes is not known.
  virtual std::vector<std::byte> read_memory(std::uint64_t pa, std::uint64_t nbytes) = 0;
  // Like read_memory(), but returns no value when data mode off does not know the bytes (decision 0047).
  virtual std::optional<std::vector<std::byte>> read_if_known(std::uint64_t pa, std::uint64_t nbytes) {
    if (data_mode() == DataMode::off) return std::nullopt;
    return read_memory(pa, nbytes);
  }
};

}  // namespace kb::contract
