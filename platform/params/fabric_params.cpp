// Field tables of the blocks on the fabric that have few parameters.
#include "platform/params/forwarding_params.h"
#include "platform/params/io_cpu_params.h"
#include "platform/params/m_cpu_params.h"
#include "platform/params/pcie_ep_params.h"
#include "platform/params/sram_params.h"

namespace kb::params {
namespace {

Fields<ForwardingParams> transit_fields(double overhead_ns) {
  ForwardingParams defaults;
  defaults.overhead = Nanoseconds(overhead_ns);
  Fields<ForwardingParams> fields(defaults);
  fields.add("decode", &ForwardingParams::decode, {"pipelined", "serial"},
             "`pipelined`: what arrives is ready overhead_ns later; `serial`: one worker decodes all headers");
  fields.add("overhead_ns", &ForwardingParams::overhead, "latency; under `serial`, decode of a header");
  return fields;
}

}  // namespace

FieldTable ForwardingParams::fields(double overhead_ns) {
  return transit_fields(overhead_ns).table();
}

FieldTable ForwardingParams::router_fields() {
  return transit_fields(0.0)
      .set_instead("all routers of a machine have the same one (T-20): set cube.links.router_overhead_ns")
      .table();
}

const FieldTable& PcieEpParams::fields() {
  static const FieldTable table =
      Fields<PcieEpParams>().add("overhead_ns", &PcieEpParams::overhead, "PCIe protocol cost per message").table();
  return table;
}

const FieldTable& IoCpuParams::fields() {
  static const FieldTable table =
      Fields<IoCpuParams>()
          .add("overhead_ns", &IoCpuParams::overhead, "command decode, once per message that arrives")
          .table();
  return table;
}

const FieldTable& MCpuParams::fields() {
  static const FieldTable table =
      Fields<MCpuParams>()
          .add("overhead_ns", &MCpuParams::overhead, "command decode, once per message that arrives")
          .table();
  return table;
}

const FieldTable& SramParams::fields() {
  static const FieldTable table =
      Fields<SramParams>()
          .add("overhead_ns", &SramParams::overhead, "access cost, once per transaction")
          .add("size_mb", &SramParams::size, positive(16384.0),
               "capacity, up to the 16 GB of the address window; bounds addresses, costs no time")
          .machine_wide()
          .table();
  return table;
}

}  // namespace kb::params
