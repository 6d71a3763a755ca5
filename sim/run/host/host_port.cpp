#include "sim/run/host/host_port.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "modules/command/launch_barrier.h"
#include "platform/base/error.h"
#include "platform/contract/completion.h"
#include "platform/contract/i_operation_sink.h"
#include "platform/contract/i_order_observer.h"
#include "platform/contract/kernel_launch.h"
#include "platform/contract/requests.h"
#include "platform/contract/tensor_layout.h"
#include "platform/payload/messages.h"
#include "platform/record/activity_recorder.h"
#include "platform/routing/memory_split.h"
#include "sim/run/host/machine_info.h"
#include "sim/run/host/request_check.h"

namespace kb::sim {

HostPort::HostPort(elab::Platform& platform, HostPortOptions options)
    : platform_(platform),
      options_(std::move(options)),
      machine_(machine_info(platform.plan())),
      threads_(platform.scheduler()) {
  for (int sip = 0; sip < machine_.sips; ++sip) {
    const NodeId entry = platform.routes().resolver().find_pcie_ep(SipId(static_cast<std::uint32_t>(sip)));
    entries_.push_back({&platform.block_as<elab::IHostEntry>(entry), entry});
    entries_.back().block->set_host(*this);
  }
}

HostPort::~HostPort() = default;

contract::RequestId HostPort::submit(const contract::MemoryWrite& request) {
  check_memory_request(platform_.graph().spec, "MemoryWrite", request.owner, request.nbytes);
  check_write_source(request, options_.data_mode);
  check_memory_kind(request);
  return submit_memory(Kind::write, payload::Op::write, request.owner, request.pa, request.nbytes,
                       std::make_unique<const contract::MemoryWrite>(request));
}

contract::RequestId HostPort::submit(const contract::MemoryRead& request) {
  check_memory_request(platform_.graph().spec, "MemoryRead", request.owner, request.nbytes);
  return submit_memory(Kind::read, payload::Op::read, request.owner, request.pa, request.nbytes, nullptr);
}

contract::RequestId HostPort::submit_memory(Kind kind, payload::Op op, const PeCoord& owner, std::uint64_t pa,
                                            std::uint64_t nbytes, std::unique_ptr<const contract::MemoryWrite> write) {
  const std::vector<routing::MemoryPart> parts =
      routing::split_access(platform_.context().routes.resolver(), pa, nbytes);
  check_placement(platform_.graph().node(parts.front().memory), owner, pa);
  std::vector<const payload::FabricRoute*> routes;
  const NodeId entry = entries_[owner.sip.value].node;
  const NodeId target = parts.front().memory;
  for (const routing::MemoryPart& part : parts) routes.push_back(&platform_.routes().host_memory(entry, part.memory));

  Request& request = open_request(kind, owner.sip, parts.size());
  request.target = target;
  request.pa = pa;
  request.nbytes = nbytes;
  request.write = std::move(write);
  if (contract::IOrderObserver* const order = platform_.context().order) {
    order->host_access_submitted(requests_.size(), {pa, nbytes}, kind == Kind::write, now());
  }
  if (!options_.copies_take_time) {
    finish(request, requests_.size());
    return requests_.size();
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    payload::Transaction& transaction = platform_.pool().acquire(op, *routes[i], parts[i].pa, parts[i].nbytes);
    transaction.hbm_offset = parts[i].hbm_offset;
    inject(request, transaction);
  }
  return requests_.size();
}

contract::RequestId HostPort::submit(std::shared_ptr<const contract::KernelLaunch> request) {
  if (request == nullptr) throw Error::program("SCHEMA_ERROR", "KernelLaunch: the request is empty");
  check_launch(platform_.graph().spec, platform_.context().kernels, *request);
  const NodeId entry = entries_[request->sip.value].node;
  const NodeId io_cpu = platform_.routes().resolver().find_io_cpu(request->sip);
  const payload::FabricRoute& route = platform_.routes().command(entry, io_cpu);

  Request& opened = open_request(Kind::launch, request->sip, 1);
  opened.target = io_cpu;
  opened.launch = launches_.size();
  LaunchRecord record;
  record.id = requests_.size();
  record.kernel = request->kernel;
  record.label = request->label;
  record.sip = request->sip;
  record.submitted = now();
  launches_.push_back(std::move(record));
  if (record::ActivityRecorder* const recorder = platform_.context().recorder) {
    recorder->launch_began(record::ActivityRecorder::group_of(request->sip), requests_.size(), now());
  }

  if (platform_.context().order != nullptr) platform_.context().order->launch_submitted(requests_.size());
  const TimeFs target_start = request->target_start.value_or(kNever);
  payload::Transaction& transaction = platform_.pool().acquire(payload::Op::message, route, 0, 0);
  if (record::ActivityRecorder* const recorder = platform_.context().recorder) {
    transaction.place = recorder->places().intern(account::Place::of_launch(requests_.size()));
  }
  transaction.message = payload::share(payload::KernelLaunchMsg{std::move(request), requests_.size(), target_start});
  inject(opened, transaction);
  return requests_.size();
}

contract::RequestId HostPort::submit(const contract::MapRequest& request) {
  check_map(platform_.graph().spec, request);
  std::string what = mapping_text(request);
  const std::shared_ptr<const address::RegionList> entries = map_entries(request, what);
  mappings_.apply(request, what);
  const NodeId entry = entries_[request.sip.value].node;
  const NodeId io_cpu = platform_.routes().resolver().find_io_cpu(request.sip);
  const payload::FabricRoute& route = platform_.routes().command(entry, io_cpu);

  Request& opened = open_request(Kind::map, request.sip, 1);
  opened.target = io_cpu;
  opened.mapping = std::move(what);
  payload::Transaction& transaction = platform_.pool().acquire(payload::Op::message, route, 0, 0);
  transaction.message = translation_message(request, entries, requests_.size());
  inject(opened, transaction);
  return requests_.size();
}

// The change is sent to the PE_MMUs (A-47) or to the BAAWs (A-73, A-74).
std::shared_ptr<const payload::Message> HostPort::translation_message(
    const contract::MapRequest& request, const std::shared_ptr<const address::RegionList>& entries,
    contract::RequestId id) const {
  const payload::TranslationMsg common{id, request.cubes, request.pes};
  if (machine_.address_model == AddressModel::va)
    return payload::share(payload::MmuMapMsg{common, request.unmap, entries});
  if (!request.unmap) return payload::share(payload::BaawSegmentInstallMsg{common, entries});
  const address::LogicalAddr begin(entries->begin());
  return payload::share(payload::BaawSegmentRemoveMsg{common, begin, entries->end() - entries->begin()});
}

// Checks that regions are in memory of this machine and do not overlap.
std::shared_ptr<const address::RegionList> HostPort::map_entries(const contract::MapRequest& request,
                                                                 const std::string& what) const {
  try {
    std::vector<address::Region> regions;
    regions.reserve(request.entries.size());
    for (const contract::MapRequest::Entry& entry : request.entries) {
      if (!request.unmap && entry.nbytes > 0)
        routing::split_access(platform_.context().routes.resolver(), entry.pa, entry.nbytes);
      regions.push_back({entry.va, entry.pa, entry.nbytes});
    }
    return address::RegionList::make(std::move(regions), address::space_of(*request.tensor->va_base));
  } catch (const Error& error) {
    if (error.family() == ErrorFamily::model) throw;
    throw Error::program(error.code(), what + ": " + error.what());
  }
}

HostPort::Request& HostPort::open_request(Kind kind, SipId sip, std::size_t parts) {
  Request& request = requests_.emplace_back();
  request.kind = kind;
  request.sip = sip;
  request.parts = request.part_count = parts;
  request.completion.submitted = now();
  ++open_;
  return request;
}

void HostPort::inject(const Request& request, payload::Transaction& transaction) {
  transaction.cookie = requests_.size();
  entries_[request.sip.value].block->submit(transaction);
}

void HostPort::on_completed(payload::Transaction& transaction) {
  if (transaction.cookie == 0 || transaction.cookie > requests_.size()) {
    throw Error::model("host: an answer came for a request that was never submitted");
  }
  const contract::RequestId id = transaction.cookie;
  Request& request = requests_[id - 1];
  if (request.done) {  // abandoned
    platform_.pool().release(transaction);
    return;
  }
  contract::Completion& completion = request.completion;
  if (!transaction.status.ok && completion.ok) {
    completion.ok = false;
    completion.error_code = transaction.status.code;
    completion.error_message = transaction.status.message;
  }
  if (const auto* reply = std::get_if<payload::LaunchReply>(transaction.reply.get())) {
    completion.pes = reply->pes;
  }
  platform_.pool().release(transaction);
  if (--request.parts == 0) finish(request, id);
}

void HostPort::finish(Request& request, contract::RequestId id) {
  request.done = true;
  request.completion.completed = now();
  --open_;
  contract::IOrderObserver* const order = platform_.context().order;
  if (order != nullptr && (request.kind == Kind::read || request.kind == Kind::write)) {
    order->host_access_completed(id, now());
  }
  if (request.kind == Kind::launch) {
    record_launch(request);
    ++finished_launches_;
    if (order != nullptr) order->launch_completed(id);
    if (record::ActivityRecorder* const recorder = platform_.context().recorder) {
      const LaunchRecord& ended = launches_[request.launch];
      recorder->launch_ended(record::ActivityRecorder::group_of(ended.sip), ended.id, now());
    }
  }
  if (request.write != nullptr) {
    contract::IOperationSink* const operations = platform_.context().operations;
    if (request.completion.ok && operations != nullptr) {
      operations->on_host_write(entries_[request.sip.value].node, *request.write, request.completion.submitted,
                                request.completion.completed);
    }
    request.write.reset();
  }
  for (const std::function<void()>& callback : std::exchange(request.callbacks, {})) callback();
}

void HostPort::record_launch(Request& request) {
  LaunchRecord& record = launches_[request.launch];
  contract::Completion& completion = request.completion;
  record.completed = completion.completed;
  record.ok = completion.ok;
  record.error_code = completion.error_code;
  record.error_message = completion.error_message;
  for (const contract::PeResult& pe : completion.pes) {
    if (pe.start > 0_fs) record.start = std::min(record.start, pe.start);
  }
  record.set_results(completion.pes, request.launch < kLaunchesWithPes);
  completion.summary = record.summary;
  with_results_.push_back(&request);
  if (with_results_.size() <= kKeptPeResults) return;
  with_results_.front()->completion.pes = std::vector<contract::PeResult>();  // assigning {} would keep its memory
  with_results_.pop_front();
}

std::optional<TimeFs> HostPort::common_start(const std::vector<contract::KernelLaunch>& launches) const {
  for (const contract::KernelLaunch& launch : launches) {
    check_launch(platform_.graph().spec, platform_.context().kernels, launch);
  }
  if (launches.empty()) return std::nullopt;
  return modules::common_launch_start(platform_.context(), launches, now());
}

const HostPort::Request& HostPort::find(contract::RequestId request) const {
  if (request == 0 || request > requests_.size()) {
    throw Error::model("host: request #" + std::to_string(request) + " does not exist");
  }
  return requests_[request - 1];
}

bool HostPort::done(contract::RequestId request) const {
  return find(request).done;
}

const contract::Completion& HostPort::completion(contract::RequestId request) const {
  const Request& found = find(request);
  if (!found.done)
    throw Error::model("host: the result of request #" + std::to_string(request) + " was asked for before it is there");
  return found.completion;
}

void HostPort::on_done(contract::RequestId request, std::function<void()> callback) {
  if (find(request).done) {
    callback();
  } else {
    requests_[request - 1].callbacks.push_back(std::move(callback));
  }
}

void HostPort::run_main(std::function<void(contract::IHost&)> program) {
  threads_.start_main([this, program = std::move(program)] { program(*this); });
}

void HostPort::run_workers(int count, const std::string& name, std::function<void(int rank)> body) {
  threads_.run_workers(count, name, body);
}

std::vector<std::byte> HostPort::read_memory(std::uint64_t pa, std::uint64_t nbytes) {
  auto known = read_if_known(pa, nbytes);
  return known ? std::move(*known) : std::vector<std::byte>(nbytes);
}

std::optional<std::vector<std::byte>> HostPort::read_if_known(std::uint64_t pa, std::uint64_t nbytes) {
  return options_.read_memory ? options_.read_memory(pa, nbytes) : std::nullopt;
}

std::string HostPort::describe(const Request& request, contract::RequestId id) const {
  if (request.kind == Kind::launch) {
    return fmt::format("host: launch #{} of kernel {} on sip{}", id, launches_[request.launch].name(),
                       request.sip.value);
  }
  if (request.kind == Kind::map) {
    return fmt::format("host: #{}, {}, on sip{}", id, request.mapping, request.sip.value);
  }
  return fmt::format("host: {} #{} of {} at {:#x}", request.kind == Kind::write ? "write" : "read", id,
                     format_bytes(request.nbytes), request.pa);
}

void HostPort::collect_waits(std::vector<elab::WaitInfo>& waits) const {
  threads_.collect_waits(waits);
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    const Request& request = requests_[i];
    if (request.done) continue;
    std::string what = fmt::format("response of {} at {}", platform_.graph().node(request.target).id,
                                   platform_.graph().node(entries_[request.sip.value].node).id);
    if (request.part_count > 1) what += fmt::format(", {} of {} parts", request.parts, request.part_count);
    waits.push_back({describe(request, i + 1), std::move(what), request.completion.submitted});
  }
}

