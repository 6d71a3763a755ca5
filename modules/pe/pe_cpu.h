#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "modules/pe/code_reliefs.h"
#include "modules/pe/line_clock.h"
#include "modules/pe/pe_links.h"
#include "modules/pe/probe.h"
#include "platform/contract/completion.h"
#include "platform/contract/i_pe.h"
#include "platform/contract/kernel.h"
#include "platform/contract/source_line.h"
#include "platform/params/pe_cpu_params.h"

namespace kb::payload {
struct BarrierMsg;
struct KernelLaunchMsg;
}  // namespace kb::payload

namespace kb::modules {

// Runs kernels (P-50 .. P-54). Launches arrive over the fabric; PE_CPU answers each with a LaunchReply when the kernel
// has returned or thrown.
//
// Models: one kernel at a time, with further launches in arrival order; the start barrier (P-51); synchronous commands
// through PE_SCHEDULER, asynchronous composites, and scalar work. A kernel ends when its composites have completed. It
// runs in this block's only SC_THREAD, on a stack of 128 KiB.
//
// A kernel that makes 10 million calls without advancing simulated time is taken for an endless loop: the run ends with
// an error that names it.
//
// A barrier is a zero-byte message over the fabric to the M_CPU of the cube, and its response.
//
// Does not model: instructions of the kernel itself, which take no time unless the kernel spends them with `cycles`.
//
// Timing: the kernel starts at max(target_start, launch arrival + overhead_ns, end of the previous kernel). A queued
// launch gets target_start from a barrier, at which all PEs of it and of the launches before it come together. A launch
// that was ready after target_start reports its lateness (H-50). cpu_overhead takes llround(cycles / clock_ghz).
// A launch of an unknown kernel fails when its turn comes, without waiting for the barrier.
class PeCpu final : public PeFabricBlock, private contract::IPe {
 public:
  PeCpu(const sc_core::sc_module_name& name, NodeId node, const params::PeCpuParams& params, PeContext& pe,
        elab::BlockContext& context);

  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;
  // The running kernel with its current call, and the queued launches.
  void collect_waits(std::vector<elab::WaitInfo>& waits) const override;

 protected:
  void on_request(payload::Transaction& transaction, TimeFs arrived) override;

 private:
  enum class State : std::uint8_t { idle, waiting_for_start, running, waiting_for_engine };
  struct Launch {
    payload::Transaction* transaction = nullptr;
    TimeFs ready = 0_fs;
  };
  // When the kernel is to start (kNever: at once), and when that was known here.
  struct Stamp {
    TimeFs known = 0_fs;
    TimeFs start = kNever;
  };
  struct Waker final : elab::EventHandler {
    explicit Waker(PeCpu& owner) : cpu(owner) {}
    void on_event(TimeFs, std::uint64_t) override { cpu.scheduler().wake(cpu.resumed_event_); }
    PeCpu& cpu;
  };

  const contract::PeInfo& info() const override { return info_; }
  void execute(const contract::Command& command) override;
  std::string receive(const contract::Command& command) override;
  Ticket submit(const contract::Command& command) override;
  void wait(Ticket ticket, account::PlaceId at) override;
  void abandon(Ticket ticket) override;
  std::size_t wait_any(const std::vector<Ticket>& tickets, account::PlaceId at) override;
  account::PlaceId place(const contract::SourceLine& line, const char* call, account::RangeId range,
                         const contract::TensorLayout* tensor) override;
  account::RangeId range(account::RangeId outer, std::string_view name) override;
  void write_scratch(std::uint64_t pa, Dtype dtype, std::vector<std::byte> bytes) override;
  std::vector<std::byte> read(const std::vector<Extent>& extents) override;
  std::vector<Extent> physical(const std::vector<Extent>& extents) const override;
  std::optional<std::vector<std::byte>> read_if_known(const std::vector<Extent>& extents) override;

