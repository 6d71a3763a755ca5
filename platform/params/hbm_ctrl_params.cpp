#include "platform/params/hbm_ctrl_params.h"

namespace kb::params {

const FieldTable& HbmCtrlParams::fields() {
  using P = HbmCtrlParams;
  static const FieldTable table =
      Fields<P>()
          .add("overhead_ns", &P::overhead, "command and header decode")
          .add("num_pcs", &P::num_pcs, at_least(1, 1024),
               "pseudo-channels; follows cube.memory_map.hbm_channels_per_pe")
          .power_of_two()
          .machine_wide()
          .add("burst_bytes", &P::burst_bytes, at_least(1, 65536), "burst, and the flit of the whole fabric")
          .power_of_two()
          .machine_wide()
          .add("switch_penalty_ns", &P::switch_penalty, "cost of changing a pseudo-channel's direction")
          .add("efficiency", &P::efficiency, rate(1.0), "scales the link to the router (T-19)")
          .add("read_order", &P::read_order, {"fair", "arrival"},
               "`fair`: requesters take turns, a burst each; `arrival`: one read command after the other")
          .add("access_ns", &P::access, "from the end of a read burst to its data; pipelined")
          .add("access_bytes", &P::access_bytes, at_least(1, 65536),
               "a part of a burst costs whole units of this; at most `burst_bytes`")
          .power_of_two()
          .follows("burst_bytes")
          .add("channel_hash", &P::channel_hash, {"none", "xor"},
               "`xor` spreads power-of-two pitches over the pseudo-channels (A-22)")
          .machine_wide()
          .add("pc_bw_gbs", &P::pc_bw, "bandwidth of a pseudo-channel, hbm_to_router_bw_gbs / num_pcs")
          .set_instead("remove it: it is derived as hbm_to_router_bw_gbs / num_pcs")
          .by_node()
          .table();
  return table;
}

}  // namespace kb::params
