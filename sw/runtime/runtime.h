// The runtime context: all operations of a host program on the machine (H-20 .. H-65).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "platform/contract/i_host.h"
#include "platform/contract/pattern.h"
#include "sw/runtime/arena.h"
#include "sw/runtime/collective_record.h"
#include "sw/runtime/device_memory.h"
#include "sw/runtime/host_ranges.h"
#include "sw/runtime/launch.h"
#include "sw/runtime/launch_order.h"
#include "sw/runtime/request_tracker.h"
#include "sw/runtime/tensor_memory.h"
#include "sw/tensor/tensor.h"

namespace kb::contract {
class IKernelCatalog;
struct KernelLaunch;
struct TensorLayout;
struct MemoryWrite;
struct Completion;
}  // namespace kb::contract

namespace kb::sw {

class AllReduceCatalog;

struct RuntimeOptions {
  std::vector<int> devices;                       // SIPs that this context may use (--device); empty = all
  std::uint64_t seed = 1;                         // for random contents
  std::function<void(const std::string&)> warn;   // receives warnings for the user; null = discarded
  const AllReduceCatalog* all_reduces = nullptr;  // used by sw/distributed; null = the built-in ones
};

// Errors are program Errors unless stated otherwise. Calls that wait may only be made from the main program or a rank
// of spawn; all other calls take no simulated time (K-32).
class Runtime final : private ITensorContext {
 public:
  // `kernels` may be null: then there are no kernels to launch.
  Runtime(contract::IHost& host, const contract::IKernelCatalog* kernels, RuntimeOptions options = {});
  ~Runtime() override;
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Creates tensors of one to four dimensions on the caller's current device (K-23). `name` is for messages and
  // reports; by default it is generated. `memory`: memory of the shards; no value = that of the policy.
  // ALLOCATION_ERROR when a memory cannot hold its shard, SHAPE_ERROR and SCHEMA_ERROR as in resolve_dp_policy,
  // VALUE_ERROR when the dtype cannot represent `value`. The contents of empty() are unwritten memory.
  Tensor empty(const Shape& shape, Dtype dtype, const DPPolicy& policy = {}, const std::string& name = "",
               std::optional<MemoryKind> memory = {});
  Tensor zeros(const Shape& shape, Dtype dtype, const DPPolicy& policy = {}, const std::string& name = "",
               std::optional<MemoryKind> memory = {});
  Tensor full(const Shape& shape, double value, Dtype dtype, const DPPolicy& policy = {}, const std::string& name = "",
              std::optional<MemoryKind> memory = {});
  // Reserves the same bytes in the HBM slices of all PEs of the caller's current device, for empty_in().
  // ALLOCATION_ERROR as for Arena.
  std::shared_ptr<const Arena> arena(std::uint64_t slice_bytes);
  // Like empty(), in HBM at `offset` of every slice with a shard. Tensors of an arena may share bytes.
  Tensor empty_in(const std::shared_ptr<const Arena>& arena, std::uint64_t offset, const Shape& shape, Dtype dtype,
                  const DPPolicy& policy = {}, const std::string& name = "");
  // Creates a tensor in host memory that can be copied to a deployed one; launch() does not accept it.
  Tensor from_host(HostArray array, const std::string& name = "");

  // Submits `kernel` when the outstanding host writes and mappings of its tensors are done, and returns without waiting
  // for the kernel or for other launches. KERNEL_ERROR for an unknown kernel, SCHEMA_ERROR for arguments that do not
  // match, and for cubes, PEs or SIPs that are empty, outside the machine or outside --device.
  LaunchHandle launch(const std::string& kernel, const Args& args, const LaunchOptions& options = {});
  // Names what the caller launches until the returned object is destroyed; ranges nest, also with those of kernels.
  // Reports give the time, the bytes and the waits of each range.
  //   const auto layer = rt.range("layer 3");
  HostRanges::Range range(std::string_view name) { return {ranges_, host_.current_worker(), name}; }
  HostRanges& ranges() { return ranges_; }
  // launch() in two steps, so that ranks can meet in between.
  PreparedLaunch prepare(const std::string& kernel, const Args& args, const LaunchOptions& options = {});
  LaunchHandle submit(const PreparedLaunch& launch);
  // Gives launches that are submitted at this time a common start stamp (H-49).
  void start_together(const std::vector<std::shared_ptr<contract::KernelLaunch>>& parts) const;
  // Returns when the launch has completed, immediately if it has (K-32). Throws the launch's failure.
  LaunchMetrics wait(LaunchHandle launch);
  // wait() without throwing; returns false when the launch failed. See failure().
  bool wait_result(LaunchHandle launch);
  // Waits for all requests of the caller; in the main program, for all requests. Throws the first failure that has not
  // been reported. The workload runner calls it after every workload.
  void wait_all();

  // Metrics of a completed launch.
  LaunchMetrics metrics(LaunchHandle launch) const;
  // Its numbers at the host, one per SIP.
  const std::vector<contract::RequestId>& requests(LaunchHandle launch) const;
  // Completions, one per SIP, for example to list the PEs that failed under FailurePolicy::collect_all. `pes` is empty
  // for all but the latest IHost::kKeptPeResults launches; metrics() includes all.
  std::vector<contract::Completion> completions(LaunchHandle launch) const;
  const std::vector<LaunchState>& launches() const { return launches_; }

