#include "sim/ports/device/device_impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "modules/bridge/tlm_memory.h"
#include "modules/catalog.h"
#include "modules/rtl/catalog.h"
#include "modules/rtl/pin_sharing.h"
#include "platform/base/nearest.h"
#include "platform/contract/data_mode.h"
#include "platform/contract/i_host.h"
#include "platform/elab/platform.h"
#include "sim/ports/device/device_options.h"
#include "sim/run/driver/deadlock.h"
#include "sim/run/driver/platform_options.h"
#include "sim/run/driver/run_end.h"
#include "sim/run/driver/run_files.h"
#include "sim/run/driver/wait_table.h"
#include "sw/runtime/runtime.h"

namespace kb {
namespace {

constexpr double kLongestAcceptNs = 1e9;

elab::BlockCatalog with_bridges(const elab::BlockCatalog* blocks) {
  elab::BlockCatalog all = blocks != nullptr ? *blocks : elab::BlockCatalog();
  if (!all.implementations().has_rtl()) modules::add_rtl_blocks(all);
  if (all.implementations().kinds_of("tlm.memory").empty()) modules::add_tlm_memory(all);
  return all;
}

topology::LoadedTopology load(const DeviceConfig& config, const topology::Implementations& implementations) {
  if (!config.topology.empty()) return topology::load(config.topology, config.settings, implementations);
  if (config.topology_text.empty()) {
    throw Error::configuration("DeviceConfig names no machine; set `topology` to a YAML file, e.g. reference.yaml");
  }
  return topology::load_text(config.topology_text, "DeviceConfig::topology_text", config.settings, implementations);
}

void check_resolution() {
  constexpr double kFemtosecond = 1e-15;
  const double resolution = sc_core::sc_get_time_resolution().to_seconds();
  if (resolution > 0.5 * kFemtosecond && resolution < 1.5 * kFemtosecond) return;
  throw Error::configuration(fmt::format(
      "the time resolution of the simulation is {}, but a kb::Device needs 1 fs; call kb::set_time_resolution() first "
      "in sc_main(), before any sc_time or module is made",
      sc_core::sc_get_time_resolution().to_string()));
}

// Node kinds at which requests of outside models can enter the machine.
bool can_send(topology::NodeKind kind) {
  using topology::NodeKind;
  return kind == NodeKind::pcie_ep || kind == NodeKind::pe_dma || kind == NodeKind::m_cpu;
}

}  // namespace

Device::Impl::Impl(Device& device, const DeviceConfig& config)
    : device_(device),
      config_(config),
      blocks_(with_bridges(config.blocks)),
      topology_(load(config, blocks_.implementations())),
      failures_("failures", device.name(), sim::on_failure_of(config), *this) {
  check_resolution();
  if (!(config.no_progress_ns >= 0.0)) {
    throw Error::configuration(
        fmt::format("DeviceConfig::no_progress_ns is {}; it is a time, or 0 for no limit", config.no_progress_ns));
  }
  options_.data_mode = sim::data_mode_of(config);
  options_.strict = config.strict;
  options_.kernels = config.kernels != nullptr ? config.kernels : &kernels_;
  options_.blocks = &blocks_;
  if (!config.result.empty()) record_.emplace(config, device.name(), topology_, outputs_, options_);
  if (!config.oplog.empty()) options_.oplog = &sim::add_operations(outputs_, config.oplog);
  if (!config.wave.empty()) {
    options_.waves.file = &outputs_.add(config.wave, "the waveform file");
    options_.waves.format = sim::wave_format(config.wave).value_or(sim::WaveFormat::vcd);
    sim::set_waves(config, options_.waves);
    options_.waves.top = device.name();
    if (!config.gtkw.empty()) options_.waves.gtkw = &outputs_.add(config.gtkw, "the save file of GTKWave");
    waves_.emplace(options_.waves);
  } else if (!config.gtkw.empty()) {
    throw Error::configuration("DeviceConfig::gtkw shows what DeviceConfig::wave records; set `wave`, too");
  }
  data_ = std::make_unique<sim::DataModel>(topology_.graph, options_);
  contents_ = std::make_unique<sim::DeviceContents>(*data_);
  platform_ = std::make_unique<elab::Platform>("platform", topology_.graph, modules::registry_with(&blocks_),
                                               sim::platform_options(options_, *data_, waves_ ? &*waves_ : nullptr));
  elab::Embedding embedding;
  embedding.run_ahead = config.free_running;
  embedding.drained = [this] { on_drained(); };
  embedding.ended = [this] { on_ended(); };
  platform_->scheduler().embed(std::move(embedding));
  outward_ = std::make_unique<elab::OutboundCallQueue>("outward_calls", platform_->scheduler());
  mailbox_ = std::make_unique<elab::InboundCallQueue>(platform_->scheduler());
  own_port_ = outward_->add_port();
  outward_->on_failed([this](std::exception_ptr thrown) { failures_.fail(std::move(thrown)); });
  outward_->on_done([this] {
    if (platform_->scheduler().pending() == 0) on_drained();
  });
  watchdog_ = std::make_unique<sim::Watchdog>("watchdog", sc_core::sc_time(config.no_progress_ns, sc_core::SC_NS),
                                              platform_->scheduler(), [this] { on_silence(); });
  sim::HostPortOptions host;
  host.data_mode = options_.data_mode;
  host.embedded = true;
  host.read_memory = [this](std::uint64_t pa, std::uint64_t nbytes) { return data_->read_if_known(pa, nbytes); };
  host_ = std::make_unique<sim::HostPort>(*platform_, host);
  auto& outside = platform_->context().shared<modules::OutsideModels>();
  platform_->context().shared<modules::PinSharing>().runs_on = true;
  outside.outward = outward_.get();
  outside.mailbox = mailbox_.get();
  outside.check_protocol = config.check_protocol;
  outside.report_fault = bridge_context().report_fault;
  outside.failed = bridge_context().failed;
  outside.settled = bridge_context().settled;
  outside.map_external = [this](std::uint64_t pa, std::uint64_t nbytes, contract::IExternalContents& keeper) {
    if (options_.data_mode == contract::DataMode::replay) {
      throw Error::configuration(
          "DeviceConfig::data is 'replay', which computes after the fact, but a memory with `data: through` has its "
          "contents outside; use 'eager'");
    }
    data_->memory().map_external(pa, nbytes, keeper);
  };
  make_targets();
  control_ = std::make_unique<sim::ControlBlock>("control", device, *host_, *options_.kernels, bridge_context());
}

// The final waveforms come from the blocks.
Device::Impl::~Impl() {
  if (!waves_) return;
  waves_->keep();
  sim::set_keeper(nullptr);
}

modules::BridgeContext Device::Impl::bridge_context() {
  return {*platform_,
          *mailbox_,
          *outward_,
          *contents_,
          config_.check_protocol,
          [this](const modules::OutsideFault& fault) { failures_.note(fault); },
          [this](std::exception_ptr thrown) { failures_.fail(std::move(thrown)); },
          [this] { settled(); }};
}

void Device::Impl::make_targets() {
  const modules::BridgeContext context = bridge_context();
  for (const DeviceTarget& target : config_.targets) {
    const std::string where = fmt::format("target '{}' of {}", target.name, device_.name());
    const std::optional<NodeId> node = topology_.graph.find_node(target.attach);
    if (!node || !can_send(topology_.graph.node(*node).kind)) {
      std::vector<std::string> names;
      for (const topology::Node& one : topology_.graph.nodes) {
        if (can_send(one.kind)) names.push_back(one.id);
      }
      throw Error::configuration(where + ": the machine has no node '" + target.attach +
                                 "' that could send requests (" + suggest(target.attach, names) + ")");
    }
    if (target.max_outstanding < 1) {
      throw Error::configuration(
          fmt::format("{}: max_outstanding is {}; it has to be at least 1", where, target.max_outstanding));
    }
    if (!(target.accept_ns >= 0.0 && target.accept_ns <= kLongestAcceptNs)) {
      throw Error::configuration(
          fmt::format("{}: accept_ns is {}; it has to be from 0 to {}", where, target.accept_ns, kLongestAcceptNs));
    }
    if (targets_.count(target.name) != 0) throw Error::configuration(where + " exists already; give it another name");
    modules::TargetParams params;
    params.attach = *node;
    for (const DeviceWindow& window : target.windows) params.windows.push_back({window.bus, window.pa, window.size});
    params.max_outstanding = static_cast<std::size_t>(target.max_outstanding);
    params.accept = ns_to_fs(target.accept_ns);
    targets_.emplace(target.name, std::make_unique<modules::TargetBridge>(target.name.c_str(), params, context));
  }
}

modules::TargetBridge& Device::Impl::target(const std::string& name) {
  const auto found = targets_.find(name);
  if (found != targets_.end()) return *found->second;
  std::vector<std::string> names;
  for (const auto& entry : targets_) names.push_back(entry.first);
  throw Error::configuration(
      fmt::format("{} has no target socket '{}': {}", device_.name(), name, suggest(name, names)));
}

Device::InitiatorSocket& Device::Impl::memory(const std::string& name) {
  const auto& ports = platform_->context().shared<modules::OutsideModels>().ports;
  const auto found = ports.find(name);
  if (found != ports.end()) return found->second->socket;
  std::vector<std::string> names;
  for (const auto& entry : ports) names.push_back(entry.first);
  throw Error::configuration(
      fmt::format("{} has no memory socket '{}': {}", device_.name(), name,
                  names.empty() ? "no block of the machine has `impl: tlm.memory`" : suggest(name, names)));
}

void Device::Impl::run(HostProgram program) {
  if (!host_->main_finished()) throw Error::configuration("a kb::Device runs one program; start it once");
  idle_ = false;
  host_->run_main([this, program = std::move(program)](contract::IHost& host) {
    // When it ends for any reason, the device must be checked for idleness.
    const struct AtEnd {
      Impl& impl;
      ~AtEnd() { impl.outward_->post(impl.own_port_, impl, 0); }
    } at_end{*this};
    sw::Runtime runtime(host, options_.kernels, {});
    program(runtime);
    runtime.wait_all();
  });
}

void Device::Impl::start() {
  if (!waves_) return;
  waves_->check_filters();
  sim::set_keeper(&*waves_);
  const auto poll = [this] {
    if (waves_->poll(platform_->scheduler().now())) sim::end_interrupted();
    return false;
  };
  platform_->scheduler().set_poll(poll, sim::WaveRecording::kPolled);
}

std::size_t Device::Impl::open_outside() const {
  std::size_t open = 0;
  for (const auto& entry : targets_) open += entry.second->open_requests();
  return open;
}

// True when every open request is a blocking call that already has its answer.
bool Device::Impl::returns_now() const {
  std::size_t open = 0, returning = 0;
  for (const auto& entry : targets_) {
    open += entry.second->open_requests();
    returning += entry.second->returning();
  }
  return open > 0 && open == returning;
}

bool Device::Impl::idle() const {
  if (failures_.failure()) return failures_.settled();
  return platform_->scheduler().pending() == 0 && outward_->empty() && open_outside() == 0 && control_->idle() &&
         host_->main_finished() && host_->open_requests() == 0;
}

void Device::Impl::on_drained() {
  if (failures_.failure()) return;
  if (host_->failure()) {
    on_ended();
  } else if (idle()) {
    watchdog_->stop();
    if (!std::exchange(idle_, true)) platform_->scheduler().wake(idle_event_);
  } else {
    idle_ = false;
    if (outward_->empty() && !returns_now()) watchdog_->start();  // otherwise this is called again
  }
}

void Device::Impl::settled() {
  idle_ = false;
  if (platform_->scheduler().pending() == 0) on_drained();
}

void Device::Impl::on_ended() {
  if (failures_.failure()) return;
  elab::EventScheduler& scheduler = platform_->scheduler();
  try {
    if (scheduler.failed()) std::rethrow_exception(scheduler.failure());
    std::optional<Error> failure = sim::find_failure(*platform_, *host_, nullptr);
    failures_.fail(failure ? *failure : Error::model("the run ended"));
  } catch (...) {
    failures_.fail(std::current_exception());
  }
}

void Device::Impl::on_silence() {
  if (failures_.failure() || finished_ || idle()) return;
  std::optional<Error> failure;
  try {
    failure = sim::find_failure(*platform_, *host_, nullptr);
  } catch (const Error& error) {
    failure = error;
  }
  if (!failure) {
    failure.emplace(ErrorFamily::no_progress, "NO_PROGRESS",
                    "nothing can happen any more but requests of outside models are open");
  }
  failures_.fail(
      Error(failure->family(), failure->code(),
            fmt::format("nothing has happened inside for {} ns: {}\n{}"
                        "A simulation that pauses for longer sets DeviceConfig::no_progress_ns higher, or to "
                        "0 for no limit.",
                        config_.no_progress_ns, failure->what(), waits_text())));
}

void Device::Impl::stop_engine(const std::string& cause, sc_core::sc_event& stopped) {
  watchdog_->stop();
  if (waves_) waves_->save(platform_->scheduler().now());
  platform_->scheduler().give_up(cause);
  platform_->scheduler().wake(stopped);
}

void Device::Impl::abandon(const std::string& cause) {
  for (const auto& entry : targets_) entry.second->abandon(cause);
  control_->abandon();
  host_->abandon(cause, platform_->waits());
}

std::size_t Device::Impl::unfinished() const {
  std::size_t count = host_->threads();
  for (const auto& entry : targets_) count += entry.second->unanswered();
  return count;
}

void Device::Impl::announce() {
  idle_event_.notify(sc_core::SC_ZERO_TIME);
}

std::string Device::Impl::waits_text() const {
  std::vector<elab::WaitInfo> waits = sim::open_waits(*platform_, *host_);
  for (const auto& entry : targets_) entry.second->collect_waits(waits);
  control_->collect_waits(waits);
  if (waits.empty() && !host_->main_finished()) {
    waits.push_back({"the host program", "something outside of the machine", 0_fs});
  }
  return sim::diagnose_deadlock(waits) + sim::render_waits(waits, platform_->scheduler().now());
}

}  // namespace kb