bool HostPort::reports(const elab::WaitInfo& wait) const {
  if (!wait.is_request) return false;
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) { return wait.node == entry.node; });
}

namespace {

// "; sip0.cube0.m_cpu waits for 1 of 8 PEs: pe3": the blocks that block this launch.
std::string waits_of_launch(const topology::Graph& graph, const std::vector<elab::WaitInfo>& waits,
                            contract::RequestId id) {
  constexpr std::size_t kMax = 8;
  std::string text;
  std::size_t found = 0;
  for (const elab::WaitInfo& wait : waits) {
    if (wait.launch != id || ++found > kMax) continue;
    text += fmt::format("; {}: {}", graph.node(wait.node).id, wait.what);
  }
  if (found > kMax) text += fmt::format("; and {} others", found - kMax);
  return text;
}

}  // namespace

void HostPort::abandon(const std::string& reason, const std::vector<elab::WaitInfo>& waits) {
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    Request& request = requests_[i];
    if (request.done) continue;
    request.done = true;
    --open_;
    request.callbacks.clear();
    request.write.reset();
    request.completion.ok = false;
    request.completion.error_code = "TIMEOUT";
    request.completion.error_message = describe(request, i + 1) + " was never answered: " + reason;
    if (request.kind == Kind::launch)
      request.completion.error_message += waits_of_launch(platform_.graph(), waits, i + 1);
    request.completion.completed = now();
    if (request.kind != Kind::launch) continue;
    record_launch(request);
    launches_[request.launch].completed = kNever;
  }
  if (options_.embedded) {
    threads_.begin_unwinding();
  } else {
    threads_.unwind();
  }
}

}  // namespace kb::sim
