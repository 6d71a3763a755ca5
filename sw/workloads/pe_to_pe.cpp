#include "sw/workloads/pe_to_pe.h"

#include <fmt/format.h>

#include <optional>
#include <regex>
#include <set>
#include <utility>

#include "platform/base/error.h"
#include "sw/distributed/queue_installation.h"
#include "sw/workloads/ccl_support.h"
#include "sw/workloads/contents.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

constexpr Dtype kMessageDtype = Dtype::f16;

// "sip0.cube3.pe5"
PeCoord parse_pe(const std::string& name, const std::string& text, const contract::MachineInfo& machine) {
  static const std::regex pattern("sip([0-9]{1,4})\\.cube([0-9]{1,4})\\.pe([0-9]{1,4})");
  std::smatch match;
  if (!std::regex_match(text, match, pattern)) {
    throw Error::configuration(fmt::format("--set {}={}: is not a PE; one is written like sip0.cube0.pe0", name, text));
  }
  const int limits[] = {machine.sips, machine.cubes_per_sip, machine.pes_per_cube};
  const char* const parts[] = {"sip", "cube", "pe"};
  int index[3];
  for (std::size_t i = 0; i < 3; ++i) {
    index[i] = std::stoi(match[i + 1]);
    if (index[i] >= limits[i]) {
      throw Error::configuration(fmt::format("--set {}={}: there is no {}{}; the machine has {}0 to {}{}", name, text,
                                             parts[i], index[i], parts[i], parts[i], limits[i] - 1));
    }
  }
  const auto id = [](int value) { return static_cast<std::uint32_t>(value); };
  return {SipId(id(index[0])), CubeId(id(index[1])), PeId(id(index[2]))};
}

// A tensor with a row for each PE of a SIP, of which one row is used.
struct Rows {
  Tensor tensor;
  std::int64_t row = 0;
};

Rows rows_on(Runtime& rt, const PeCoord& pe, std::int64_t elements, const std::string& name) {
  DPPolicy row_per_pe;
  row_per_pe.cube = row_per_pe.pe = Split::row_wise;
  const contract::MachineInfo& machine = rt.machine();
  rt.set_device(static_cast<int>(pe.sip.value));
  return {
      rt.empty({std::int64_t{machine.cubes_per_sip} * machine.pes_per_cube, elements}, kMessageDtype, row_per_pe, name),
      static_cast<std::int64_t>(pe.cube.value) * machine.pes_per_cube + pe.pe.value};
}

LaunchOptions on_both(const PeCoord& from, const PeCoord& to) {
  const auto both = [](std::uint32_t a, std::uint32_t b) {
    const std::set<int> sorted{static_cast<int>(a), static_cast<int>(b)};
    return std::vector<int>(sorted.begin(), sorted.end());
  };
  LaunchOptions options;
  options.sips = both(from.sip.value, to.sip.value);
  options.cubes = both(from.cube.value, to.cube.value);
  options.pes = both(from.pe.value, to.pe.value);
  return options;
}

Wiring one_link(const PeCoord& from, const PeCoord& to) {
  return wire({from, to}, [](int rank) {
    return rank == 0 ? NeighbourTable{{"E", 1, Flow::both}} : NeighbourTable{{"W", 0, Flow::both}};
  });
}

WorkloadResult run_pe_to_pe(Runtime& rt, const Params& params) {
  const PeCoord from = parse_pe("from", params.text("from"), rt.machine());
  const PeCoord to = parse_pe("to", params.text("to"), rt.machine());
  if (from == to) {
    throw Error::configuration(fmt::format("--set to={}: is the PE that sends; choose another one", params.text("to")));
  }
  const std::int64_t bytes = params.integer("bytes"), elements = bytes / 2;
  if (bytes % 2 != 0) throw Error::configuration(fmt::format("--set bytes={}: must be even, elements are f16", bytes));
  const std::string& method = params.text("method");
  std::optional<QueueInstallation> queues;
  if (method != "dma") queues.emplace(rt, one_link(from, to), queue_options(params));

  const Rows src = rows_on(rt, from, elements, "source"), dst = rows_on(rt, to, elements, "destination");
  const HostArray contents = plain_contents(contents_of(params), {1, elements}, kMessageDtype, rt.seed());
  src.tensor.set(Slice::one(src.row), Slice::all(), contents);
  const auto launch = [&](bool keep) {
    return rt.wait(rt.launch("pe_to_pe",
                             {{"src", src.tensor},
                              {"dst", dst.tensor},
                              {"elements", elements},
                              {"src_offset", src.row * elements},
                              {"dst_offset", dst.row * elements},
                              {"method", method},
                              {"keep", keep}},
                             on_both(from, to)));
  };
  const LaunchMetrics metrics = launch(false);
  if (method != "dma") launch(true);  // the receiver stores the data, for verification only

  WorkloadResult result;
  add_launch_figures(result, metrics);
  add_rate(result, "bandwidth", static_cast<double>(bytes), metrics.exec_max, "GB/s", "bytes over the critical path");
  const HostArray moved = dst.tensor.get(Slice::one(dst.row), Slice::all());
  verify_exact(rt, result, "destination", moved, rt.computes_data() ? contents : moved);
  return result;
}

}  // namespace

Workload pe_to_pe_workload() {
  std::vector<Parameter> parameters{
      Parameter::text("from", "sip0.cube0.pe0", "PE that loads the block from its HBM slice and passes it on"),
      Parameter::text("to", "sip0.cube0.pe1", "PE that gets it"),
      Parameter::integer("bytes", 4096, "size of the block", 2, "B"),
      Parameter::choice("method", "ipcq", {"ipcq", "ipcq_read", "dma"},
                        "a message whose slot is not read, one whose slot is, a store to the other's HBM slice"),
      data_parameter(),
  };
  for (Parameter& parameter : queue_parameters()) parameters.push_back(std::move(parameter));
  return {"pe-to-pe", "one PE moves a block to another, as a message or as a store, verified", std::move(parameters),
          run_pe_to_pe};
}

}  // namespace kb::sw
