#include "modules/pe/pe_cpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "platform/address/address_config.h"
#include "platform/address/phys_addr.h"
#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "platform/contract/command.h"
#include "platform/contract/completion.h"
#include "platform/contract/i_operation_sink.h"
#include "platform/contract/i_order_observer.h"
#include "platform/contract/kernel.h"
#include "platform/contract/kernel_launch.h"
#include "platform/contract/share_words.h"
#include "platform/elab/route_table.h"
#include "platform/payload/messages.h"
#include "platform/record/activity_recorder.h"

namespace kb::modules {
namespace {

using contract::LogLevel;

#ifdef __SANITIZE_ADDRESS__
constexpr int kStackBytes = 512 << 10;  // red zones make frames several times larger
#else
constexpr int kStackBytes = 128 << 10;
#endif
// Call limit for the detection of a livelocked kernel. No terminating kernel reaches it: this number of composites at
// one simulated time would need gigabytes.
constexpr std::uint64_t kMaxCallsAtOneTime = 10'000'000;
constexpr double kMaxScalarNs = 1e12;  // keeps sums of times far from overflow

}  // namespace

PeCpu::PeCpu(const sc_core::sc_module_name& name, NodeId node, const params::PeCpuParams& params, PeContext& pe,
             elab::BlockContext& context)
    : PeFabricBlock(name, node, params.overhead.time(), pe, context),
      clock_(params.clock),
      waker_(*this),
      state_probe_(context.observer,
                   {node_id(), "", "kernel_state", 2, {"idle", "waits_for_start", "runs", "waits_for_engine"}}),
      line_clock_(pe.activity),
      reliefs_(context.shared<CodeReliefs>()) {
  const topology::MachineSpec& spec = context.graph.spec;
  const topology::Node& self = node_record();
  const address::TcmPartition tcm = address::AddressConfig::from_spec(spec).tcm_partition();
  info_.coord = pe.coord;
  info_.pes_per_cube = spec.pes_per_cube();
  info_.cubes_per_sip = spec.cubes_per_sip();
  info_.sips = spec.sip_count;
  info_.scratch_pa = address::PhysAddr::pe_tcm_addr(self.sip, self.cube, self.pe, tcm.scratch_offset).value();
  info_.scratch_bytes = tcm.scratch_bytes;
  const auto pe_index = [&](const PeCoord& at) {
    const std::uint64_t cube = std::uint64_t{at.sip.value} * static_cast<std::uint64_t>(spec.cubes_per_sip());
    return (cube + at.cube.value) * static_cast<std::uint64_t>(spec.pes_per_cube()) + at.pe.value;
  };
  info_.message_base = address::message_values(pe_index(info_.coord));
  info_.message_bytes = address::kMessageValueBytes;
  info_.dispatch_cycles = static_cast<int>(params.dispatch_cycles);
  info_.tile_shape = pe.tile_shape;
  info_.tile_capacity = pe.tile_capacity;
  info_.reuse_a = pe.reuse_a;
  info_.rates = pe.rates;
  info_.engines = spec.engines;

  SC_HAS_PROCESS(PeCpu);
  SC_THREAD(kernel_thread);
  set_stack_size(kStackBytes);
  sensitive << launched_event_;
  dont_initialize();
}

void PeCpu::on_request(payload::Transaction& transaction, TimeFs arrived) {
  if (std::get_if<payload::KernelLaunchMsg>(transaction.message.get()) == nullptr) {
    FabricEndpoint::on_request(transaction, arrived);
    return;
  }
  launches_.push_back({&transaction, now()});
  if (state_ == State::idle && launches_.size() == 1) scheduler().wake(launched_event_);
}

void PeCpu::kernel_thread() {
  for (;;) {
    while (!launches_.empty()) {
      try {
        run(launches_.front());
      } catch (const Error&) {
        scheduler().fail(std::current_exception());  // ends the run; no exception leaves this thread
        return;
      }
      launches_.pop_front();
    }
    set_state(State::idle);
    sc_core::wait(launched_event_);
  }
}

void PeCpu::run(Launch launch) {
  result_ = contract::PeResult{};
  result_.pe = info_.coord;
  result_.ready = now();
  result_.shares = pe().activity.until(now());
  const contract::KernelLaunch& request = *message(launch).launch;
  stamp_ = {launch.ready, message(launch).target_start};
  if (request.start_barrier) {
    const TimeFs start = meet_before(message(launch));
    stamp_ = {now(), start};
  }
  if (!request.runs_on(info_.coord.cube, info_.coord.pe)) {
    launch.transaction->reply = payload::share(payload::LaunchReply{});
    respond(*launch.transaction, now());
    return;
  }
  try_kernel(launch);
  await_all_background();
  current_.reset();
  if (order() != nullptr && kernel_began_) order()->kernel_ends(info_.coord);
  const bool kernel_began = std::exchange(kernel_began_, false);
  result_.exec = now() - result_.start;
  pe().activity.set_running(false, now());
  contract::TimeShares shares = pe().activity.until(now());
  shares -= result_.shares;
  result_.shares = shares;
  if (recorder() != nullptr && kernel_began) {
    recorder()->line_times().add(pe().launch, info_.coord, now(), line_clock_.lines());
  }
  answer(launch);
}

void PeCpu::fail(std::string code, std::string text) {
  result_.error_code = std::move(code);
  result_.error_message = std::move(text);
}

// A failure of the kernel is stored in its result. Errors of the model and of the configuration are thrown.
void PeCpu::try_kernel(const Launch& launch) {
  const std::string& kernel = message(launch).launch->kernel;
  try {
    run_kernel(message(launch));
  } catch (const sc_core::sc_unwind_exception&) {
    throw;  // SystemC is ending this thread
  } catch (const Error& error) {
    if (error.family() == ErrorFamily::model) {  // a fault of kernbench, not of the kernel: ends the process
      throw Error::model(fmt::format("{} at {} ns, in kernel {}{}: {}", node_id(), format_ns(now()), kernel,
                                     call_in_progress(), error.what()));
    }
    if (error.family() == ErrorFamily::configuration) throw;  // e.g. a full disk for the operation log
    fail(error.code(), error.what());
  } catch (const std::exception& error) {
    fail("KERNEL_ERROR", "kernel " + kernel + " threw an exception: " + error.what() + after_call());
  } catch (...) {
    fail("KERNEL_ERROR", "kernel " + kernel + " threw an object that is not a std::exception" + after_call());
  }
}

// Waits for all asynchronous commands that the kernel has not waited for.
void PeCpu::await_all_background() {
  while (!background_.empty()) {
    try {
      wait_for_async(background_.begin(), {});
    } catch (const Error& error) {
      if (error.family() == ErrorFamily::model) throw;
      if (result_.error_code.empty()) fail(error.code(), error.what());
    }
  }
}

void PeCpu::answer(const Launch& launch) {
  payload::Transaction& transaction = *launch.transaction;
  ++kernels_;
  kernel_time_ += result_.exec;
  if (!result_.error_code.empty()) {
    ++failures_;
    transaction.status = {false, result_.error_code, result_.error_message};
  }
  log(LogLevel::info, [&] {
    return fmt::format("ends kernel {} of launch #{}: {}", message(launch).launch->name(), pe().launch,
                       result_.error_code.empty() ? "ok" : result_.error_code);
  });
  transaction.reply = payload::share(payload::LaunchReply({result_}));
  respond(transaction, now());
}

void PeCpu::run_kernel(const payload::KernelLaunchMsg& launch_message) {
  result_.start = now();
  const contract::Kernel& kernel = find_kernel(launch_message.launch->kernel);
  if (stamp_.start != kNever) {
    result_.late = std::max(0_fs, stamp_.known - stamp_.start);
    late_max_ = std::max(late_max_, result_.late);
    set_state(State::waiting_for_start);
    sleep_until(stamp_.start);
  }
  set_state(State::running);
  result_.start = now();
  pe().activity.set_running(true, now());
  result_.shares = pe().activity.until(now());
  pe().launch = launch_message.request;
  log(LogLevel::info,
      [&] { return fmt::format("begins kernel {} of launch #{}", launch_message.launch->name(), pe().launch); });
  const struct Body {
    Body(PeCpu& owner, const char* name) : cpu(owner) {
      cpu.kernel_ = name;
      cpu.scheduler().foreground().set_call(nullptr, 0, {});
      cpu.scheduler().foreground().enter(elab::UserCode::kernel, name, cpu.node_id().c_str(), cpu.now());
    }
    ~Body() {
      cpu.kernel_ = nullptr;
      cpu.scheduler().foreground().leave();
    }
    PeCpu& cpu;
  } body(*this, kernel.name.c_str());
  kernel_began_ = true;
  work_share_ = reliefs_.work_of(pe_name(info_.coord));
  work_due_.clear();
  line_clock_.start(now());
  parameters_ = &kernel.parameters;
  host_range_ = {};
  if (recorder() != nullptr) {
    for (const std::string& name : launch_message.launch->ranges) {
      host_range_ = recorder()->places().range(host_range_, name);
    }
  }
  if (order() != nullptr) order()->kernel_begins(info_.coord, launch_message.request, launch_message.launch);
  kernel.body(*this, launch_message.launch->args);
}

const contract::Kernel& PeCpu::find_kernel(const std::string& name) const {
  const contract::IKernelCatalog* const catalog = context().kernels;
  const contract::Kernel* const kernel = catalog == nullptr ? nullptr : catalog->find(name);
  if (kernel != nullptr && kernel->body) return *kernel;
  throw Error::program("KERNEL_ERROR", "there is no kernel '" + name + "'; " +
                                           (catalog == nullptr ? std::string("this machine was built without a catalog")
                                                               : suggest(name, catalog->names())));
}

void PeCpu::on_answer(CommandTask& task) {
  if (order() != nullptr && task.status.ok) {
    const TimeFs start = contract::is_queue(task.command->kind) ? task.submitted : task.start;
    order()->completed(info_.coord, task.id, *task.command, translator(), start, now());
  }
  if (&task == awaited_ || awaits_any_) scheduler().wake(resumed_event_);
}

void PeCpu::spend(const contract::Command& command) {
  const double ns = static_cast<double>(command.cycles) / clock_.per_ns();
  if (command.cycles < 0 || ns > kMaxScalarNs) {
    throw Error::program("KERNEL_ERROR", fmt::format("{} cycles cannot be spent; give 0 to {:.0f}", command.cycles,
                                                     kMaxScalarNs * clock_.per_ns()));
  }
  if (is_supposed_away(command.place)) return;
  const TimeFs time = round_fs(ns * static_cast<double>(kFsPerNs));
  accumulate(scalar_time_, time);
  set_current(command);
  count_call();
  begin_activity(PeActivity::Kind::scalar);
  sleep_until(now() + time);
  end_activity(PeActivity::Kind::scalar);
  charge(command.place, command.place);
  current_.reset();
}

void PeCpu::on_response(payload::Transaction& transaction) {
  if (&transaction != barrier_) {
    FabricEndpoint::on_response(transaction);
    return;
  }
  barrier_ = nullptr;
  scheduler().wake(resumed_event_);
}

void PeCpu::sleep_until(TimeFs at) {
  if (at <= now()) return;
  scheduler().schedule(at, waker_);
  while (now() < at) wait_for(resumed_event_);
}

// No kernel code runs during the wait.
void PeCpu::wait_for(sc_core::sc_event& event) {
  scheduler().foreground().leave();
  sc_core::wait(event);
  if (kernel_ == nullptr) return;
  scheduler().foreground().enter(elab::UserCode::kernel, kernel_, node_id().c_str(), now());
  if (current_) scheduler().foreground().set_call(current_->name, current_->index, current_->at);
}

// Stops a kernel that makes calls endlessly without simulated time, or that is still running when the run is to end.
void PeCpu::count_call() {
  if (current_) scheduler().foreground().set_call(current_->name, current_->index, current_->at);
  if (calls_at_ != now()) {
    calls_at_ = now();
    calls_ = 0;
  }
  if (++calls_ < kMaxCallsAtOneTime && !scheduler().end_requested()) return;
  const std::string where =
      fmt::format("{} is in kernel {}{}", node_id(), message(launches_.front()).launch->name(), call_in_progress());
  if (scheduler().end_requested()) give_up(where);
  give_up(fmt::format("{}: {} calls at this time; a loop that waits for something has to spend time, e.g. tl.cycles(1)",
                      where, calls_));
}

// Parks the thread instead of throwing: user code might swallow the exception.
void PeCpu::give_up(const std::string& reason) {
  scheduler().give_up(reason);
  for (;;) wait_for(resumed_event_);
}

void PeCpu::write_scratch(std::uint64_t pa, Dtype dtype, std::vector<std::byte> bytes) {
  count_call();
  const std::uint64_t end = info_.scratch_pa + info_.scratch_bytes;
  if (pa < info_.scratch_pa || pa > end || bytes.size() > end - pa) {
    throw Error::program("ADDRESS_ERROR",
                         fmt::format("{} bytes at {:#x} are not in the kernel scratch of this PE, {:#x} "
                                     "to {:#x}",
                                     bytes.size(), pa, info_.scratch_pa, end - 1));
  }
  if (context().operations == nullptr) return;
  context().operations->on_scratch_write(node(), pa, dtype, std::move(bytes), now());
}

std::vector<std::byte> PeCpu::read(const std::vector<Extent>& extents) {
  count_call();
  if (context().operations == nullptr) {
    throw Error::program("DATA_ACCESS",
                         "this run keeps no data; a kernel that reads tensor contents needs --data eager");
  }
  return context().operations->kernel_read(extents);
}

std::optional<std::vector<std::byte>> PeCpu::read_if_known(const std::vector<Extent>& extents) {
  count_call();
  if (context().operations == nullptr) return std::nullopt;
  return context().operations->read_if_known(extents);
}

void PeCpu::set_state(State state) {
  state_ = state;
  state_since_ = now();
  state_probe_.set(now(), static_cast<std::uint64_t>(state));
}

void PeCpu::set_current(const contract::Command& command) {
  current_ = Call{command.kind, command.engine, command.call, command.call_index, command.at};
}

const payload::KernelLaunchMsg& PeCpu::message(const Launch& launch) const {
  return std::get<payload::KernelLaunchMsg>(*launch.transaction->message);
}

}  // namespace kb::modules
