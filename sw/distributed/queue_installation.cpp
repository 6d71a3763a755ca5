#include "sw/distributed/queue_installation.h"

#include <algorithm>
#include <utility>

#include "sw/distributed/algorithms.h"

namespace kb::sw {
namespace {

topology::CclConfig with_wiring(topology::CclConfig config, topology::WiringPreset wiring) {
  config.wiring = wiring;
  config.links.clear();
  config.topology = topology::RankTopology::none;
  config.w = config.h = config.world_size = 0;
  if (config.slot_size == 0) config.slot_size = kUsualSlotBytes;
  return config;
}

topology::CclConfig as_configured(topology::CclOptions options, const Runtime& runtime) {
  options.modules = all_reduces_of(runtime).names();
  return topology::load_ccl(options);
}

// Sets the slot size to the message's size, as far as the memory allows.
topology::CclConfig with_slots_for(std::uint64_t message, topology::CclConfig config, topology::WiringPreset wiring,
                                   const contract::MachineInfo& machine) {
  const bool given = config.slot_size > 0;
  config = with_wiring(std::move(config), wiring);
  if (given || message <= config.slot_size) return config;
  const std::uint64_t slots = make_wiring(config, machine).directions.size() * config.n_slots;
  const std::uint64_t room = ring_room(config, machine) / std::max<std::uint64_t>(1, slots);
  const std::uint64_t step = machine.hbm_alignment;
  config.slot_size = std::max(config.slot_size, std::min((message + step - 1) / step * step, room - room % step));
  return config;
}

// Sets the slot size like a process group.
topology::CclConfig with_slots(topology::CclConfig config, const contract::MachineInfo& machine) {
  if (config.slot_size == 0) config.slot_size = chosen_slot_size(make_wiring(config, machine), config, machine);
  return config;
}

}  // namespace

QueueInstallation::QueueInstallation(Runtime& runtime, const topology::CclOptions& options)
    : claim_(runtime.claim_queues()),
      config_(with_slots(as_configured(options, runtime), runtime.machine())),
      queues_(plan_queues(make_wiring(config_, runtime.machine()), config_, runtime.machine(), runtime.memory())) {
  for (const Diagnostic& warning : config_.warnings) runtime.warn(warning.text());
  for (const Diagnostic& warning : queues_.warnings) runtime.warn(warning.text());
  runtime.host().install_queues(queues_.plan);
}

QueueInstallation::QueueInstallation(Runtime& runtime, topology::WiringPreset wiring,
                                     const topology::CclOptions& options, std::uint64_t message)
    : claim_(runtime.claim_queues()),
      config_(with_slots_for(message, topology::load_ccl(options), wiring, runtime.machine())),
      queues_(plan_queues(make_wiring(config_, runtime.machine()), config_, runtime.machine(), runtime.memory())) {
  runtime.host().install_queues(queues_.plan);
}

QueueInstallation::QueueInstallation(Runtime& runtime, const Wiring& wiring, const topology::CclOptions& options)
    : claim_(runtime.claim_queues()),
      config_(with_wiring(topology::load_ccl(options), topology::WiringPreset::flat)),
      queues_(plan_queues(wiring, config_, runtime.machine(), runtime.memory())) {
  runtime.host().install_queues(queues_.plan);
}

}  // namespace kb::sw
