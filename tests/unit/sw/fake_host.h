// A host without a machine, for tests of host programs: memory is a map, requests complete after fixed simulated times,
// and host threads run one at a time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "platform/contract/i_host.h"
#include "platform/contract/kernel.h"
#include "platform/contract/kernel_launch.h"
#include "platform/contract/queues.h"
#include "platform/contract/requests.h"

namespace kb::contract {
struct Completion;
}

namespace kb::sw::testing {

struct FakeTimes {
  TimeFs write = 10_ns;
  TimeFs read = 20_ns;
  TimeFs launch = 100_ns;
  TimeFs map = 5_ns;
};

// A kernel of any name, with up to two tensors, an integer and a float.
class AnyKernel final : public contract::IKernelCatalog {
 public:
  const contract::Kernel* find(const std::string&) const override { return &kernel_; }
  std::vector<std::string> names() const override { return {}; }

 private:
  using Kind = contract::ParameterKind;
  const contract::Kernel kernel_{
      "k",
      "",
      {{"a", Kind::tensor, true}, {"b", Kind::tensor, true}, {"n", Kind::integer, true}, {"x", Kind::real, true}},
      nullptr};
};
inline const AnyKernel any_kernel;

class FakeHost final : public contract::IHost {
 public:
  // Called once per launch request, at its completion; fills in the completion.
  using FakeKernel = std::function<void(FakeHost&, const contract::KernelLaunch&, contract::Completion&)>;

  explicit FakeHost(contract::MachineInfo machine = small_machine(),
                    contract::DataMode mode = contract::DataMode::eager);
  ~FakeHost() override;

  static contract::MachineInfo small_machine();  // 2 SIPs, 2x2 cubes, 2 PEs, 64 KiB slices

  // Record of the submitted requests.
  struct Submitted {
    TimeFs at = 0_fs;
    int worker = -1;
    std::string what;  // "write", "read", "launch gemm", "map", "unmap"
    SipId sip;
  };
  std::vector<Submitted> log;
  std::vector<contract::MemoryWrite> writes;
  std::vector<contract::MemoryRead> reads;
  std::vector<contract::MapRequest> maps;  // and unmaps
  std::vector<contract::QueuePlan> queue_plans;
  std::vector<std::shared_ptr<const contract::KernelLaunch>> launches;
  FakeTimes times;
  std::set<std::uint64_t> known;  // data mode off: bytes written with known contents
  std::map<std::string, FakeKernel> kernels;
  std::function<TimeFs(const contract::KernelLaunch&)> launch_time;  // instead of times.launch
  std::optional<TimeFs> stamp;                                       // answer of common_start
  std::function<std::string(const std::string& what)> fail;          // non-empty: error code of the request

  std::vector<std::byte> peek(std::uint64_t pa, std::uint64_t nbytes) const;
  void poke(std::uint64_t pa, const std::vector<std::byte>& bytes);

  // contract::IHost
  const contract::MachineInfo& machine() const override { return machine_; }
  contract::DataMode data_mode() const override { return mode_; }
  TimeFs now() const override { return now_; }
  contract::RequestId submit(const contract::MemoryWrite& request) override;
  contract::RequestId submit(const contract::MemoryRead& request) override;
  contract::RequestId submit(std::shared_ptr<const contract::KernelLaunch> request) override;
  contract::RequestId submit(const contract::MapRequest& request) override;
  void install_queues(const contract::QueuePlan& plan) override { queue_plans.push_back(plan); }
  std::optional<TimeFs> common_start(const std::vector<contract::KernelLaunch>&) const override { return stamp; }
  bool done(contract::RequestId request) const override { return requests_.at(request).done; }
  const contract::Completion& completion(contract::RequestId request) const override;
  void on_done(contract::RequestId request, std::function<void()> callback) override;
  std::unique_ptr<contract::ISignal> make_signal() override;
  void run_workers(int count, const std::string& name, std::function<void(int rank)> body) override;
  int current_worker() const override { return running_; }
  std::vector<std::byte> read_memory(std::uint64_t pa, std::uint64_t nbytes) override;
  std::optional<std::vector<std::byte>> read_if_known(std::uint64_t pa, std::uint64_t nbytes) override;

 private:
  class Signal;
  struct Request {
    bool done = false;
    std::shared_ptr<contract::Completion> completion;
    std::vector<std::function<void()>> callbacks;
    std::function<void(contract::Completion&)> effect;
  };
  static constexpr int kMain = -1;

  contract::RequestId add(const std::string& what, SipId sip, TimeFs duration,
                          std::function<void(contract::Completion&)> effect);
  void complete_next();              // advances time to the next completion
  void pass_turn_until(bool& mine);  // main: runs others and completions until `mine`
  void give_turn(int thread);
  void wait_for_turn(int thread);

  contract::MachineInfo machine_;
  contract::DataMode mode_;
  TimeFs now_ = 0_fs;
  std::map<std::uint64_t, std::byte> memory_;
  std::map<contract::RequestId, Request> requests_;
  std::map<std::pair<TimeFs, contract::RequestId>, contract::RequestId> due_;
  contract::RequestId next_request_ = 1;

  std::mutex mutex_;
  std::condition_variable turn_changed_;
  int running_ = kMain;
  std::deque<int> ready_;  // workers that may continue
};

}  // namespace kb::sw::testing
