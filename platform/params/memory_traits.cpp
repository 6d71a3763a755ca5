#include "platform/params/memory_traits.h"

#include <algorithm>

#include "platform/params/hbm_banked_params.h"

namespace kb::params {
namespace {

void set_banked(const HbmBankedParams& banked, const HbmCtrlParams& kind, MemoryTraits& traits) {
  const dram::Standard standard = banked.standard();
  const dram::Timing& t = standard.timing;
  const auto unit = static_cast<std::int64_t>(dram::kAccessBytes);
  const std::int64_t accesses = (kind.burst_bytes + unit - 1) / unit;
  const TimeFs columns = ((accesses - 1) * t.ccdl + t.bl) * standard.tck;
  const TimeFs on_bus = accesses * t.bl * standard.tck;
  const TimeFs front = banked.frontend.time();
  const auto opening = [&](int rcd) { return rcd + (standard.act_halves - 1) / 2; };  // to the first column command
  traits.access = front + (opening(t.rcdrd) + t.cl) * standard.tck + columns + banked.backend.time() - on_bus;
  traits.write_access = front + (opening(t.rcdwr) + t.cwl) * standard.tck + columns - on_bus;
  traits.access_bytes = dram::kAccessBytes;
  traits.efficiency = 1.0;
  traits.latency_key = "preset";
}

}  // namespace

MemoryTraits memory_traits(const ParamSet& kind, const ParamSet& impl) {
  const auto& hbm = kind.as<HbmCtrlParams>();
  MemoryTraits traits;
  traits.channels = hbm.num_pcs;
  traits.channel_bw = hbm.pc_bw;
  traits.access = hbm.access.time();
  traits.access_bytes = static_cast<std::uint64_t>(hbm.access_bytes);
  traits.efficiency = hbm.efficiency;
  if (impl.table() != nullptr && impl.table()->type() == typeid(HbmBankedParams)) {
    set_banked(impl.as<HbmBankedParams>(), hbm, traits);
  }
  return traits;
}

Bandwidth slice_bandwidth(std::int64_t channels, Bandwidth channel, Bandwidth wire, double fuller) {
  const Bandwidth all = channel * static_cast<double>(channels);
  const Bandwidth wires = wire.limited() ? wire / fuller : all;
  return std::min(all, wires);
}

}  // namespace kb::params
