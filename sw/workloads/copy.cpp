#include "sw/workloads/copy.h"

#include <fmt/format.h>

#include "platform/base/error.h"
#include "sw/workloads/contents.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

constexpr std::int64_t kItem = 4;  // bytes per element of both types below

// Source or destination of PE 0 of cube 0 on the first device: a row of a tensor with one row per PE.
struct Place {
  std::string name;
  int sip = 0;
  std::int64_t row = 0;
};

std::vector<Place> places(const Runtime& rt) {
  const contract::MachineInfo& machine = rt.spec();
  const int home = rt.devices().front();
  std::vector<Place> out{{"own slice", home, 0}};
  if (machine.pes_per_cube > 1) out.push_back({"neighbour PE", home, 1});
  if (machine.cubes_per_sip > 1) {
    out.push_back({"farthest cube", home, std::int64_t{machine.cubes_per_sip - 1} * machine.pes_per_cube});
  }
  if (rt.devices().size() > 1) out.push_back({"other SIP", rt.devices()[1], 0});
  return out;
}

void copy_once(Runtime& rt, WorkloadResult& result, const Place& place, std::int64_t elements, bool push, Contents kind,
               std::uint64_t seed) {
  const Dtype dtype = kind == Contents::real ? Dtype::f32 : Dtype::i32;
  const std::int64_t pes = std::int64_t{rt.spec().cubes_per_sip} * rt.spec().pes_per_cube;
  DPPolicy row_per_pe;
  row_per_pe.cube = row_per_pe.pe = Split::row_wise;
  const int home = rt.devices().front();
  rt.set_device(place.sip);
  const Tensor remote = rt.empty({pes, elements}, dtype, row_per_pe, place.name);
  rt.set_device(home);
  DPPolicy single;
  single.num_cubes = single.num_pes = 1;
  const Tensor local = rt.empty({1, elements}, dtype, single, "local");

  const HostArray contents = plain_contents(kind, {1, elements}, dtype, seed);
  const Slice row = Slice::one(place.row);
  const std::int64_t offset = place.row * elements;
  LaunchOptions options;
  options.sips = {home};
  options.cubes = {0};
  options.pes = {0};
  options.label = place.name;
  LaunchHandle launch;
  if (push) {
    local.copy_(contents);
    launch =
        rt.launch("copy", {{"src", local}, {"dst", remote}, {"elements", elements}, {"dst_offset", offset}}, options);
  } else {
    remote.set(row, Slice::all(), contents);
    launch =
        rt.launch("copy", {{"src", remote}, {"dst", local}, {"elements", elements}, {"src_offset", offset}}, options);
  }
  const LaunchMetrics metrics = rt.wait(launch);
  const HostArray moved = push ? remote.get(row, Slice::all()) : local.to_host();

  add_launch_figures(result, metrics, place.name);
  add_rate(result, place.name + " bandwidth", static_cast<double>(contents.nbytes()), metrics.exec_max, "GB/s",
           "the block over the critical path");
  verify_exact(rt, result, place.name, moved, contents);
}

WorkloadResult run_copy(Runtime& rt, const Params& params) {
  const std::int64_t bytes = params.integer("bytes");
  if (bytes % kItem != 0) {
    throw Error::configuration(fmt::format("--set bytes={}: the block must be a multiple of {} bytes", bytes, kItem));
  }
  WorkloadResult result;
  std::uint64_t seed = rt.seed();
  for (const Place& place : places(rt)) {
    copy_once(rt, result, place, bytes / kItem, params.text("direction") == "push", contents_of(params), seed++);
  }
  if (rt.devices().size() == 1) result.notes.push_back("the run has one SIP, so no copy between SIPs was made");
  return result;
}

}  // namespace

Workload copy_workload() {
  return {"copy",
          "one PE copies a block to its own slice, a neighbour, the farthest cube and another SIP, verified",
          {
              Parameter::integer("bytes", 65536, "size of the block", 4, "B"),
              Parameter::choice("direction", "push", {"push", "pull"}, "from the PE's slice to the place, or back"),
              data_parameter(),
          },
          run_copy};
}

}  // namespace kb::sw
