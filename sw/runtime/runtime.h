// The runtime context: everything a host program does with the machine (H-20 .. H-65).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "platform/contract/i_host.h"
#include "platform/contract/pattern.h"
#include "sw/runtime/collective_record.h"
#include "sw/runtime/device_memory.h"
#include "sw/runtime/launch.h"
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
  std::vector<int> devices;                       // SIPs this context may use (--device); empty = all
  std::uint64_t seed = 1;                         // of random contents
  std::function<void(const std::string&)> warn;   // warnings for people; null = dropped
  const AllReduceCatalog* all_reduces = nullptr;  // for sw/distributed; null = the built-in ones
};

// Errors that reach the host program are program Errors unless said otherwise. Calls that wait may only be made from
// the main program or a rank of spawn; nothing else takes simulated time (K-32).
class Runtime final : private ITensorContext {
 public:
  // `kernels` may be null: then there are none to launch.
  Runtime(contract::IHost& host, const contract::IKernelCatalog* kernels, RuntimeOptions options = {});
  ~Runtime() override;
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Tensors of one to four dimensions on the caller's current device (K-23). `name` is for messages and reports; a
  // default is made up. `memory`: what it lies in; absent = what the policy says. ALLOCATION_ERROR when a memory cannot
  // hold its shard, SHAPE_ERROR and SCHEMA_ERROR as in resolve_dp_policy, VALUE_ERROR when the dtype cannot hold
  // `value`. Contents of empty() are unwritten memory.
  Tensor empty(const Shape& shape, Dtype dtype, const DPPolicy& policy = {}, const std::string& name = "",
               std::optional<MemoryKind> memory = {});
  Tensor zeros(const Shape& shape, Dtype dtype, const DPPolicy& policy = {}, const std::string& name = "",
               std::optional<MemoryKind> memory = {});
  Tensor full(const Shape& shape, double value, Dtype dtype, const DPPolicy& policy = {}, const std::string& name = "",
              std::optional<MemoryKind> memory = {});
  // A staging tensor in host memory, to be copied to a deployed one; not accepted by launch().
  Tensor from_host(HostArray array, const std::string& name = "");

  // Submits `kernel` after the outstanding host writes to its tensors and their mappings are done, and returns without
  // waiting for it.
  // Other launches are not waited for. KERNEL_ERROR on an unknown kernel, SCHEMA_ERROR on arguments that do not fit it
  // and on cubes, PEs or SIPs that are empty, outside the machine or outside of --device.
  LaunchHandle launch(const std::string& kernel, const Args& args, const LaunchOptions& options = {});
  // launch() in two steps, so that ranks can meet between them.
  PreparedLaunch prepare(const std::string& kernel, const Args& args, const LaunchOptions& options = {});
  LaunchHandle submit(const PreparedLaunch& launch);
  // Gives launches that are submitted at this time one start stamp (H-49).
  void start_together(const std::vector<std::shared_ptr<contract::KernelLaunch>>& parts) const;
  // Returns when the launch has completed; at once when it has (K-32). Throws the launch's failure.
  LaunchMetrics wait(LaunchHandle launch);
  // wait() without throwing; `false` when the launch failed. See failure().
  bool wait_result(LaunchHandle launch);
  // Waits for everything the caller submitted; in the main program, for everything. Throws the first failure that no
  // wait has reported yet. Called by the workload runner after every workload.
  void wait_all();

  // What is known of a completed launch.
  LaunchMetrics metrics(LaunchHandle launch) const;
  // Completions, one per SIP, e.g. to list the PEs that failed under FailurePolicy::collect_all. `pes` is
  // empty for launches that completed before the latest IHost::kKeptPeResults; metrics() has all.
  std::vector<contract::Completion> completions(LaunchHandle launch) const;
  const std::vector<LaunchState>& launches() const { return launches_; }

  // Device binding of the calling rank (K-22). Unbound: the first device of the context, with a warning in a rank.
  void set_device(int sip);
  int current_device();
  const std::vector<int>& devices() const { return devices_; }

  const contract::MachineInfo& machine() const { return host_.machine(); }
  const contract::MachineInfo& spec() const { return host_.machine(); }  // another name for machine()
  contract::DataMode data_mode() const { return host_.data_mode(); }
  bool computes_data() const { return host_.data_mode() != contract::DataMode::off; }
  // In data mode off, integers that the program writes are known to its kernels, as indices and masks, unless it has
  // read contents that are not: then all that it writes may come from them. This says that what the caller writes from
  // here on does not, until it or another rank reads unknown contents again.
  void forget_reads();
  TimeFs now() const { return host_.now(); }
  std::uint64_t seed() const { return options_.seed; }
  std::uint64_t requests_submitted() const { return tracker_.submitted(); }  // H-70
  std::size_t late_pes() const { return late_pes_; }  // over all launches waited for; --strict looks at it (H-50)
  std::uint64_t free_bytes(const PeCoord& pe, MemoryKind memory = MemoryKind::hbm) const {
    return memory_.device().free_bytes(pe, memory);
  }

  // Releases every tensor that is alive, in creation order. Handles stay valid for metadata only. Idempotent;
  // called by the destructor. Under virtual memory it sends their unmap messages. Does not wait.
  void close();
  bool contents_made() const { return contents_made_; }  // a tensor was written or given to a kernel
  bool memory_pristine() const { return memory_.pristine(); }

  // What sw/distributed needs.
  const AllReduceCatalog* all_reduces() const { return options_.all_reduces; }
  contract::IHost& host() { return host_; }
  DeviceMemory& memory() { return memory_.device(); }
  // The machine's message queues have one owner at a time, because another would replace what the first one uses.
  // Program Error COLLECTIVE_ERROR while what an earlier call returned is alive.
  std::shared_ptr<void> claim_queues();
  void enter_ranks(IRankWaiter& waiter, int nprocs);    // nested spawn: SPAWN_ERROR
  IRankWaiter* rank_waiter() const { return waiter_; }  // null outside of spawn
  void leave_ranks();
  void warn(const std::string& message);        // once per text
  void report(const CollectiveRecord& record);  // once per case
  const std::vector<CollectiveRecord>& collectives() const { return collectives_; }
  int rank();  // of the caller; 0 with a warning outside of spawn (K-21)
  int world_size() const;

 private:
  static constexpr int kMainProgram = -1;  // the caller where no rank calls

  Contents read(HostRead why, const contract::TensorLayout& layout, const std::vector<ShardRun>& runs) override;
  void write(const contract::TensorLayout& layout, const std::vector<ShardRun>& runs,
             std::shared_ptr<const std::vector<std::byte>> buffer, bool known) override;
  void fill(const contract::TensorLayout& layout, const std::vector<ShardRun>& runs,
            contract::Pattern pattern) override;
  void on_last_handle_gone(std::uint64_t id) noexcept override { memory_.drop(id); }

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
  std::uint64_t unknown_reads_ = 0;               // of contents that data mode off does not know, by anybody
  std::map<int, std::uint64_t> forgotten_reads_;  // rank (-1: main) -> how many of them
  std::vector<LaunchState> launches_;
  std::size_t late_pes_ = 0;
  std::map<int, int> bound_;  // rank (-1: main) -> SIP
  std::set<std::string> warned_;
  std::vector<CollectiveRecord> collectives_;
  int world_size_ = 0;  // 0: not inside spawn
  std::weak_ptr<void> queue_owner_;
  IRankWaiter* waiter_ = nullptr;
  std::shared_ptr<ITensorContext> alive_;  // what handles hold weakly; reset by close()
};

}  // namespace kb::sw