  void on_answer(CommandTask& task) override;
  void on_response(payload::Transaction& transaction) override;
  void meet(const contract::Command& command);
  TimeFs meet_before(const payload::KernelLaunchMsg& launch);
  struct BarrierAnswer {
    payload::Status status;
    TimeFs start = kNever;
  };
  BarrierAnswer come_to(const payload::BarrierMsg& barrier, account::PlaceId place);
  void kernel_thread();
  void run(Launch launch);  // by value, because launches_ may reallocate while the kernel runs
  void try_kernel(const Launch& launch);
  void fail(std::string code, std::string text);
  void answer(const Launch& launch);
  void run_kernel(const payload::KernelLaunchMsg& message);
  const contract::Kernel& find_kernel(const std::string& name) const;
  CommandTask& send_command(const contract::Command& command);
  std::string await(CommandTask& task, account::PlaceId at);
  // Name of a tensor in reports: its own, or that of the kernel's parameter when the host program gave it none.
  const std::string& name_of(const contract::TensorLayout& tensor) const;
  // True when the kernel is supposed not to wait for calls of this place.
  bool waits_not(account::PlaceId place);
  bool is_supposed_away(account::PlaceId place);  // the next command of the place takes no time
  // The time of the kernel since the last call belongs to `line`.
  void charge(account::PlaceId line, account::PlaceId held_by);
  std::string tensor_at(std::uint64_t fault) const;
  void spend(const contract::Command& command);
  void sleep_until(TimeFs at);
  void count_call();
  [[noreturn]] void give_up(const std::string& reason);
  void wait_for(sc_core::sc_event& event);
  void set_state(State state);
  void set_current(const contract::Command& command);
  const payload::KernelLaunchMsg& message(const Launch& launch) const;
  std::string call_in_progress() const;
  std::string after_call() const;  // " (after tl.load #3 at gemm.cpp:71)", the latest call; empty before the first one
  contract::IOrderObserver* order() const { return context().order; }
  record::ActivityRecorder* recorder() const { return context().recorder; }

  contract::PeInfo info_;
  Gigahertz clock_;
  CommandPool commands_;
  SlidingDeque<Launch> launches_;  // in arrival order; the front launch is running
  sc_core::sc_event launched_event_, resumed_event_;
  Waker waker_;

  State state_ = State::idle;
  TimeFs state_since_ = 0_fs;
  const CommandTask* awaited_ = nullptr;  // command that the kernel waits for; may be null
  // The kernel's current command; a copy, because an error may be reported after the command is destroyed.
  struct Call {
    contract::CommandKind kind;
    engine::EngineId engine;
    const char* name;
    std::uint64_t index;
    contract::SourceLine at;
  };
  std::optional<Call> current_;
  std::uint64_t calls_ = 0;  // number of calls at the simulated time calls_at_
  TimeFs calls_at_ = 0_fs;
  const char* kernel_ = nullptr;                                        // name of the running kernel; null when idle
  const std::vector<contract::KernelParameter>* parameters_ = nullptr;  // of the running kernel
  account::RangeId host_range_;  // of the host program when it launched the kernel
  struct Background {
    Ticket ticket = 0;
    contract::Command command;
    CommandTask* task = nullptr;
  };
  using Backgrounds = std::vector<std::unique_ptr<Background>>;
  Backgrounds::iterator find_async_command(Ticket ticket);
  Backgrounds::iterator background(Ticket ticket);
  void wait_for_async(Backgrounds::iterator which, account::PlaceId at);
  void await_all_background();
  Backgrounds background_;       // issued and not yet waited for, in the order of their tickets
  Backgrounds free_background_;  // reused, so that a command needs no allocation
  Ticket next_ticket_ = 1;
  bool kernel_began_ = false;
  const payload::Transaction* barrier_ = nullptr;  // barrier message that the kernel waits for; may be null
  bool awaits_any_ = false;                        // any completion wakes the kernel
  Stamp stamp_;                                    // of the running kernel
  contract::PeResult result_;                      // measurements of the running kernel
  Probe state_probe_;
  LineClock line_clock_;
  CodeReliefs& reliefs_;
  double work_share_ = 1;                               // of its commands that the running kernel does
  std::unordered_map<std::uint32_t, double> work_due_;  // by place, with a smaller share

  std::int64_t kernels_ = 0;
  std::int64_t failures_ = 0;
  TimeFs kernel_time_ = 0_fs;
  TimeFs scalar_time_ = 0_fs;
  TimeFs late_max_ = 0_fs;
};

}  // namespace kb::modules
