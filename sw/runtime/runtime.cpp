#include "sw/runtime/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "platform/base/error.h"
#include "platform/base/names.h"
#include "platform/contract/completion.h"
#include "platform/contract/failure_policy.h"
#include "platform/contract/kernel.h"
#include "platform/contract/kernel_arguments.h"
#include "platform/contract/kernel_launch.h"
#include "platform/contract/launch_summary.h"
#include "platform/contract/tensor_layout.h"
#include "platform/ops/op_types.h"
#include "sw/runtime/device.h"
#include "sw/runtime/launch_plan.h"
#include "sw/tensor/join.h"

namespace kb::sw {
namespace {

// Text of a launch, as in the result file; it has one request per SIP.
std::string launch_text(const LaunchState& state) {
  std::string ids;
  for (const contract::RequestId id : state.requests) ids += fmt::format("{}#{}", ids.empty() ? "" : ", ", id);
  return fmt::format("launch {} of kernel '{}'", ids, launch_name(state.kernel, state.label));
}

}  // namespace

Runtime::Runtime(contract::IHost& host, const contract::IKernelCatalog* kernels, RuntimeOptions options)
    : host_(host),
      kernels_(kernels),
      options_(std::move(options)),
      devices_(options_.devices.empty() ? parse_device("all", host.machine()) : options_.devices),
      tracker_(host),
      memory_(host, tracker_),
      launch_order_(host),
      // A non-owning pointer, with which handles test whether the context still exists.
      alive_(static_cast<ITensorContext*>(this), [](ITensorContext*) {}) {}

Runtime::~Runtime() {
  if (std::uncaught_exceptions() == 0) close();  // a failed program sends no more requests
}

void Runtime::close() {
  alive_.reset();
  memory_.release_all();
}

void Runtime::check_open() const {
  if (!alive_) throw Error::program("TENSOR_ERROR", "the runtime context is closed");
}

Tensor Runtime::empty(const Shape& shape, Dtype dtype, const DPPolicy& policy, const std::string& name,
                      std::optional<MemoryKind> memory) {
  const auto sip = SipId(static_cast<std::uint32_t>(current_device()));
  return make_tensor(shape, dtype, policy, name, {sip, memory.value_or(policy.memory), nullptr, 0});
}

std::shared_ptr<const Arena> Runtime::arena(std::uint64_t slice_bytes) {
  check_open();
  const auto sip = SipId(static_cast<std::uint32_t>(current_device()));
  return std::make_shared<const Arena>(memory_.device(), machine(), sip, slice_bytes);
}

Tensor Runtime::empty_in(const std::shared_ptr<const Arena>& arena, std::uint64_t offset, const Shape& shape,
                         Dtype dtype, const DPPolicy& policy, const std::string& name) {
  return make_tensor(shape, dtype, policy, name, {arena->sip(), MemoryKind::hbm, arena, offset});
}

Tensor Runtime::make_tensor(const Shape& shape, Dtype dtype, const DPPolicy& policy, const std::string& name,
                            const Room& room) {
  check_open();
  memory_.release_unused();
  const std::uint64_t id = memory_.new_id();
  auto state = std::make_shared<TensorState>();
  state->name = name.empty() ? fmt::format("tensor{}", id) : name;
  state->policy = policy.in(room.memory);
  const EffectiveCounts counts = effective_counts(policy, machine().cubes_per_sip, machine().pes_per_cube);
  state->placement = resolve_dp_policy(policy, shape, dtype, counts, room.sip, state->name);

  auto layout = std::make_shared<contract::TensorLayout>();
  layout->id = id;
  layout->name = state->name;
  layout->named = !name.empty();
  layout->dtype = dtype;
  layout->shape = shape;
  layout->shard_shape = shard_shape(shape, state->placement.front());
  layout->nbytes = static_cast<std::uint64_t>(element_count(shape)) * item_size(dtype);
  layout->memory = state->policy.memory;
  memory_.place(layout, state->placement, room.arena, room.offset);
  for (std::size_t i = 0; i < layout->shards.size(); ++i) {
    Shape own = shard_shape(shape, state->placement[i]);
    if (own != layout->shard_shape) layout->shards[i].shape = std::move(own);
  }
  state->layout = layout;
  state->context = alive_;
  memory_.map(layout, policy);
  return Tensor(std::move(state));
}

Tensor Runtime::zeros(const Shape& shape, Dtype dtype, const DPPolicy& policy, const std::string& name,
                      std::optional<MemoryKind> memory) {
  return full(shape, 0.0, dtype, policy, name, memory);
}

Tensor Runtime::full(const Shape& shape, double value, Dtype dtype, const DPPolicy& policy, const std::string& name,
                     std::optional<MemoryKind> memory) {
  static_cast<void>(encode_element(dtype, value));  // throws before memory is allocated
  Tensor tensor = empty(shape, dtype, policy, name, memory);
  tensor.fill(value);
  return tensor;
}

Tensor Runtime::from_host(HostArray array, const std::string& name) {
  auto state = std::make_shared<TensorState>();
  state->name = name.empty() ? "host array" : name;
  state->staged = std::move(array);
  return Tensor(std::move(state));
}

LaunchHandle Runtime::launch(const std::string& kernel, const Args& args, const LaunchOptions& options) {
  return submit(prepare(kernel, args, options));
}

PreparedLaunch Runtime::prepare(const std::string& kernel, const Args& args, const LaunchOptions& options) {
  check_open();
  const std::vector<contract::KernelArg> values = bind_launch(kernels_, kernel, args);
  const bool in_rank = host_.current_worker() != kMainProgram;
  PreparedLaunch prepared{kernel, options.label,
                          plan_launch({machine(), devices_, current_device(), in_rank}, kernel, values, options)};
  const std::vector<std::string> ranges = ranges_.names(host_.current_worker());
  for (const auto& part : prepared.parts) part->ranges = ranges;
  memory_.map_arguments(prepared.parts);
  wait_for_arguments(*prepared.parts.front());
  if (prepared.parts.size() > 1 && !options.queued) start_together(prepared.parts);
  return prepared;
}

void Runtime::start_together(const std::vector<std::shared_ptr<contract::KernelLaunch>>& parts) const {
  std::vector<contract::KernelLaunch> together;
  for (const auto& part : parts) together.push_back(*part);
  const std::optional<TimeFs> start = host_.common_start(together);
  for (const auto& part : parts) part->target_start = start;
}

LaunchHandle Runtime::submit(const PreparedLaunch& launch) {
  const std::size_t index = launches_.size();
  LaunchState& state = launches_.emplace_back();
  state.kernel = launch.kernel;
  state.label = launch.label;
  if (!launch.parts.empty()) state.failure_policy = launch.parts.front()->failure_policy;
  for (const auto& part : launch.parts) {
    launch_order_.order(*part);
    const contract::RequestId id = host_.submit(part);
    launch_order_.submitted(id, part);
    launches_[index].requests.push_back(id);
    tracker_.add({id, host_.current_worker(), RequestKind::launch, nullptr, 0, part, index});
  }
  return {index};
}

void Runtime::wait_for_arguments(const contract::KernelLaunch& launch) {
  std::set<std::uint64_t> tensors;
  for (const contract::KernelArg& value : launch.args) {
    const auto* const tensor = std::get_if<std::shared_ptr<const contract::TensorLayout>>(&value);
    if (tensor != nullptr) tensors.insert((*tensor)->id);
  }
  contents_made_ = contents_made_ || !tensors.empty();
  const auto prepares_argument = [&](const Outstanding& r) {
    return (r.kind == RequestKind::write || r.kind == RequestKind::map) && tensors.count(r.tensor->id) != 0;
  };
  const std::string reason = fmt::format("host writes to the arguments of kernel '{}'", launch.kernel);
  // Requests of other ranks stay on the list, so that their submitters learn of a failure, too.
  for (const Outstanding& request : tracker_.wait_for(prepares_argument, reason)) tracker_.throw_if_failed(request);
  const int caller = host_.current_worker();
  static_cast<void>(
      tracker_.take([&](const Outstanding& r) { return prepares_argument(r) && r.rank == caller; }, reason));
}

LaunchMetrics Runtime::wait(LaunchHandle launch) {
  if (wait_result(launch)) return metrics(launch);
  throw_failure(launch_state(launch));
}

// The cause at the first SIP, or the causes at all SIPs.
void Runtime::throw_failure(const LaunchState& state) const {
  std::string code, causes;
  for (const contract::RequestId id : state.requests) {
    const contract::Completion& completion = host_.completion(id);
    if (completion.ok) continue;
    if (code.empty()) code = completion.error_code;
    causes += (causes.empty() ? "" : "; ") + completion.error_message;
    if (state.failure_policy == contract::FailurePolicy::fail_fast) break;
  }
  if (code.empty()) throw Error::model("a failed launch has no failed completion");
  throw Error::program(code, launch_text(state) + ": " + causes);
}

bool Runtime::wait_result(LaunchHandle launch) {
  const LaunchState& state = launch_state(launch);
  const std::string reason = launch_text(state);
  const auto part_of_launch = [&](const Outstanding& r) {
    return r.kind == RequestKind::launch && r.launch_index == launch.index;
  };
  // Looked up by request, because another host thread may already have removed it from the list.
  const std::vector<contract::RequestId> requests = state.requests;
  tracker_.block(requests, reason);
  settle(tracker_.take(part_of_launch, reason), false);
  return std::all_of(requests.begin(), requests.end(), [&](contract::RequestId id) { return host_.completion(id).ok; });
}

void Runtime::wait_all() {
  const int caller = host_.current_worker();
  const auto mine = [&](const Outstanding& r) { return caller == kMainProgram || r.rank == caller; };
  settle(tracker_.take(mine, "everything submitted so far"), true);
}

// Evaluates completed requests: counts late PEs, frees memory, and throws the first failure.
void Runtime::settle(const std::vector<Outstanding>& done, bool throw_failures) {
  for (const Outstanding& request : done) {
    if (request.kind == RequestKind::launch) settle_launch(request.launch_index);
  }
  memory_.release_unused();
  if (!throw_failures) return;
  for (const Outstanding& request : done) {
    if (request.kind == RequestKind::launch && !host_.completion(request.request).ok &&
        launches_[request.launch_index].failure_policy == contract::FailurePolicy::collect_all) {
      throw_failure(launches_[request.launch_index]);
    }
    tracker_.throw_if_failed(request);
  }
}

void Runtime::settle_launch(std::size_t index) {
  LaunchState& state = launches_[index];
  const auto is_done = [&](contract::RequestId id) { return host_.done(id); };
  if (state.settled || !std::all_of(state.requests.begin(), state.requests.end(), is_done)) return;
  state.settled = true;
  const LaunchMetrics m = metrics({index});
  late_pes_ += m.late_pes;
  if (m.late_pes == 0) return;
  warn(fmt::format("{}: {} of {} PEs started up to {} ns after the common start stamp", launch_text(state), m.late_pes,
                   m.pes, format_ns(m.late_max)));
}

const LaunchState& Runtime::launch_state(LaunchHandle launch) const {
  if (launch.index >= launches_.size()) {
    throw Error::program("SCHEMA_ERROR", fmt::format("launch {} does not exist in this context", launch.index));
  }
  return launches_[launch.index];
}

std::vector<contract::Completion> Runtime::completions(LaunchHandle launch) const {
  std::vector<contract::Completion> all;
  for (const contract::RequestId id : launch_state(launch).requests) all.push_back(host_.completion(id));
  return all;
}

LaunchMetrics Runtime::metrics(LaunchHandle launch) const {
  LaunchMetrics m;
  contract::LaunchSummary all;
  bool first = true;
  for (const contract::RequestId id : launch_state(launch).requests) {
    const contract::Completion& completion = host_.completion(id);
    m.submitted = first ? completion.submitted : std::min(m.submitted, completion.submitted);
    m.completed = std::max(m.completed, completion.completed);
    first = false;
    all.add(completion.summary);
  }
  m.start = all.start;
  m.exec_min = all.exec_min;
  m.exec_max = all.exec_max;
  m.dma_max = all.dma_max;
  m.channel_max = all.channel_max;
  m.compute_max = all.compute_max;
  m.pes = all.pes;
  m.late_pes = all.late_pes;
  m.late_max = all.late_max;
  return m;
}

const std::vector<contract::RequestId>& Runtime::requests(LaunchHandle launch) const {
  return launch_state(launch).requests;
}

void Runtime::set_device(int sip) {
  if (std::find(devices_.begin(), devices_.end(), sip) == devices_.end()) {
    throw Error::program("DEVICE_ERROR",
                         fmt::format("set_device({}): the devices of this run are {}", sip, join(devices_)));
  }
  bound_[host_.current_worker()] = sip;
}

int Runtime::current_device() {
  const int caller = host_.current_worker();
  const auto bound = bound_.find(caller);
  if (bound != bound_.end()) return bound->second;
  if (caller != kMainProgram) {
    warn(fmt::format("rank {} uses sip{} because it never called set_device", caller, devices_.front()));
  }
  return devices_.front();
}

std::shared_ptr<void> Runtime::claim_queues() {
  if (!queue_owner_.expired()) {
    throw Error::program(
        "COLLECTIVE_ERROR",
        "the message queues of this run are in use by a process group or another installation, which a "
        "second one would break; make groups of some ranks with new_group, or end the first one");
  }
  const auto owner = std::make_shared<int>(0);
  queue_owner_ = owner;
  return owner;
}

void Runtime::enter_ranks(IRankWaiter& waiter, int nprocs) {
  if (world_size_ != 0 || host_.current_worker() != kMainProgram) {
    throw Error::program("SPAWN_ERROR", "spawn cannot be called from a rank of another spawn");
  }
  world_size_ = nprocs;
  waiter_ = &waiter;
  tracker_.set_rank_waiter(&waiter);
}

void Runtime::leave_ranks() {
  world_size_ = 0;
  waiter_ = nullptr;
  tracker_.set_rank_waiter(nullptr);
  const auto main_program = bound_.find(kMainProgram);
  bound_ = main_program == bound_.end() ? std::map<int, int>{} : std::map<int, int>{*main_program};
  forgotten_reads_.erase(forgotten_reads_.upper_bound(kMainProgram), forgotten_reads_.end());
}

int Runtime::rank() {
  const int caller = host_.current_worker();
  if (caller != kMainProgram) return caller;
  warn("get_rank outside of spawn is rank 0");
  return 0;
}

int Runtime::world_size() const {
  return world_size_ == 0 ? 1 : world_size_;
}

void Runtime::report(const CollectiveRecord& record) {
  const auto same = [&](const CollectiveRecord& known) { return known.same_case(record); };
  if (std::none_of(collectives_.begin(), collectives_.end(), same)) collectives_.push_back(record);
}

// Each warning is given once, because a loop over tensors would repeat it.
void Runtime::warn(const std::string& message) {
  if (warned_.insert(message).second && options_.warn) options_.warn(message);
}

}  // namespace kb::sw