  // Device binding of the calling rank (K-22). Without a binding, it is the first device of the context, with a warning
  // in a rank.
  void set_device(int sip);
  int current_device();
  const std::vector<int>& devices() const { return devices_; }

  const contract::MachineInfo& machine() const { return host_.machine(); }
  const contract::MachineInfo& spec() const { return host_.machine(); }  // alias of machine()
  contract::DataMode data_mode() const { return host_.data_mode(); }
  bool computes_data() const { return host_.data_mode() != contract::DataMode::off; }
  // In data mode off, integers that the program writes are known to its kernels as indices and masks, unless the
  // program has read unknown contents: then all data that it writes may depend on them. This call declares that later
  // writes of the caller do not, until it or another rank reads unknown contents again.
  void assume_independent_writes();
  TimeFs now() const { return host_.now(); }
  std::uint64_t seed() const { return options_.seed; }
  std::uint64_t requests_submitted() const { return tracker_.submitted(); }  // H-70
  std::size_t late_pes() const { return late_pes_; }  // over all launches waited for; used by --strict (H-50)
  std::uint64_t free_bytes(const PeCoord& pe, MemoryKind memory = MemoryKind::hbm) const {
    return memory_.device().free_bytes(pe, memory);
  }

  // Releases all living tensors in creation order without waiting; under virtual memory it sends their unmap
  // messages. Handles keep only their metadata. Idempotent; the destructor calls it.
  void close();
  bool contents_made() const { return contents_made_; }  // a tensor was written or passed to a kernel
  bool memory_pristine() const { return memory_.pristine(); }

  // Used by sw/distributed.
  const AllReduceCatalog* all_reduces() const { return options_.all_reduces; }
  contract::IHost& host() { return host_; }
  DeviceMemory& memory() { return memory_.device(); }
  // Acquires ownership of the machine's message queues, because another owner would replace queues in use. Program
  // Error COLLECTIVE_ERROR while the result of an earlier call is alive.
  std::shared_ptr<void> claim_queues();
  void enter_ranks(IRankWaiter& waiter, int nprocs);    // nested spawn: SPAWN_ERROR
  IRankWaiter* rank_waiter() const { return waiter_; }  // null outside spawn
  void leave_ranks();
  void warn(const std::string& message);        // each text is reported once
  void report(const CollectiveRecord& record);  // each case is reported once
  const std::vector<CollectiveRecord>& collectives() const { return collectives_; }
  int rank();  // rank of the caller; 0 with a warning outside spawn (K-21)
  int world_size() const;

 private:
  static constexpr int kMainProgram = -1;  // rank number of the main program

  Contents read(HostRead why, const contract::TensorLayout& layout, const std::vector<ShardRun>& runs) override;
  void write(const contract::TensorLayout& layout, const std::vector<ShardRun>& runs,
             std::shared_ptr<const std::vector<std::byte>> buffer, bool known) override;
  void fill(const contract::TensorLayout& layout, const std::vector<ShardRun>& runs,
            contract::Pattern pattern) override;
  void on_last_handle_gone(std::uint64_t id) noexcept override { memory_.drop(id); }

  // Where a tensor is to lie: in memory of its own, or in an arena.
  struct Room {
    SipId sip;
    MemoryKind memory = MemoryKind::hbm;
    std::shared_ptr<const Arena> arena;
    std::uint64_t offset = 0;
  };
  Tensor make_tensor(const Shape& shape, Dtype dtype, const DPPolicy& policy, const std::string& name,
                     const Room& room);
  void submit_write(const contract::TensorLayout& layout, const ShardRun& run, contract::MemoryWrite write);
  bool writes_known(const contract::TensorLayout& layout) const;
  const LaunchState& launch_state(LaunchHandle launch) const;
  void wait_for_arguments(const contract::KernelLaunch& launch);
  void settle(const std::vector<Outstanding>& done, bool throw_failures);
  [[noreturn]] void throw_failure(const LaunchState& state) const;
  void settle_launch(std::size_t index);
  void check_open() const;

  contract::IHost& host_;
  const contract::IKernelCatalog* kernels_;
  RuntimeOptions options_;
  std::vector<int> devices_;
  RequestTracker tracker_;
  TensorMemory memory_;
  bool contents_made_ = false;
  std::uint64_t unknown_reads_ = 0;  // number of reads of contents that data mode off does not know, by any rank
  std::map<int, std::uint64_t> forgotten_reads_;  // rank (-1: main) -> unknown_reads_ at assume_independent_writes()
  std::vector<LaunchState> launches_;
  LaunchOrder launch_order_;
  HostRanges ranges_;
  std::size_t late_pes_ = 0;
  std::map<int, int> bound_;  // rank (-1: main) -> SIP
  std::set<std::string> warned_;
  std::vector<CollectiveRecord> collectives_;
  int world_size_ = 0;  // 0: not inside spawn
  std::weak_ptr<void> queue_owner_;
  IRankWaiter* waiter_ = nullptr;
  std::shared_ptr<ITensorContext> alive_;  // handles hold it weakly; reset by close()
};

}  // namespace kb::sw
